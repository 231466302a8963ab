"""Ranks of rows by their values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from likewise.linalg import _row_ranks
from likewise.linalg._row_ranks import row_ranks


@pytest.mark.parametrize("columns", [1, 2, 64])
@given(data=st.lists(st.lists(st.sampled_from([-1.0, -0.0, 0.0, 0.5, 2.0]), min_size=4, max_size=4), max_size=12))
def test_ranks_are_those_of_sorted_tuples(columns, data):
    X = np.array(data).reshape(-1, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_row_ranks, "COLUMNS", columns)
        rows = [tuple(row) for row in X.tolist()]
        expected = [sum(other < row for other in rows) for row in rows]
        assert row_ranks(X).tolist() == expected
        assert row_ranks(sparse.csr_array(X)).tolist() == expected
