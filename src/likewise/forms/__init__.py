"""What a direction costs: quadratic forms of the features, stated on the rows.

Here belong :class:`Form` with its arithmetic and the forms that papers are made of: graph forms (Laplacian, degree),
scatters, and ridges. Which form is pulled and which is pushed is for ``projections``.
"""

from .form import Form
from .graph import degree, laplacian
from .ridge import ridge
from .scatter import between_scatter, centroid_scatter, total_scatter, within_scatter

__all__ = [
    "Form",
    "between_scatter",
    "centroid_scatter",
    "degree",
    "laplacian",
    "ridge",
    "total_scatter",
    "within_scatter",
]
