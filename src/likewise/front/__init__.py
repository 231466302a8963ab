"""The front door: data and a few hints in, the clusters a person means out.

Here belongs what strings the other rooms together for someone who does not want to choose among them.
"""

from .evidence import Suspect
from .graph_features import GraphFeatures
from .likewise import Likewise, cluster
from .report import ClusterReport, FamilyReport, Report

__all__ = ["ClusterReport", "FamilyReport", "GraphFeatures", "Likewise", "Report", "Suspect", "cluster"]
