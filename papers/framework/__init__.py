"""Published tables, run again: what a paper claims, what we measure, and whether they agree.

A *study* is a package with ``claims.toml`` (what is published), ``run.py`` (which trials fill the cells),
``results.csv`` (what they gave) and ``figures/``. Here belong reading claims, running what is missing, comparing, and
writing the report; trials, results and their file are :mod:`likewise.evaluation`.
"""

from .claims import Claim as Claim
from .claims import Claims as Claims
from .claims import read_claims as read_claims
from .columns import UNPUBLISHED as UNPUBLISHED
from .report import write_report as write_report
from .running import Failure as Failure
from .running import Plan as Plan
from .running import plan as plan
from .running import run as run
from .study import Study as Study
from .study import find_studies as find_studies
