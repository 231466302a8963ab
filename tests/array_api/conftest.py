"""Arrays of other libraries: the strict stand-in of the array API standard, and torch where it is installed."""

import importlib
import os

import pytest
import sklearn

from likewise import _device_fit, _devices

os.environ.setdefault("TRITON_INTERPRET", "1")  # kernels run without a GPU, too; read as Triton is imported


@pytest.fixture(autouse=True)
def dispatch(monkeypatch):
    """scikit-learn uses arrays where they lie."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.fixture(params=["array_api_strict", "torch"])
def xp(request):
    """A library of arrays."""
    if request.param == "torch":
        pytest.importorskip("torch", reason="torch is not installed: make arrays runs these tests")
    return importlib.import_module(request.param)


@pytest.fixture
def few(monkeypatch):
    """Few rows are fitted where they lie, too, and in several leaves of 1,024."""
    monkeypatch.setattr(_device_fit, "LEAST_ROWS", 1)
    monkeypatch.setattr(_devices, "WORK", 1)
