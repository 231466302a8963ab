"""Methods of estimators that lead to model files, reports and questions, which come later in the order of imports."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from .questions import Answers, Questions
    from .report import ReportPage


class SavesModels:
    """A part of estimators: ``save`` and ``load``."""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the fitted model to a file that anyone may open safely.

        Parameters
        ----------
        path : path
            By custom it ends in .likewise.

        Returns
        -------
        Path
            Of the file.

        See Also
        --------
        likewise.models.save : The same, with how data was prepared and notes of your own.

        Notes
        -----
        What places new rows is kept, not the report. The file holds the rows that new ones are compared with: whoever
        may not see the data must not see the file.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.datasets import load_iris
        >>> from likewise import PCKMeans
        >>> X, y = load_iris(return_X_y=True)
        >>> model = PCKMeans(3, random_state=0).fit(X, y)
        >>> with TemporaryDirectory() as folder:
        ...     again = PCKMeans.load(model.save(f"{folder}/iris.likewise"))
        >>> bool((again.predict(X) == model.predict(X)).all())
        True
        """
        from .models import save

        check_is_fitted(self)
        return save(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that was saved. Nothing in the file is ever run.

        Parameters
        ----------
        path : path

        Returns
        -------
        estimator
            Fitted: it places new rows exactly as the one that was saved.
        """
        from .models import ModelFileError, load

        model = load(path).model
        if not isinstance(model, cls):
            held = type(model).__name__
            raise ModelFileError(f"{path} holds a {held}, not a {cls.__name__}. Read it with {held}.load(path).")
        return model


class ShowsReports:
    """A part of clusterers: the report as a file, and in a notebook."""

    def write_report(self, path: str | os.PathLike[str], X: Any = None, **options: Any) -> Path:
        """Write the clusters as one HTML page that needs nothing else.

        Parameters
        ----------
        path : path
        X : (n, f) array, sparse matrix or data frame, optional
            The rows of ``fit``; a data frame is shown in its own columns and units. A :class:`likewise.Likewise` of at
            most 10,000 rows has kept the numbers that it compared.
        **options
            Of :func:`likewise.report.write_report`: ids, texts, images, feature_names, title and others.

        Returns
        -------
        Path
            Of the file.
        """
        from .report import write_report

        X, names = self._rows_of_fit(X)
        return write_report(Path(path), self, X, **{**names, **options})

    def show_report(self, X: Any = None, *, height: int = 720, **options: Any) -> ReportPage:
        """The report in a notebook: the last value of a cell is shown below it.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame, optional
            The rows of ``fit``; a data frame is shown in its own columns and units. A :class:`likewise.Likewise` of at
            most 10,000 rows has kept the numbers that it compared.
        height : int
            In pixels; the page scrolls inside.
        **options
            Of :func:`likewise.report.write_report`: ids, texts, images, feature_names, title and others.

        Returns
        -------
        ReportPage
        """
        from .report import ReportPage, report_page

        X, names = self._rows_of_fit(X)
        return ReportPage(report_page(self, X, **{**names, **options}), height)

    def _rows_of_fit(self, X: Any) -> tuple[Any, dict[str, Any]]:
        """The rows to show, and the names of their columns where they are those that were kept."""
        check_is_fitted(self)
        if X is not None:
            return X, {}
        rows = getattr(self, "_rows", None)
        labels = self.labels_  # type: ignore[attr-defined]
        if rows is None or rows.shape[0] != len(labels):
            raise ValueError(
                f"this {type(self).__name__} has not kept the {len(labels):,} rows of fit, which the report shows. "
                "Pass them: write_report(path, X)."
            )
        return rows, {"feature_names": self._matrix_names()}  # type: ignore[attr-defined]


class AsksQuestions:
    """A part of :class:`likewise.Likewise`: what to ask next."""

    answers_: Answers | None

    def ask(
        self,
        n: int = 10,
        *,
        kind: str = "pair",
        size: int = 6,
        among: Any = None,
        answers: Answers | None = None,
        random_state: int = 0,
    ) -> Questions:
        """The questions whose answers would help most.

        A row is asked about together with a typical row of the group it most likely belongs to. Groups are what hints
        made of rows so far. By turns it is a row that stands for many others, and one whose place is open; every fifth
        is drawn at random.

        Parameters
        ----------
        n : int
            How many; there are fewer where nothing else is open.
        kind : {"pair", "choice", "piles"}
            Two rows; a row and typical rows of the groups it may belong to; rows to be sorted into piles.
        size : int
            Rows of a question of piles, 3 to 6.
        among : (m,) ints or (n,) bools, optional
            The rows that may be asked about. By default all.
        answers : Answers, optional
            Earlier ones: what nobody could tell is not asked again, and chances are calibrated by them. By default
            those that the model was given.
        random_state : int

        Returns
        -------
        Questions
            Each has the rows, the chance that they are the same, and why it is asked. Give
            ``questions.answered([...])`` to :meth:`add_constraints`.

        See Also
        --------
        likewise.questions.Dialogue : One question after the other, each chosen by all answers before it.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from likewise import Likewise
        >>> X, y = load_iris(return_X_y=True)
        >>> model = Likewise(3, random_state=0, verbose=False).fit(X)
        >>> questions = model.ask(2)
        >>> [len(question.rows) for question in questions]
        [2, 2]
        >>> model.add_constraints(questions.answered(["same", None])).constraints_
        Constraints(150 rows: 1 must-link)
        """
        from .questions import ask

        return ask(
            self,  # type: ignore[arg-type]
            n,
            kind=kind,
            size=size,
            among=among,
            answers=answers,
            random_state=random_state,
        )
