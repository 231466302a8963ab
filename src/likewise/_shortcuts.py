"""Methods of estimators for saving, reports and questions, whose packages come later in the order of imports."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from .questions import Answers, Questions
    from .report import ReportPage


class SavesModels:
    """Mixin of estimators with ``save`` and ``load``."""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the fitted model to a file that anyone can open safely.

        Parameters
        ----------
        path : path
            The usual suffix is .likewise.

        Returns
        -------
        Path
            The path of the file.

        See Also
        --------
        likewise.models.save : The same, with preprocessing and metadata.

        Notes
        -----
        Attributes that are not needed for predictions, such as the report, are not saved. The file of some models
        contains rows of the data, with which new rows are compared. Treat it as confidentially as the data.

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
        """Load a saved model. No code in the file is executed.

        Parameters
        ----------
        path : path

        Returns
        -------
        estimator
            The fitted model, which gives the same predictions as the one that was saved.
        """
        from .models import ModelFileError, load

        model = load(path).model
        if not isinstance(model, cls):
            held = type(model).__name__
            raise ModelFileError(f"{path} holds a {held}, not a {cls.__name__}. Read it with {held}.load(path).")
        return model


class ShowsReports:
    """Mixin of clusterers with ``write_report`` and ``show_report``."""

    def write_report(self, path: str | os.PathLike[str], X: Any = None, **options: Any) -> Path:
        """Write a report of the clusters as a self-contained HTML page.

        Parameters
        ----------
        path : path
        X : (n, f) array, sparse matrix or data frame, optional
            The rows of ``fit``; a data frame is shown in its own columns and units. A :class:`likewise.Likewise` of at
            most 10,000 rows has kept the numbers that it compared.
        **options
            Options of :func:`likewise.report.write_report`: ids, texts, images, feature_names, title and others.

        Returns
        -------
        Path
            The path of the file.
        """
        from .report import write_report

        X, names = self._rows_of_fit(X)
        return write_report(Path(path), self, X, **{**names, **options})

    def show_report(self, X: Any = None, *, height: int = 720, **options: Any) -> ReportPage:
        """Show the report in a notebook, as the last value of a cell.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame, optional
            The rows of ``fit``; a data frame is shown in its own columns and units. A :class:`likewise.Likewise` of at
            most 10,000 rows has kept the numbers that it compared.
        height : int
            Height in pixels; the page scrolls.
        **options
            Options of :func:`likewise.report.write_report`: ids, texts, images, feature_names, title and others.

        Returns
        -------
        ReportPage
        """
        from .report import ReportPage, report_page

        X, names = self._rows_of_fit(X)
        return ReportPage(report_page(self, X, **{**names, **options}), height)

    def _rows_of_fit(self, X: Any) -> tuple[Any, dict[str, Any]]:
        """The rows to show, and the names of their columns if the model has stored the rows."""
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
    """Mixin of :class:`likewise.Likewise` with ``ask``."""

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
        """The most informative questions.

        A question compares a row with a typical row of the group to which it most likely belongs; groups are those that
        the constraints form so far. The rows are alternately representative of many others, and uncertain; every fifth
        is drawn at random.

        Parameters
        ----------
        n : int
            Number of questions; fewer are returned if there are not enough.
        kind : {"pair", "choice", "piles"}
            Two rows; a row and typical rows of the groups it may belong to; or rows to sort into piles.
        size : int
            Number of rows to sort into piles, 3 to 6.
        among : (m,) ints or (n,) bools, optional
            The rows that may be asked about. By default all.
        answers : Answers, optional
            Earlier answers: questions that nobody could answer are not repeated, and probabilities are calibrated by
            them. By default those passed to the model.
        random_state : int

        Returns
        -------
        Questions
            Each has the rows, the probability that they are the same, and the reason for asking. Pass
            ``questions.answered([...])`` to :meth:`add_constraints`.

        See Also
        --------
        likewise.questions.Dialogue : One question after the other, each chosen by all previous answers.

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
