import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise._arrays import is_missing, relabel


@given(st.lists(st.one_of(st.integers(-2, 5), st.sampled_from([10**6, 2**60]))))
def test_relabeled_by_first_appearance(labels):
    seen = list(dict.fromkeys(label for label in labels if label >= 0))
    expected = [seen.index(label) if label >= 0 else -1 for label in labels]
    assert relabel(np.array(labels, dtype=np.int64)).tolist() == expected


@pytest.mark.parametrize(
    "value", [None, "", " \t", float("nan"), np.float32("nan"), np.datetime64("NaT", "s"), pd.NA, pd.NaT]
)
def test_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, False, "0", "nan", -1, np.int64(0), np.array([1, 2]), [], b""])
def test_not_missing(value):
    assert not is_missing(value)
