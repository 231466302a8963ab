"""Clusterings that heed hints: the k-means family, the spectral family, ensembles, and projecting first."""

from .consensus import consensus_embedding, hbgf
from .constrained_cut import ConstrainedNormalizedCut
from .cop import COPKMeans
from .ensemble import SubspaceMetricEnsemble
from .kernel import KernelKMeans, SKKMeans
from .mpck import MPCKMeans
from .networked import NetworkedDocuments
from .normalized_cut import NormalizedCut
from .pck import PCKMeans
from .placing import PlacementError
from .project import ProjectThenCluster
from .propagation import propagate_globally, propagate_locally
from .recipes import ChainedClusterer, PropagatedAffinity, glo_nc, l_nc, lo_nc, rl_nc, rlc_nc
from .spherical import SphericalKMeans
from .widths import choose_delta

__all__ = [
    "COPKMeans",
    "ChainedClusterer",
    "ConstrainedNormalizedCut",
    "KernelKMeans",
    "MPCKMeans",
    "NetworkedDocuments",
    "NormalizedCut",
    "PCKMeans",
    "PlacementError",
    "ProjectThenCluster",
    "PropagatedAffinity",
    "SKKMeans",
    "SphericalKMeans",
    "SubspaceMetricEnsemble",
    "choose_delta",
    "consensus_embedding",
    "glo_nc",
    "hbgf",
    "l_nc",
    "lo_nc",
    "propagate_globally",
    "propagate_locally",
    "rl_nc",
    "rlc_nc",
]
