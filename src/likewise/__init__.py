"""likewise finds the clusters a person means.

Say which rows belong together and which do not, or give a few labels; likewise learns from these constraints and from
all other rows, and clusters.

>>> from sklearn.datasets import load_iris
>>> import likewise
>>> X, y = load_iris(return_X_y=True)
>>> constraints = likewise.Constraints.sample(y, "random_pairs", 60, random_state=0)
>>> model = likewise.Likewise(n_clusters=3, random_state=0).fit(X, constraints=constraints)
>>> likewise.evaluation.rand_index(y, model.labels_) > 0.9
True

Subpackages are imported when a name of theirs is first used, so that ``likewise --help`` answers at once.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_SUBPACKAGES = (
    "constraints", "prepare", "projections", "metric", "clustering", "front",
    "graphs", "sources", "forms", "pencil", "evaluation", "datasets", "methods", "models", "questions", "report",
    "studio", "testing",
)  # fmt: skip
_AT_TOP = _SUBPACKAGES[:6]
"""Subpackages whose public names are also names of likewise, each after those it imports itself."""

if TYPE_CHECKING:
    from . import (
        clustering as clustering,
    )
    from . import (
        constraints as constraints,
    )
    from . import (
        datasets as datasets,
    )
    from . import (
        evaluation as evaluation,
    )
    from . import (
        forms as forms,
    )
    from . import (
        front as front,
    )
    from . import (
        graphs as graphs,
    )
    from . import (
        methods as methods,
    )
    from . import (
        metric as metric,
    )
    from . import (
        models as models,
    )
    from . import (
        pencil as pencil,
    )
    from . import (
        prepare as prepare,
    )
    from . import (
        projections as projections,
    )
    from . import (
        questions as questions,
    )
    from . import (
        report as report,
    )
    from . import (
        sources as sources,
    )
    from . import (
        studio as studio,
    )
    from . import (
        testing as testing,
    )
    from ._compare import compare as compare
    from .clustering import *
    from .constraints import *
    from .front import *
    from .metric import *
    from .prepare import *
    from .projections import *


def _public(package: ModuleType) -> dict[str, Any]:
    names = vars(package).items()
    return {name: value for name, value in names if not (name.startswith("_") or isinstance(value, ModuleType))}


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f".{name}", __name__)
    if name == "__all__":
        return sorted(["compare", *(key for home in _AT_TOP for key in _public(import_module(f".{home}", __name__)))])
    if name == "compare":
        return import_module(".methods", __name__).compare
    if not name.startswith("_"):
        for home in _AT_TOP:
            found = _public(import_module(f".{home}", __name__))
            if name in found:
                globals()[name] = found[name]
                return found[name]
    offer = "" if name.startswith("_") else import_module("._suggest", __name__).suggest(name, __dir__())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{offer}")


def __dir__() -> list[str]:
    return [*_SUBPACKAGES, *__getattr__("__all__"), "__version__"]
