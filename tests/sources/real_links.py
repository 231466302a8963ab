"""Cora and WebKB, where somebody has them."""

from scipy import sparse

from cases.real import real


def load(name):
    """Words (binary, sparse), classes and links of a data set; the test is skipped where it is absent."""
    data = real(name)
    return sparse.csr_array(data.X), data.y, data.links


def precision(constraints, y):
    """Of the must-links, how many join rows of one class."""
    return float((y[constraints.must_link[:, 0]] == y[constraints.must_link[:, 1]]).mean())
