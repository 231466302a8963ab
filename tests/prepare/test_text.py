"""From strings to features."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import likewise as lw
from cases.data import law
from likewise.prepare import TextFeatures
from likewise.prepare._text import CONTRACTIONS

TEXTS = [
    "The cats were running after a cat.",
    "A runner runs; the cat's run is long!",
    "Stocks fell, and the stock market was falling.",
    "Markets fall when stocks do.",
    "",
    "The of and a",
]
LABELS = ["pets", "pets", "money", "money", None, None]


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def slow_features(texts, *, min_df=2, sublinear=False, new=None):
    """The whole chain by the definition: dicts of counts of stems, and the formula of TF-IDF."""
    stemmer = snowballstemmer.stemmer("english")
    drop = ENGLISH_STOP_WORDS | CONTRACTIONS

    def stems(text):
        words = "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
        return [stemmer.stemWord(word) for word in words if len(word) > 1 and word not in drop]

    said = [stems(text) for text in texts]
    df = {stem: sum(stem in text for text in said) for stem in sorted({stem for text in said for stem in text})}
    kept = [stem for stem in df if df[stem] >= min_df]
    rows = [stems(text) for text in (texts if new is None else new)]
    X = np.array([[text.count(stem) for stem in kept] for text in rows], dtype=float).reshape(len(rows), len(kept))
    if sublinear:
        X[X > 0] = 1 + np.log(X[X > 0])
    X *= [1 + np.log((1 + len(texts)) / (1 + df[stem])) for stem in kept]
    norm = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norm > 0, norm, 1), kept


@pytest.mark.parametrize("sublinear", [False, True])
def test_the_chain_is_what_it_says(sublinear):
    features = TextFeatures(sublinear_tf=sublinear)
    X = features.fit_transform(TEXTS)
    wanted, stems = slow_features(TEXTS, sublinear=sublinear)
    assert features.stems_.tolist() == stems == ["cat", "fall", "market", "run", "stock"]
    np.testing.assert_allclose(dense(X), wanted, rtol=1e-14)
    new = ["Cats market stocks", "a fallen market of cats cats", "nothing"]
    np.testing.assert_allclose(
        dense(features.transform(new)), slow_features(TEXTS, sublinear=sublinear, new=new)[0], rtol=1e-14
    )


WORDS = st.sampled_from(["cat", "cats", "cat's", "runs", "running", "the", "don't", "generously", "flies", "x", "sky"])
CORPORA = st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=1, max_size=6)


@given(CORPORA, CORPORA, st.integers(1, 2))
@law
def test_any_corpus_is_what_the_definition_says(texts, new, min_df):
    wanted, stems = slow_features(texts, min_df=min_df)
    features = TextFeatures(min_df=min_df)
    if not stems:
        with pytest.raises(ValueError, match=r"leave no feature|no word of the|min_df"):
            features.fit(texts)
        return
    X = features.fit_transform(texts)
    np.testing.assert_allclose(dense(X), wanted, rtol=1e-12)
    assert (features.transform(texts) != X).nnz == 0
    np.testing.assert_allclose(dense(features.transform(new)), slow_features(texts, min_df=min_df, new=new)[0])
    names = features.get_feature_names_out()
    assert len(set(names)) == len(names) == X.shape[1]
    assert [snowballstemmer.stemmer("english").stemWord(name) for name in names] == features.stems_.tolist()


def test_without_stems_it_is_scikit_learns():
    drop = sorted(ENGLISH_STOP_WORDS)
    plain = TfidfVectorizer(stop_words=drop, min_df=2)
    features = TextFeatures(stem=False, stop_words=drop)
    np.testing.assert_allclose(dense(features.fit_transform(TEXTS)), dense(plain.fit_transform(TEXTS)), rtol=1e-14)
    assert features.get_feature_names_out().tolist() == plain.get_feature_names_out().tolist()
    assert features.vocabulary_ == plain.vocabulary_
    np.testing.assert_allclose(features.idf_, plain.idf_)


ALPHABET = st.text("abcdefghijklmnopqrstuvwxyz", max_size=5)
ENDS = (
    "ed eedly edly ingly ies ied us sses ational tional enci anci abli entli izer ization ation ator alism aliti alli "
)
ENDS += "fulness ousli ousness iveness iviti biliti bli ogi fulli lessli li alize icate iciti ical ful ness ative ance "
ENDS += "ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion ogist ology y ll e s in op ck um a o h x"


@given(ALPHABET, st.lists(st.sampled_from(ENDS.split()), max_size=2))
@law
def test_words_that_no_rule_touches_need_no_stemmer(start, ends):
    word = start + "".join(ends) or "x"
    assert TextFeatures()._stemmer()([word]) == [snowballstemmer.stemmer("english").stemWord(word)]


def test_exceptional_words_are_cut_as_the_stemmer_has_them():
    words = "skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias andes "
    words += "inning outing canning herring earring proceed exceed succeed generate communism arsenal past universe"
    assert TextFeatures()._stemmer()(words.split()) == snowballstemmer.stemmer("english").stemWords(words.split())


def test_codes_keep_their_ends():
    texts = ["rs232s and my_names", "rs232s and my_names"]
    assert TextFeatures().fit(texts).get_feature_names_out().tolist() == ["my_names", "rs232s"]


def test_a_line_of_underscores_is_no_word():
    features = TextFeatures(min_df=1).fit(["sign here ____ or __", "sign a_b and 486 here"])
    assert features.get_feature_names_out().tolist() == ["486", "a_b", "sign"]


def test_names_are_the_most_frequent_forms():
    texts = ["running running runs", "runs running run", "flies fly", "fly flies"]
    features = TextFeatures().fit(texts)
    assert features.get_feature_names_out().tolist() == ["fly", "running"]  # a tie: the shorter one
    assert features.vocabulary_ == {"fly": 0, "running": 1}
    assert features.stems_.tolist() == ["fli", "run"]


def test_every_distinct_word_is_cut_once(monkeypatch):
    calls = []
    real = snowballstemmer.stemmer("english")

    class Counting:
        def stemWord(self, word):
            calls.append(word)
            return real.stemWord(word)

    monkeypatch.setattr(snowballstemmer, "stemmer", lambda language: Counting())
    features = TextFeatures().fit(TEXTS * 10)
    assert len(calls) == len(set(calls))
    seen = len(calls)
    features.transform(TEXTS)
    assert len(calls) == seen


def test_stop_words():
    texts = ["The evening, even the EVENING, don't we've", "evening of even more"]
    assert TextFeatures().fit(texts).get_feature_names_out().tolist() == ["evening"]
    everything = TextFeatures(stop_words=None, stem=False).fit(texts).get_feature_names_out().tolist()
    assert everything == ["even", "evening"]
    own = TextFeatures(stop_words=["Don't", "EVENING"], min_df=1, stem=False).fit(texts).get_feature_names_out()
    assert own.tolist() == ["even", "more", "of", "the", "ve", "we"]  # "don't" goes as the texts have it
    assert "les" in TextFeatures(language="french").fit(["les chats", "les chiens"]).vocabulary_
    assert "the" not in TextFeatures(language="porter", min_df=1).fit(["the cats"]).vocabulary_


def test_languages():
    german = TextFeatures(language="german").fit(["Die Häuser", "das Haus", "die Katzen und die Katze"])
    assert "haus" in german.stems_
    assert "café" in TextFeatures(min_df=1).fit(["Café"]).vocabulary_
    assert "cafe" in TextFeatures(min_df=1, strip_accents="unicode").fit(["Café"]).vocabulary_
    assert "Café" in TextFeatures(min_df=1, lowercase=False).fit(["Café"]).vocabulary_


def test_document_frequency():
    texts = ["apple pear", "apple plum", "apple plum", "apple fig"]
    assert TextFeatures(stem=False).fit(texts).vocabulary_ == {"apple": 0, "plum": 1}
    assert TextFeatures(stem=False, max_df=0.9).fit(texts).vocabulary_ == {"plum": 0}
    assert TextFeatures(stem=False, max_df=3, min_df=1).fit(texts).vocabulary_ == {"fig": 0, "pear": 1, "plum": 2}
    assert TextFeatures(stem=False, min_df=0.75).fit(texts).vocabulary_ == {"apple": 0}
    # a stem is as frequent as its forms together
    assert TextFeatures().fit(["running", "runs", "other"]).stems_.tolist() == ["run"]


def test_texts_without_a_known_word_are_rows_of_zeros():
    X = TextFeatures().fit_transform(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(dense(X), axis=1), [1, 1, 1, 1, 0, 0])
    features = TextFeatures().fit(TEXTS)
    assert features.transform(["", "unheard", "the"]).nnz == 0


CONTAINERS = {
    "tuple": tuple,
    "array": np.array,
    "object array": lambda texts: np.array(texts, dtype=object),
    "pandas": lambda texts: pd.Series(texts, index=range(10, 10 + len(texts))),
    "pandas string": lambda texts: pd.Series(texts, dtype="string"),
    "polars": pl.Series,
    "generator": iter,
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_any_container_of_strings(container):
    wanted = TextFeatures().fit_transform(TEXTS)
    assert (TextFeatures().fit_transform(container(TEXTS)) != wanted).nnz == 0
    assert (TextFeatures().fit(TEXTS).transform(container(TEXTS)) != wanted).nnz == 0


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("one text", ValueError, "one single string, 'one text'. Pass a list"),
        (["a", None], TypeError, r"texts\[1\] is None.*Leave the row out, or write ''"),
        (["a", float("nan")], TypeError, r"texts\[1\] is nan, a float.*write ''"),
        (pd.Series(["a", pd.NA], dtype="string"), TypeError, r"texts\[1\] is <NA>.*write ''"),
        (["a", 3], TypeError, r"texts\[1\] is 3, a int, not a string. Convert it"),
        (["a", b"b"], TypeError, r"texts\[1\] is b'b', a bytes"),
        ([["a"], ["b"]], TypeError, r"texts\[0\] is \['a'\], a list"),
        (pd.DataFrame({"text": ["a", "b"]}), ValueError, r"shape \(2, 1\). Pass one column"),
        (np.array([["a"], ["b"]]), ValueError, r"shape \(2, 1\)"),
        ({"text": ["a"]}, TypeError, "texts is a dict"),
        (3, TypeError, "texts is 3, a int"),
        ([], ValueError, "texts is empty"),
        (["", "!"], ValueError, "the 2 texts leave no feature: they hold no word"),
        (["the", "and the"], ValueError, "all 2 words in them are stop words"),
        (
            ["apple"],
            ValueError,
            "no word of the 1 texts is left: each is in 1 at most, and min_df=2 wants 2. Lower min_df",
        ),
        (["apple", "plum"], ValueError, "no word of the 2 texts is left: each is in 1 at most, and min_df=2 wants 2"),
    ],
)
def test_what_is_no_text_is_named(texts, error, message):
    with pytest.raises(error, match=message):
        TextFeatures().fit(texts)


def test_new_texts_are_checked_too():
    features = TextFeatures().fit(TEXTS)
    with pytest.raises(ValueError, match="one single string"):
        features.transform("cat")
    with pytest.raises(TypeError, match=r"texts\[0\] is None"):
        features.transform([None])


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"language": "klingon"}, ValueError, "no stemmer for language='klingon'.*english"),
        ({"min_df": 0}, ValueError, "'min_df' parameter"),
        ({"min_df": 1.5}, ValueError, "'min_df' parameter"),
        ({"stop_words": "english"}, ValueError, "'stop_words' parameter"),
        ({"stop_words": ["the", 3]}, TypeError, "stop_words holds 3, a int"),
        ({"dtype": int}, ValueError, "cannot hold tf-idf weights"),
        ({"max_df": 1}, ValueError, "max_df=1 allows a word in 1 texts at most, min_df=2 wants 2 at least, of 6"),
        ({"max_df": 0.1, "min_df": 0.0}, ValueError, "each is in 1 or more, and max_df=0.1 allows 0.6. Raise max_df"),
    ],
)
def test_parameters_are_checked(params, error, message):
    with pytest.raises(error, match=message):
        TextFeatures(**params).fit(TEXTS)


def test_stems_ask_for_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(ImportError, match=r'pip install "likewise\[text\]"'):
        TextFeatures().fit(TEXTS)
    TextFeatures(stem=False).fit(TEXTS)


def test_the_stemmer_loads_when_it_is_used():
    code = "import sys, likewise.prepare; print('snowballstemmer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_float32():
    X = TextFeatures(dtype=np.float32).fit(TEXTS).transform(TEXTS)
    assert X.dtype == np.float32
    np.testing.assert_allclose(dense(X), dense(TextFeatures().fit_transform(TEXTS)), rtol=1e-6)


def test_clones_pickles_and_takes_parameters():
    features = TextFeatures(min_df=1, stop_words=["the"]).fit(TEXTS)
    copy = pickle.loads(pickle.dumps(features))
    assert (copy.transform(TEXTS) != features.transform(TEXTS)).nnz == 0
    assert clone(features).get_params() == features.get_params()
    assert features.set_params(stem=False).fit(TEXTS).transform(TEXTS).shape[1] > copy.transform(TEXTS).shape[1]


def test_pipeline_reads_as_words():
    pipeline = make_pipeline(TextFeatures(), lw.ASP(n_components=2, singletons="none")).fit(TEXTS, LABELS)
    assert pipeline.transform(["A cat runs"]).shape == (1, 2)
    names = pipeline[0].get_feature_names_out()
    topics = [{name for name, _ in pipeline[-1].top_features(component, 2, names)} for component in (0, 1)]
    assert {"run", "cat"} in topics or {"runs", "cat"} in topics
    searched = clone(pipeline).set_params(textfeatures__min_df=1).fit(TEXTS, LABELS)
    assert searched[-1].n_features_in_ > pipeline[-1].n_features_in_


@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_valid_tag_types,
    ],
)
def test_scikit_learn_checks_that_need_no_numbers(check):
    check("TextFeatures", TextFeatures())


def test_unfitted():
    for use in (lambda each: each.transform(TEXTS), TextFeatures.get_feature_names_out, lambda each: each.idf_):
        with pytest.raises(NotFittedError):
            use(TextFeatures())
