"""What a direction costs: quadratic forms of the features, stated on the rows.

Here belong :class:`Form` with its arithmetic and the forms that papers are made of: graph forms (Laplacian, degree),
scatters, and ridges. Which form is pulled and which is pushed is for ``projections``.
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
