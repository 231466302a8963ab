"""Constrained clustering: the k-means family, the spectral family, ensembles, and projecting first."""

from ._base import Clusterer as Clusterer
from ._networked import NetworkedDocuments as NetworkedDocuments
from ._project import ProjectThenCluster as ProjectThenCluster
from .agreement._hbgf import consensus_embedding as consensus_embedding
from .agreement._hbgf import hbgf as hbgf
from .agreement._subspaces import SubspaceMetricEnsemble as SubspaceMetricEnsemble
from .kmeans._coloring import PlacementError as PlacementError
from .kmeans._cop import COPKMeans as COPKMeans
from .kmeans._kernel import KernelKMeans as KernelKMeans
from .kmeans._kernel import SKKMeans as SKKMeans
from .kmeans._kernel import choose_delta as choose_delta
from .kmeans._pck import PCKMeans as PCKMeans
from .kmeans._spherical import SphericalKMeans as SphericalKMeans
from .kmeans.mpck._estimator import MPCKMeans as MPCKMeans
from .spectral._constrained_cut import ConstrainedNormalizedCut as ConstrainedNormalizedCut
from .spectral._normalized_cut import NormalizedCut as NormalizedCut
from .spectral._pipelines import ChainedClusterer as ChainedClusterer
from .spectral._pipelines import PropagatedAffinity as PropagatedAffinity
from .spectral._pipelines import glo_nc as glo_nc
from .spectral._pipelines import l_nc as l_nc
from .spectral._pipelines import lo_nc as lo_nc
from .spectral._pipelines import rl_nc as rl_nc
from .spectral._pipelines import rlc_nc as rlc_nc
from .spectral._propagation import propagate_globally as propagate_globally
from .spectral._propagation import propagate_locally as propagate_locally
