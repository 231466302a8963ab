"""A paper's folder, read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from ..evaluation.protocols import Trial
from .claims import Claims, read_claims
from .results import Results


@dataclass(frozen=True)
class Study:
    """A paper: its claims, its trials, and how its figures are drawn.

    ``run.py`` in the folder has a function ``trials()`` that returns the trials without loading any data, and may have
    ``figures(results, folder)`` that draws pictures of what was measured.
    """

    folder: Path
    claims: Claims
    trials: dict[str, Trial]
    draw_figures: Callable[[Results, Path], Any] | None

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @staticmethod
    def read(folder: str | Path) -> Study:
        """Read a folder with ``claims.toml`` and ``run.py``."""
        folder = Path(folder)
        module = _load(folder / "run.py")
        trials: dict[str, Trial] = {}
        for trial in module.trials():
            if trial.name in trials:
                raise ValueError(f"{folder / 'run.py'} has two trials called {trial.name!r}. Rename one.")
            trials[trial.name] = trial
        return Study(folder, read_claims(folder / "claims.toml"), trials, getattr(module, "figures", None))

    def quick_cells(self) -> set[str]:
        """Measured cells of the short run."""
        return {claim.id for claim in self.claims if claim.quick and not claim.how}


def find_studies(folder: str | Path, name: str | None = None) -> list[Path]:
    """Folders below `folder` that hold a study, in order of name; one of them if `name` is given."""
    folder = Path(folder)
    found = sorted(path.parent for path in folder.glob("*/claims.toml"))
    if not found:
        raise FileNotFoundError(
            f"{folder} holds no study (a folder with claims.toml and run.py). Name the right folder with --folder."
        )
    if name is None:
        return found
    named = [path for path in found if path.name == name]
    if not named:
        raise ValueError(
            f"there is no study {name!r} in {folder}. There are: {', '.join(path.name for path in found)}."
        )
    return named


def _load(path: Path) -> ModuleType:
    name = f"likewise_study_{path.parent.name.replace('-', '_')}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.exists():
        raise FileNotFoundError(f"{path} is missing: a study needs it to know what to run.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    # Studies in one folder may share a module beside them.
    beside = str(path.resolve().parent.parent)
    if beside not in sys.path:
        sys.path.append(beside)
    spec.loader.exec_module(module)
    return module
