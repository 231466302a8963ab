"""The estimator Likewise, which clusters data with the help of a few hints, and its graph features."""

from ._certainty import Assignment as Assignment
from ._evidence import Suspect as Suspect
from ._graph_features import GraphFeatures as GraphFeatures
from ._likewise import Likewise as Likewise
from ._likewise import cluster as cluster
from ._report import ClusterReport as ClusterReport
from ._report import FamilyReport as FamilyReport
from ._report import Report as Report
from ._suspects import Suspects as Suspects
