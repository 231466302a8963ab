"""Quadratic forms over the features, defined by weights between rows.

A :class:`Form` assigns a cost to every direction in feature space. This package has the class and its arithmetic, and
the forms that the methods are built from: Laplacians and degrees of graphs, scatter matrices, and ridges.
"""

from ._form import Form as Form
from ._kinds import between_scatter as between_scatter
from ._kinds import centroid_scatter as centroid_scatter
from ._kinds import degree as degree
from ._kinds import laplacian as laplacian
from ._kinds import relative_ridge as relative_ridge
from ._kinds import ridge as ridge
from ._kinds import total_scatter as total_scatter
from ._kinds import within_scatter as within_scatter
