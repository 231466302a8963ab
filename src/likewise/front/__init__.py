"""The front door: data and a few hints in, the clusters a person means out.

Here belongs what strings the other rooms together for someone who does not want to choose among them.
"""

from ._evidence import Suspect as Suspect
from ._graph_features import GraphFeatures as GraphFeatures
from ._likewise import Likewise as Likewise
from ._likewise import cluster as cluster
from ._report import ClusterReport as ClusterReport
from ._report import FamilyReport as FamilyReport
from ._report import Report as Report
