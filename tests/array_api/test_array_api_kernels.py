"""Kernels for GPUs, by Triton's interpreter on the CPU: they find what products in double precision find."""

import numpy as np
import pytest
from sklearn.base import clone

import likewise as lw
from likewise import Constraints
from likewise._devices import to_numpy

torch = pytest.importorskip("torch", reason="torch is not installed: make arrays runs these tests")
pytest.importorskip("triton", reason="Triton is not installed: make arrays runs these tests")
SIZES = [(1, 1, 1, 1), (31, 3, 2, 2), (700, 24, 5, 3), (300, 128, 20, 16), (130, 100, 64, 64)]


@pytest.fixture(autouse=True)
def kernels(monkeypatch):
    """The kernels, with few programs: each takes as long as the other in the interpreter."""
    from likewise import _kernels

    monkeypatch.setattr(_kernels, "PROGRAMS", {"moments": 3, "assign": 3})
    return _kernels


def rows(n, f, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).normal(2, 1, (n, f)).astype(np.float32))


def kept(n, some):
    return (torch.arange(n) % 3 != 1).to(torch.uint8) if some else None


def relative(found, wanted):
    return float((found - wanted).norm() / wanted.norm().clamp(min=1e-6))


@pytest.mark.parametrize("some", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_moments(kernels, size, some):
    n, f, *_ = size
    X, keep = rows(n, f), kept(n, some)
    origin = X.mean(dim=0) + 0.25
    total, scatter = kernels.moments(X, origin, keep)
    moved = (X - origin).double()[slice(None) if keep is None else keep.bool()]
    assert total.dtype == scatter.dtype == torch.float64
    assert relative(total, moved.sum(dim=0)) < 1e-6
    assert relative(scatter, moved.T @ moved) < 1e-6
    assert torch.equal(scatter, scatter.T)


@pytest.mark.parametrize("size", SIZES)
def test_image(kernels, size):
    n, f, _, r = size
    X, V = rows(n, f), rows(f, r, seed=1)
    image, finite = kernels.image(X, V)
    assert relative(image.double(), X.double() @ V.double()) < 1e-6
    assert bool(finite)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("place", [(0, 0), (299, 23)])
def test_an_image_tells_of_values_that_are_not_finite(kernels, value, place):
    X = rows(300, 24)
    X[place] = value
    assert not bool(kernels.image(X, rows(24, 3, seed=1))[1])


@pytest.mark.parametrize("some", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_assign_and_sum(kernels, size, some):
    n, f, k, _ = size
    X, keep, product, offset = rows(n, f), kept(n, some), rows(f, k, seed=1), rows(k, 1, seed=2)[:, 0]
    sizes, sums, cost = kernels.assign_and_sum(X, product, offset, keep)
    least, labels = (X.double() @ product.double() + offset).min(dim=1)
    there = torch.ones(n, dtype=torch.bool) if keep is None else keep.bool()
    member = torch.nn.functional.one_hot(labels, k).double()[there]
    assert torch.equal(sizes, member.sum(dim=0))
    assert relative(sums, member.T @ X.double()[there]) < 1e-6
    assert float(cost) == pytest.approx(float(least[there].sum()), rel=1e-5)


def test_of_equal_distances_the_first_counts(kernels):
    X = rows(50, 4)
    sizes, _, _ = kernels.assign_and_sum(X, torch.ones(4, 3), torch.zeros(3), None)
    assert sizes.tolist() == [50, 0, 0]


@pytest.mark.parametrize("estimator", [lw.Costco(2), lw.PCKMeans(3, n_init=1, random_state=0)], ids=repr)
@pytest.mark.usefixtures("few")
def test_estimators_find_the_same_by_them(estimator, kernels, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=2_000)
    X = (rng.normal(size=(2_000, 5)) + 4 * np.eye(5)[y] + 10).astype(np.float32)
    hints = Constraints.sample(y, "random_pairs", 60, random_state=0)
    monkeypatch.setattr("likewise.projections._sigma_points.MANY_ROWS", 1)
    name = "components_" if isinstance(estimator, lw.Costco) else "cluster_centers_"
    found, used = [], []
    for each in (None, kernels):
        for module in ("chunked._moments", "clustering.kmeans._device", "projections._base"):
            monkeypatch.setattr(f"likewise.{module}.kernels_for", lambda X, each=each: used.append(each) or each)
        model = clone(estimator).fit(torch.from_numpy(X), constraints=hints)
        place = model.transform if name == "components_" else model.predict
        found.append((to_numpy(getattr(model, name)), to_numpy(place(torch.from_numpy(X)))))
    assert kernels in used
    for plain, by_kernels in zip(*found, strict=True):
        assert np.abs(plain - by_kernels).max() <= 1e-5 * np.abs(plain).max()
