"""What people get wrong in Python, and what they are told: the value seen, its place, and what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import likewise
from likewise import (
    RCA,
    Constraints,
    COPKMeans,
    Costco,
    GraphFeatures,
    Likewise,
    NormalizedCut,
    Partition,
    PCKMeans,
    TableFeatures,
    TextFeatures,
    XingMetric,
    cluster,
    rl_nc,
)
from likewise.evaluation import constraint_accuracy, normalized_mutual_information

N = 40
Y = np.arange(N) % 2
X = np.random.default_rng(0).normal(size=(N, 4)) + 6.0 * Y[:, None]
HINTS = Constraints.sample(Y, "equal", 8, random_state=0)
FRAME = pd.DataFrame(X, columns=list("abcd"))


def changed(value):
    """The rows with one value changed."""
    rows = X.copy()
    rows[3, 1] = value
    return rows


MISTAKES = {
    # rows and hints in another order, or as something else
    "hints before rows": (lambda: PCKMeans(2).fit(HINTS, X), TypeError, "rows come first: write fit(X, constraints="),
    "cluster(hints, X)": (lambda: cluster(HINTS, X), TypeError, "rows come first", "cluster(X, hints)"),
    "cluster(X, 3)": (lambda: cluster(X, 3), TypeError, "got 3", "Did you mean n_clusters=3?"),
    "labels as constraints": (lambda: PCKMeans(2).fit(X, constraints=Y), TypeError, "shape (40,)", "pass them as y"),
    "pairs as constraints": (lambda: PCKMeans(2).fit(X, constraints=[(0, 1)]), TypeError, "Constraints(len(X), must_"),
    "a file as constraints": (lambda: PCKMeans(2).fit(X, constraints="h.csv"), TypeError, "Constraints.read('h.csv'"),
    "a frame as constraints": (lambda: PCKMeans(2).fit(X, constraints=FRAME), TypeError, "Constraints.from_frame("),
    "pairs as y": (
        lambda: PCKMeans(2).fit(X, [(0, 1), (1, 2)]),
        ValueError,
        "y is a list of 2 items",
        "constraints=Con",
    ),
    "rows to the constructor": (lambda: PCKMeans(X).fit(X), TypeError, "n_clusters of PCKMeans is an array of shape"),
    "a file as rows": (lambda: PCKMeans(2).fit("data.csv"), ValueError, "read_table('data.csv')"),
    "nothing as rows": (lambda: PCKMeans(2).fit(None), ValueError, "X is None"),
    "swapped in a score": (lambda: constraint_accuracy(HINTS, Y), TypeError, "Labels come first"),
    "swapped in a sample": (lambda: Constraints.sample("equal", Y, 3), TypeError, "Labels come first"),
    # names of parameters
    "Likewise(k=3)": (lambda: Likewise(k=3), TypeError, "Likewise has no parameter 'k'", "Did you mean 'n_clusters'?"),
    "n_cluster": (lambda: PCKMeans(n_cluster=3), TypeError, "PCKMeans has no", "Did you mean 'n_clusters'?"),
    "seed": (lambda: COPKMeans(2, seed=0), TypeError, "Did you mean 'random_state'?"),
    "dims": (lambda: RCA(dims=2), TypeError, "Did you mean 'n_components'?"),
    "a metric's": (lambda: XingMetric(shrinkage=1), TypeError, "Did you mean 'shrink'?"),
    "a transformer's": (lambda: TableFeatures(impute="mean"), TypeError, "Did you mean 'missing'?"),
    "a function's": (lambda: rl_nc(k=3), TypeError, "rl_nc has no parameter 'k'", "Did you mean 'n_clusters'?"),
    "far from any": (lambda: GraphFeatures(color=1), TypeError, "no parameter 'color'", "There are: n_components"),
    "must_links": (lambda: Constraints(3, must_links=[(0, 1)]), TypeError, "Did you mean 'must_link'?"),
    "weights": (lambda: Constraints(3, [(0, 1)], weights=2), TypeError, "mean 'must_weight' or 'cannot_weight'?"),
    "fit(X, hints=)": (
        lambda: PCKMeans(2).fit(X, hints=HINTS),
        TypeError,
        "PCKMeans.fit has no",
        "mean 'constraints'?",
    ),
    "fit(X, must_link=)": (lambda: RCA(2).fit(X, must_link=[(0, 1)]), TypeError, "Did you mean 'constraints'?"),
    "cluster(X, k=3)": (lambda: cluster(X, k=3), TypeError, "Did you mean 'n_clusters'?"),
    "sample(seed=)": (lambda: Constraints.sample(Y, "equal", 3, seed=0), TypeError, "Did you mean 'random_state'?"),
    # the number of rows
    "an array for n_samples": (lambda: Constraints(X, [(0, 1)]), TypeError, "an array of shape (40, 4)", "len(X)"),
    "a frame for n_samples": (lambda: Constraints(FRAME), TypeError, "a DataFrame of shape (40, 4)", "len(X)"),
    "pairs for n_samples": (lambda: Constraints([(0, 1)]), TypeError, "a list of 1 item", "len(X)"),
    "negative n_samples": (lambda: Constraints(-3), ValueError, "got -3"),
    "hints of other rows": (lambda: PCKMeans(2).fit(X, Constraints(39)), ValueError, "39 rows, X has 40", "restrict("),
    "labels of other rows": (lambda: PCKMeans(2).fit(X, Y[1:]), ValueError, "y has 39 labels, X has 40 rows", "−1"),
    "joined with others": (lambda: HINTS | Constraints(3), ValueError, "40 rows", "for 3", "the same data"),
    # pairs
    "a row with itself": (lambda: Constraints(3, [(1, 1)]), ValueError, "must_link[0] = (1, 1)", "itself", "Remove it"),
    "a row beyond": (lambda: Constraints(3, [(0, 1), (0, 3)]), ValueError, "must_link[1] = (0, 3)", "from 0 to 2"),
    "a negative row": (lambda: Constraints(3, (), [(0, -1)]), ValueError, "cannot_link[0] = (0, -1)", "from 0 to 2"),
    "triples": (lambda: Constraints(3, [(0, 1, 2)]), ValueError, "shape (1, 3)", "[(0, 3), (2, 5)]"),
    "one pair without brackets": (lambda: Constraints(3, (0, 1)), ValueError, "shape (2,)", "[(0, 3), (2, 5)]"),
    "pairs of unequal lengths": (lambda: Constraints(3, [(0, 1), (1,)]), ValueError, "must_link[1] = (1,)", "Write"),
    "half a row": (lambda: Constraints(3, [(0, 1.5)]), ValueError, "must_link[0][1] = 1.5", "counted from 0"),
    "names of rows": (lambda: Constraints(3, [("a", "b")]), TypeError, "must_link[0][0] = 'a'", "from_frame("),
    "a frame with kinds": (lambda: Constraints(40, FRAME), ValueError, "shape (40, 4)", "Constraints.from_frame("),
    "weight 0": (lambda: Constraints(3, [(0, 1)], must_weight=0), ValueError, "must_weight[0] = 0.0", "Remove a pair"),
    "negative weight": (lambda: Constraints(3, [(0, 1)], must_weight=[-1]), ValueError, "must_weight[0] = -1.0"),
    "a weight too many": (lambda: Constraints(3, [(0, 1)], must_weight=[1, 2]), ValueError, "for 1 pairs", "Give one"),
    "weights in words": (lambda: Constraints(3, [(0, 1)], must_weight="high"), TypeError, "got 'high'"),
    "names of blocks": (lambda: Partition(["a", "b"]), TypeError, "codes[0] = 'a'", "Constraints.from_labels(labels)"),
    "negative blocks": (lambda: Partition([-2, 0]), ValueError, "codes[0] = -2", "Write −1"),
    "labels as partitions": (lambda: Constraints(2, partitions=[[0, 0]]), TypeError, "partitions[0]", "from_labels(y)"),
    "labels by column": (lambda: Constraints.from_labels(X), ValueError, "shape (40, 4)", "one for each row"),
    "a mask of other rows": (lambda: HINTS.restrict([True]), ValueError, "got (1,)", "one bool for each row"),
    "rows to keep beyond": (lambda: HINTS.restrict([99]), ValueError, "rows[0] = 99", "40 rows"),
    "contradictions": (
        lambda: COPKMeans(2).fit(X, Constraints(N, [(0, 1), (1, 2)], [(0, 2)])),
        ValueError,
        "rows 0 and 2 are linked by 0–1–2, but cannot_link[0] = (0, 2)",
        "drop_conflicts()",
    ),
    "more kinds than clusters": (
        lambda: COPKMeans(2).fit(X, Constraints(N, (), [(0, 1), (1, 2), (0, 2)])),
        ValueError,
        "rows 0, 1, 2 are all different",
        "at least 3",
    ),
    # draws
    "a way to draw": (lambda: Constraints.sample(Y, "pairs", 3), ValueError, "how = 'pairs'", "random_pairs"),
    "more pairs than there are": (lambda: Constraints.sample(Y, "links", 9999), ValueError, "Use at most 380"),
    "pairs of one class": (lambda: Constraints.sample([0] * 9, "equal", 3), ValueError, "two or more classes"),
    "an error rate in percent": (
        lambda: Constraints.sample(Y, "equal", 3, error_rate=5),
        ValueError,
        "between 0 and 1",
    ),
    # rows
    "NaN": (
        lambda: PCKMeans(2).fit(changed(np.nan)),
        ValueError,
        "X is NaN in row 3, column 1",
        "TableFeatures()",
    ),
    "a gap in a frame": (
        lambda: RCA(2).fit(FRAME.drop(index=3).reindex(range(N)), Y),
        ValueError,
        "X is NaN in row 3, column 'a' (3 more like it)",
        "TableFeatures().fit_transform(X)",
    ),
    "a gap in a polars frame": (
        lambda: PCKMeans(2).fit(pl.DataFrame({"a": [1.0, None, 2.0], "b": [1, 2, 3]})),
        ValueError,
        "row 1, column 'a'",
    ),
    "NaN in new rows": (lambda: RCA(2).fit(X, Y).transform(changed(np.nan)), ValueError, "X is NaN in row 3, column 1"),
    "NaN in a sparse matrix": (
        lambda: PCKMeans(2).fit(sparse.csr_array(changed(np.nan))),
        ValueError,
        "X is NaN in row 3, column 1",
        "TableFeatures().fit_transform(X)",
    ),
    "infinity": (lambda: PCKMeans(2).fit(changed(np.inf)), ValueError, "X is inf in row 3, column 1", "Correct it"),
    "too large": (lambda: PCKMeans(2).fit(changed(1e200)), ValueError, "1e+200, too large to be squared", "Divide X"),
    "a column of text": (
        lambda: PCKMeans(2).fit(FRAME.assign(town=["Rome", "Oslo"] * 20)),
        ValueError,
        "X has text in 'town'",
        "TableFeatures().fit_transform(X)",
    ),
    "a column of dates": (
        lambda: PCKMeans(2).fit(FRAME.assign(day=pd.date_range("2026-01-01", periods=N))),
        ValueError,
        "X has dates in 'day'",
        "TableFeatures()",
    ),
    "text in an array": (
        lambda: PCKMeans(2).fit([["1", "2"], ["3", "x"]]),
        ValueError,
        "text in column 1 ('x' in row 1)",
        "TableFeatures()",
    ),
    "an object in a frame": (
        lambda: PCKMeans(2).fit(FRAME.assign(pair=[(0, 1)] * N)),
        ValueError,
        "a tuple in column 'pair' ((0, 1) in row 0)",
    ),
    "texts": (lambda: PCKMeans(2).fit(["one text", "another"]), ValueError, "2 texts", "TextFeatures().fit_transform"),
    "one text": (lambda: TextFeatures().fit_transform("one text"), ValueError, "one single string", "[text]"),
    "complex numbers": (lambda: PCKMeans(2).fit(X * 1j), ValueError, "dtype complex128", "X.real"),
    "one column as it is": (lambda: PCKMeans(2).fit(X[:, 0]), ValueError, "one dimension", "X.reshape(-1, 1) is 40"),
    "pictures": (lambda: PCKMeans(2).fit(X[None]), ValueError, "3 dimensions, shape (1, 40, 4)", "reshape(len(X), -1)"),
    "a series": (lambda: PCKMeans(2).fit(FRAME["a"]), ValueError, "X is a Series", "X.to_frame()"),
    "a lazy frame": (lambda: PCKMeans(2).fit(pl.LazyFrame({"a": [1.0]})), TypeError, "Pass X.collect()"),
    "rows of unequal lengths": (lambda: PCKMeans(2).fit([[1, 2], [3]]), ValueError, "row 0 has 2 entries, row 1 has 1"),
    "an empty list": (lambda: PCKMeans(2).fit([]), ValueError, "X has 0 rows"),
    "an empty array": (
        lambda: Likewise(2).fit(X[:0]),
        ValueError,
        "0 sample(s)",
        "minimum of 2 is required by Likewise",
    ),
    "no column": (lambda: PCKMeans(2).fit(X[:, :0]), ValueError, "0 feature(s)"),
    # values of parameters
    "more clusters than rows": (lambda: Likewise(41).fit(X), ValueError, "n_clusters=41", "40 rows", "Use fewer"),
    "no cluster": (lambda: Likewise(0).fit(X), ValueError, "'n_clusters' parameter of Likewise", "Got 0"),
    "clusters as text": (lambda: Likewise("3").fit(X), ValueError, "must be an int", "Got '3'"),
    "trust": (lambda: Likewise(trust="hard").fit(X), ValueError, "'strict'", "Got 'hard'"),
    "kind": (lambda: Likewise(kind="words").fit(X), ValueError, "'text'", "Got 'words'"),
    # methods that need hints, or do not use them
    "no hints": (lambda: Costco().fit(X), ValueError, "Costco", "learns from must-links", "Pass constraints="),
    "the other kind of hints": (
        lambda: Costco().fit(X, Constraints(N, (), [(0, 1)])),
        ValueError,
        "Costco learns from must-links, but the constraints contain none",
        "Add some",
    ),
    "hints that are not used": (lambda: NormalizedCut(2).fit(X, HINTS), ValueError, "does not use", "Use PCKMeans"),
    "weights that are not used": (
        lambda: COPKMeans(2).fit(X, Constraints(N, [(0, 1)], must_weight=0.5)),
        ValueError,
        "one has weight 0.5",
        "PCKMeans",
    ),
    # order of work
    "a report before fit": (lambda: Likewise(2).report_, AttributeError, "this Likewise has no report_ yet", "fit(X)"),
    "directions before fit": (lambda: RCA(2).components_, AttributeError, "this RCA has no components_ yet", "fit(X)"),
    "an attribute that is nowhere": (lambda: PCKMeans(2).fit(X).clusters_, AttributeError, "no attribute 'clusters_'"),
    "predict before fit": (lambda: PCKMeans(2).predict(X), ValueError, "PCKMeans instance is not fitted yet"),
    "other columns": (lambda: PCKMeans(2).fit(X).predict(X[:, :2]), ValueError, "X has 2 features", "expecting 4"),
    "scores of other rows": (lambda: normalized_mutual_information([0, 1], [0]), ValueError, "2 labels", "has 1"),
    "a column name twice": (
        lambda: PCKMeans(2).fit(pd.DataFrame(X, columns=["a", "a", *"bcdefgh"[: X.shape[1] - 2]])),
        ValueError,
        "X has 2 columns called 'a'",
    ),
    "no columns": (lambda: PCKMeans(2).fit(pd.DataFrame(index=range(4))), ValueError, "4 rows and no columns"),
    "weights that cannot be summed": (
        lambda: PCKMeans(2).fit(X, constraints=Constraints(len(X), [(0, 1), (2, 3)], must_weight=[1.0, 1e300])),
        ValueError,
        "must_weight ranges from 1 to 1e+300",
    ),
    # files
    "a model that is not there": (lambda: Likewise.load("none.likewise"), FileNotFoundError, "does not exist. Check"),
    "no model file": (lambda: PCKMeans.load(__file__), ValueError, "is not a model file", "model.save(path)"),
    "saving before fit": (lambda: PCKMeans(2).save("m.likewise"), ValueError, "is not fitted yet"),
    "a model that cannot be saved": (
        lambda: NormalizedCut(2).fit(X).save("m.likewise"),
        ValueError,
        "NormalizedCut can",
    ),
    "swapped in save": (lambda: likewise.models.save(PCKMeans(2), "m"), TypeError, "comes first: save(path, model)"),
    "swapped in a report": (
        lambda: likewise.report.write_report(PCKMeans(2), X, "r.html"),
        TypeError,
        "path is a PCKMeans",
        "write_report(path, model, X)",
    ),
    "a report without rows": (
        lambda: PCKMeans(2, random_state=0).fit(X).write_report("r.html"),
        ValueError,
        "has not kept the 40 rows of fit",
        "write_report(path, X)",
    ),
    "a report on other rows": (
        lambda: PCKMeans(2, random_state=0).fit(X).write_report("r.html", X[1:]),
        ValueError,
        "40 rows, X has 39",
    ),
    "a class of another spelling": (
        lambda: likewise.PCKmeans,
        AttributeError,
        "module 'likewise' has no attribute 'PCKmeans'",
        "Did you mean 'PCKMeans'?",
    ),
    "a file that is not there": (lambda: Constraints.read("hint.csv"), FileNotFoundError, "does not exist"),
    "a name of a data set": (lambda: likewise.datasets.load("irs"), ValueError, "'irs'", "did you mean 'iris'?"),
}


@pytest.mark.filterwarnings("ignore:Determining the")  # by old polars, of a lazy frame, before the error
@pytest.mark.parametrize(("call", "error", "words"), [(c, e, w) for c, e, *w in MISTAKES.values()], ids=MISTAKES)
def test_mistakes(call, error, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as raised:
        call()
    message = str(raised.value)
    assert len(message) < 400, message
    for word in words:
        assert word in message
    assert not list(tmp_path.iterdir())


def test_hints_are_taken_in_the_place_of_y():
    by_place = PCKMeans(2, random_state=0).fit(X, HINTS)
    by_name = PCKMeans(2, random_state=0).fit(X, constraints=HINTS)
    np.testing.assert_array_equal(by_place.labels_, by_name.labels_)
    both = COPKMeans(2, random_state=0).fit(X, HINTS, constraints=Constraints(N, [(0, 2)]))
    assert both.labels_[0] == both.labels_[2]
    assert RCA(2).fit_transform(X, HINTS).shape == (N, 2)


def test_blank_labels_are_unknown():
    assert Constraints.from_labels(["cat", "", "dog", " "]).n_must_link == 0
