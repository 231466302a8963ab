"""What is known of each method, how to build one by its name, and how to add your own.

>>> from likewise.methods import method_named
>>> costco = method_named("costco")
>>> costco.needs_words, costco.reduces, costco.places_new_rows
('must-links', True, True)
>>> print(costco.prefer)
wide data and text; uses all rows, survives wrong links

A method of your own is a subclass of :class:`likewise.projections.Projection` or of
:class:`likewise.clustering.Clusterer` with a ``_method``; :func:`register` adds it to ``likewise methods``,
comparisons and model files. A clusterer that places new rows also says what a model file keeps of it: ``_saved``.
"""

from ._compare import compare as compare
from ._method import Cost as Cost
from ._method import Method as Method
from ._method import MethodKind as MethodKind
from ._method import Needs as Needs
from ._methods import all_methods as all_methods
from ._methods import clusterer as clusterer
from ._methods import method_named as method_named
from ._methods import reducer as reducer
from ._methods import register as register
from ._saved import Saved as Saved
from ._sklearn import Interval as Interval
from ._sklearn import StrOptions as StrOptions
