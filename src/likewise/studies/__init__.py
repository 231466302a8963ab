"""Published tables, run again: what a paper claims, what we measure, and whether they agree.

A *study* is a folder: ``claims.toml`` (what is published), ``run.py`` (which trials fill the cells), ``results.csv``
(what they gave) and ``figures/``. Here belong reading claims, running what is missing, judging, and writing the
report; the trials themselves are :mod:`likewise.evaluation.protocols`, and every paper is a folder of its own.
"""

from .claims import Claim, Claims
from .ledger import Ledger
from .methods import METHODS
from .results import Results
from .running import Plan, plan, run
from .study import Study, find_studies
from .writing import write_report

__all__ = [
    "METHODS",
    "Claim",
    "Claims",
    "Ledger",
    "Plan",
    "Results",
    "Study",
    "find_studies",
    "plan",
    "run",
    "write_report",
]
