"""Likewise: clusters from data and a few hints, with nothing to choose, and the graph features it uses."""

from ._certainty import Assignment as Assignment
from ._evidence import Suspect as Suspect
from ._graph_features import GraphFeatures as GraphFeatures
from ._likewise import Likewise as Likewise
from ._likewise import cluster as cluster
from ._report import ClusterReport as ClusterReport
from ._report import FamilyReport as FamilyReport
from ._report import Report as Report
from ._suspects import Suspects as Suspects
