"""Blocks on several threads: nothing is lost, and BLAS is left as it was."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from cases.data import blobs
from likewise.clustering import points as rows
from likewise.clustering.points import Points, nearest_and
from likewise.clustering.threads import on_threads

X, _ = blobs(3000, 8, n_groups=3)
BLOCKS = [slice(start, start + 1) for start in range(50)]


def blas_threads():
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


@pytest.mark.parametrize("count", [1, 3])
def test_every_block_once_also_from_within_a_block(count):
    done = np.zeros((2, 50), dtype=int)

    def work(block):
        done[0, block] += 1
        if block.start == 7:
            on_threads(lambda inner: np.add.at(done[1], inner.start, 1), BLOCKS)

    with threadpool_limits(count, user_api="blas"):
        before = blas_threads()
        on_threads(work, BLOCKS)
        assert blas_threads() == before
    assert (done == 1).all()


@pytest.mark.parametrize("count", [1, 3])
def test_an_error_in_a_thread_is_raised_and_the_next_call_goes_on(count):
    def fail(block):
        raise ValueError(f"block {block.start}")

    with threadpool_limits(count, user_api="blas"):
        before = blas_threads()
        with pytest.raises(ValueError, match="block 0"):
            on_threads(fail, BLOCKS)
        assert blas_threads() == before
        done = []
        on_threads(done.append, BLOCKS)
        assert len(done) == 50


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_blocks_find_what_one_finds(monkeypatch, dtype):
    points, centres, told = Points(X.astype(dtype)), X[:5].astype(dtype), np.arange(0, 3000, 7)
    assert len(points.blocks(5)) == 1
    whole = nearest_and(points, centres, told)
    monkeypatch.setattr(rows, "IN_CACHE", 100)
    assert len(points.blocks(5)) > 10
    with threadpool_limits(2, user_api="blas"):
        parts = nearest_and(points, centres, told)
    np.testing.assert_array_equal(parts[0], whole[0])
    for part, one in zip(parts[1:], whole[1:], strict=True):
        np.testing.assert_allclose(part, one, rtol=1e-4, atol=1e-4)
