"""One paper: what it claims, and the trials that measure it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from likewise.evaluation import Results
from likewise.evaluation.protocols import Trial

from .claims import Claims, read_claims


@dataclass(frozen=True)
class Study:
    """A paper: its claims, its trials, and how its figures are drawn.

    Its package has ``claims.toml`` and a module ``run`` with a function ``trials()`` that returns the trials without
    loading any data; ``figures(results, folder)`` in that module is optional and draws what was measured.
    """

    package: str
    folder: Path
    claims: Claims
    trials: dict[str, Trial]
    draw_figures: Callable[[Results, Path], Any] | None

    @property
    def name(self) -> str:
        """The last part of the package's name."""
        return self.package.rpartition(".")[2]

    @staticmethod
    def load(package: str) -> Study:
        """Import a study by the name of its package, such as ``"papers.gcdr"``."""
        folder = Path(next(iter(import_module(package).__path__)))
        module = import_module(f"{package}.run")
        trials: dict[str, Trial] = {}
        for trial in module.trials():
            if trial.name in trials:
                raise ValueError(f"{package}.run has two trials called {trial.name!r}. Rename one.")
            trials[trial.name] = trial
        claims = read_claims(folder / "claims.toml")
        return Study(package, folder, claims, trials, getattr(module, "figures", None))

    def quick_cells(self) -> set[str]:
        """Measured cells of the short run."""
        return {claim.id for claim in self.claims if claim.quick and not claim.how}


def find_studies(package: str, name: str | None = None) -> list[str]:
    """The studies in a package, by name of their own package and in order; one of them if `name` is given."""
    folder = Path(next(iter(import_module(package).__path__)))
    names = sorted(path.parent.name for path in folder.glob("*/claims.toml"))
    if name is not None and name not in names:
        raise ValueError(f"there is no study {name!r} in {folder}. There are: {', '.join(names)}.")
    return [f"{package}.{found}" for found in names if name in (None, found)]
