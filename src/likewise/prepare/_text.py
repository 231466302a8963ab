"""Texts as rows of tf-idf weights of stemmed words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfTransformer
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._arrays import IntArray, is_missing
from .._parameters import SuggestsParameters
from .._progress import stage, track
from .._saved import Saved
from .._sklearn import POSITIVE_INT, Interval, RealNotInt, StrOptions, _fit_context
from ..tables import extra

CONTRACTIONS = frozenset(
    [
        "ain", "aren", "couldn", "didn", "doesn", "don", "hadn", "hasn", "haven",
        "isn", "ll", "mustn", "shouldn", "ve", "wasn", "weren", "wouldn",
    ]
)  # fmt: skip
"""What is left of "don't", "we've" and their like when words are cut at the apostrophe."""

ENGLISH = ("english", "porter")
"""The stemmers of English: the second Snowball one, and Porter's first."""

WORD = r"(?u)\b(?=\w*[^\W_])\w\w+\b"
"""At least two characters, with at least one letter or digit."""

CUT_ENDINGS = (
    "al", "ant", "ator", "e", "ed", "ent", "er", "ful", "ic",
    "ing", "ion", "ism", "ist", "iti", "li", "ll", "nci", "ogi", "s", "y",
)  # fmt: skip
"""Whatever else an English word ends with, its stem is the word: half of all words need no stemmer."""


def _restore_words(features: Any) -> None:
    features.stems_ = np.array([str(stem) for stem in features.stems_], dtype=object)
    features._names = np.array([str(name) for name in features._names], dtype=object)
    features._stop = frozenset(map(str, features._stop))
    features._column_of = {str(word): int(column) for word, column in features._column_of.items()}
    n_columns = len(features._tfidf.idf_)
    if not len(features.stems_) == len(features._names) == n_columns > max(features._column_of.values(), default=-1):
        raise ValueError("words, stems and weights of the texts do not fit together")
    features.vocabulary_ = {name: number for number, name in enumerate(features._names.tolist())}


class TextFeatures(SuggestsParameters, TransformerMixin, BaseEstimator):
    """Convert texts to a sparse matrix of tf-idf weights of stemmed words, with rows of unit length.

    Words have at least two letters; they are lowercased and stemmed, and stop words and stems that occur in a single
    text are left out. This worked best in our experiments. Cluster the result by cosine similarity
    (:class:`likewise.SphericalKMeans`), also after a projection.

    .. math:: x_{ij} \\propto \\mathrm{tf}_{ij} \\left(1 + \\ln \\frac{1 + n}{1 + \\mathrm{df}_j}\\right),
              \\quad \\lVert x_i \\rVert = 1

    where tf is the number of occurrences of stem j in text i, and df the number of texts that contain it.

    Columns are named by the most frequent word of a stem rather than by the stem, so that directions are readable; see
    ``top_features`` of the projections.

    Parameters
    ----------
    language : str
        A Snowball stemmer: "english", "french", "german", ...; "porter" is Porter's original stemmer for English.
    stop_words : "auto", None or list of str
        Words to leave out. "auto" is scikit-learn's list for English, plus fragments of contractions ("don", "ve"), and
        none for other languages, where ``max_df`` can be used. Stop words are removed before stemming: "even" is
        removed, but "evening" is not, though they have the same stem. Words of your own are lowercased and split at
        apostrophes like the texts.
    stem : bool
        Whether to stem words; needs the extra "text". Words with a digit or an underscore are not stemmed.
    min_df, max_df : int or float
        Minimum and maximum document frequency of a stem, as a number (int) or a share (float) of the texts.
    sublinear_tf : bool
        Whether to use 1 + ln(tf) instead of tf.
    lowercase : bool
        Whether to convert words to lower case, which the stemmers require.
    strip_accents : {"unicode", "ascii"} or None
        Whether to convert "café" to "cafe". Stemmers of languages with accents require them.
    dtype : float64 or float32
        Type of the matrix.

    Attributes
    ----------
    vocabulary_ : dict
        Column of each feature name.
    stems_ : (n_features,) array of str
        Stem of each column; without stems, the word itself.
    idf_ : (n_features,) array
        Inverse document frequency of each column.

    Notes
    -----
    A text without known words is a zero row. A missing text is an error. Words that were not seen in ``fit`` are used
    if their stem was.

    Examples
    --------
    >>> from likewise.prepare import TextFeatures
    >>> texts = ["The boat was sailing.", "Sailing boats sail.", "Bakers bake bread.", "The baker is baking bread."]
    >>> features = TextFeatures()
    >>> X = features.fit_transform(texts)
    >>> features.get_feature_names_out().tolist()
    ['bake', 'baker', 'boat', 'bread', 'sailing']
    >>> features.stems_.tolist()
    ['bake', 'baker', 'boat', 'bread', 'sail']
    >>> features.transform(["She sails", "Nothing of the kind"]).toarray()
    array([[0., 0., 0., 0., 1.],
           [0., 0., 0., 0., 0.]])

    Directions of a projection read as words:

    >>> from likewise import ASP
    >>> asp = ASP(n_components=2).fit(X, ["water", "water", "oven", "oven"])
    >>> [name for name, weight in asp.top_features(0, 3, features.get_feature_names_out())]
    ['bake', 'baker', 'bread']
    """

    _saved: ClassVar[Saved] = Saved(
        ("stems_", "_names", "_stop", "_column_of"), parts={"_tfidf": TfidfTransformer}, check=_restore_words
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "language": [str],
        "stop_words": [StrOptions({"auto"}), list, tuple, set, frozenset, None],
        "stem": ["boolean"],
        "min_df": [POSITIVE_INT, Interval(RealNotInt, 0, 1, closed="both")],
        "max_df": [POSITIVE_INT, Interval(RealNotInt, 0, 1, closed="both")],
        "sublinear_tf": ["boolean"],
        "lowercase": ["boolean"],
        "strip_accents": [StrOptions({"unicode", "ascii"}), None],
        "dtype": "no_validation",
    }

    def __init__(
        self,
        *,
        language: str = "english",
        stop_words: str | Iterable[str] | None = "auto",
        stem: bool = True,
        min_df: int | float = 2,
        max_df: int | float = 1.0,
        sublinear_tf: bool = False,
        lowercase: bool = True,
        strip_accents: str | None = None,
        dtype: Any = np.float64,
    ) -> None:
        self.language = language
        self.stop_words = stop_words
        self.stem = stem
        self.min_df = min_df
        self.max_df = max_df
        self.sublinear_tf = sublinear_tf
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.dtype = dtype

    def fit(self, texts: Any, y: Any = None) -> Self:
        """Learn the vocabulary and the weights.

        Parameters
        ----------
        texts : list, array or Series of str
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(texts)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, texts: Any, y: Any = None) -> Any:
        """Learn the vocabulary and the weights, and return the sparse matrix.

        Parameters
        ----------
        texts : list-like of str
        y : ignored

        Returns
        -------
        (n, n_features) CSR matrix
        """
        dtype = self._checked_dtype()
        analyze = self._analyzer()
        cut = self._stemmer()
        self._stop = self._stop_words(analyze)
        words, word_counts = _count_words(checked_texts(texts), analyze)
        kept = [word for word in words if word not in self._stop]
        if not kept:
            seen = "they hold no word of two letters or more"
            if words:
                seen = f"all {len(words)} words in them are stop words"
            n_texts = word_counts.shape[0]
            raise ValueError(f"the {n_texts} texts leave no feature: {seen}. Look at them, or at stop_words.")
        stem_of = dict(zip(kept, cut(kept), strict=True))
        stems = sorted(set(stem_of.values()))
        column_of_stem = {stem: column for column, stem in enumerate(stems)}
        column_of = {word: column_of_stem[stem] for word, stem in stem_of.items()}
        counts = _sum_words(words, word_counts, column_of, len(stems))

        chosen = self._frequent_enough(counts)
        new_column = np.full(len(stems), -1)
        new_column[chosen] = np.arange(len(chosen))
        self._column_of = {word: int(new_column[old]) for word, old in column_of.items()}  # −1: known, and left out
        self.stems_ = np.array([stems[old] for old in chosen.tolist()], dtype=object)
        times = np.asarray(word_counts.sum(axis=0)).ravel().tolist()
        self._names = _most_frequent_forms(words, times, self._column_of)
        self.vocabulary_ = {name: column for column, name in enumerate(self._names.tolist())}
        self._tfidf = TfidfTransformer(sublinear_tf=self.sublinear_tf)
        return self._tfidf.fit_transform(counts[:, chosen].astype(dtype))

    def transform(self, texts: Any) -> Any:
        """Convert new texts to a sparse matrix, with the learned vocabulary and weights.

        Parameters
        ----------
        texts : list-like of str

        Returns
        -------
        (n, n_features) CSR matrix
        """
        check_is_fitted(self)
        words, word_counts = _count_words(checked_texts(texts), self._analyzer())
        unseen = [word for word in words if word not in self._column_of and word not in self._stop]
        column_of_stem = {stem: column for column, stem in enumerate(self.stems_.tolist())}
        stems = self._stemmer()(unseen)
        known = {word: column_of_stem[stem] for word, stem in zip(unseen, stems, strict=True) if stem in column_of_stem}
        counts = _sum_words(words, word_counts, {**self._column_of, **known}, len(column_of_stem))
        return self._tfidf.transform(counts.astype(self._tfidf.idf_.dtype), copy=False)

    @property
    def idf_(self) -> NDArray[Any]:
        """Weight of each column: 1 + ln((1 + n) / (1 + df))."""
        check_is_fitted(self, "_tfidf")
        return self._tfidf.idf_

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The most frequent word of each stem; ties are broken by length, then alphabetically.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        (n_features,) array of str
        """
        check_is_fitted(self)
        return self._names.copy()

    def _analyzer(self) -> Callable[[str], list[str]]:
        reader = CountVectorizer(lowercase=self.lowercase, strip_accents=self.strip_accents, token_pattern=WORD)
        return reader.build_analyzer()

    def _stop_words(self, analyze: Callable[[str], list[str]]) -> frozenset[str]:
        if self.stop_words is None:
            return frozenset()
        if isinstance(self.stop_words, str):  # "auto"
            words: Iterable[str] = ENGLISH_STOP_WORDS | CONTRACTIONS if self.language in ENGLISH else ()
        else:
            words = self.stop_words
        for word in words:
            if not isinstance(word, str):
                raise TypeError(f"stop_words holds {word!r}, a {type(word).__name__}. Stop words are strings.")
        return frozenset(token for word in words for token in analyze(word))

    def _stemmer(self) -> Callable[[Sequence[str]], list[str]]:
        """The function that stems a list of words."""
        if not self.stem:
            return list
        snowballstemmer = extra("snowballstemmer", "stems", name="text", otherwise="Or pass stem=False.")
        known = sorted(snowballstemmer.algorithms())
        if self.language not in known:
            raise ValueError(
                f"there is no stemmer for language={self.language!r}. Pass stem=False, or one of: {', '.join(known)}."
            )
        cut = snowballstemmer.stemmer(self.language).stemWord
        endings = CUT_ENDINGS if self.language == "english" else ("",)

        def stems(words: Sequence[str]) -> list[str]:
            with stage("stemming words"):
                return [cut(word) if word.endswith(endings) and word.isalpha() else word for word in words]

        return stems

    def _checked_dtype(self) -> np.dtype[Any]:
        dtype = np.dtype(self.dtype)
        if dtype not in (np.float64, np.float32):
            raise ValueError(f"dtype={self.dtype!r} cannot hold tf-idf weights. Pass float64 or float32.")
        return dtype

    def _frequent_enough(self, counts: Any) -> IntArray:
        """Columns whose document frequency is within the limits."""
        n_texts = counts.shape[0]
        least, most = (
            bound if isinstance(bound, Integral) else bound * n_texts for bound in (self.min_df, self.max_df)
        )
        if most < least <= n_texts:
            raise ValueError(
                f"max_df={self.max_df} allows a word in {most:g} texts at most, min_df={self.min_df} wants {least:g} "
                f"at least, of {n_texts}. Lower min_df, or raise max_df."
            )
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        chosen = np.flatnonzero((frequency >= least) & (frequency <= most))
        if chosen.size == 0:
            rare = frequency.max() < least
            bound = f"min_df={self.min_df} wants {least:g}" if rare else f"max_df={self.max_df} allows {most:g}"
            seen = f"{frequency.max()} at most" if rare else f"{frequency.min()} or more"
            raise ValueError(
                f"no word of the {n_texts} texts is left: each is in {seen}, and {bound}. "
                f"{'Lower min_df' if rare else 'Raise max_df, or lower min_df'}."
            )
        return chosen

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags


def checked_texts(texts: Any) -> list[str]:
    """The texts as a list; raises an error that names the first value that is not a text."""
    remedy = "Pass a list of strings, one for each row."
    if isinstance(texts, str | bytes):
        raise ValueError(f"texts is one single string, {texts[:40]!r}. {remedy[:-1]}: [text].")
    if isinstance(texts, Mapping | Set):
        raise TypeError(f"texts is a {type(texts).__name__}, whose order says nothing about rows. {remedy}")
    shape = getattr(texts, "shape", (0,))
    if len(shape) != 1:
        raise ValueError(f"texts has shape {tuple(shape)}. Pass one column of it, such as table['text'].")
    try:
        found = list(texts)
    except TypeError:
        raise TypeError(f"texts is {texts!r}, a {type(texts).__name__}. {remedy}") from None
    if not found:
        raise ValueError(f"there are no texts: texts is empty. {remedy}")
    for row, text in enumerate(found):
        if not isinstance(text, str):
            remedy = "Leave the row out, or write ''." if is_missing(text) else "Convert it: str(text)."
            raise TypeError(f"texts[{row}] is {text!r}, a {type(text).__name__}, not a string. {remedy}")
    return found


def _count_words(texts: list[str], analyze: Callable[[str], list[str]]) -> tuple[list[str], Any]:
    """The different words of texts, and how often each text has each of them.

    >>> words, counts = _count_words(["to be", "or not to be"], str.split)
    >>> words, counts.toarray().tolist()
    (['be', 'not', 'or', 'to'], [[1, 0, 0, 1], [1, 1, 1, 1]])
    """
    vectorizer = CountVectorizer(analyzer=analyze)
    try:
        with stage("counting words"):
            counts = vectorizer.fit_transform(track(texts, len(texts)))
    except ValueError:  # no text has a word
        return [], sparse.csr_matrix((len(texts), 0), dtype=np.int64)
    return vectorizer.get_feature_names_out().tolist(), counts


def _sum_words(words: Sequence[str], counts: Any, column_of: Mapping[str, int], n_columns: int) -> Any:
    """How often each text has a word of each column; some words are of no column."""
    pairs = [(row, column) for row, word in enumerate(words) if (column := column_of.get(word, -1)) >= 0]
    rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
    summed = counts @ sparse.csr_matrix((np.ones(len(pairs)), (rows, columns)), shape=(len(words), n_columns))
    summed.sort_indices()  # so that weights do not depend on the order in which words are added up
    return summed


def _most_frequent_forms(words: Sequence[str], times: Sequence[int], column_of: Mapping[str, int]) -> NDArray[Any]:
    """For each column the most frequent of the words that count for it."""
    best: dict[int, tuple[int, int, str]] = {}
    for word, count in zip(words, times, strict=True):
        column = column_of.get(word, -1)
        if column >= 0:
            form = (-count, len(word), word)
            best[column] = min(best.get(column, form), form)
    return np.array([best[column][-1] for column in range(len(best))], dtype=object)
