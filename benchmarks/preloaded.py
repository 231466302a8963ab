"""The modules that every benchmark process needs, imported once in the server that processes are forked from."""

import gc

from .rows import (  # noqa: F401
    clusterers,
    constraints,
    dask,
    distances,
    front,
    huge,
    links,
    loading,
    projections,
    questions,
    search,
    tall,
)
from .scaling import running  # noqa: F401

gc.freeze()  # what was imported is never garbage: a fork that looks for some would copy all of it
