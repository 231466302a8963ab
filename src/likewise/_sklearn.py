"""The only module that imports private names of scikit-learn, so that new releases can be supported here."""

from numbers import Integral

from sklearn.base import _fit_context as _fit_context
from sklearn.utils._array_api import _max_precision_float_dtype as _max_precision_float_dtype
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as _openmp_effective_n_threads
from sklearn.utils._param_validation import HasMethods as HasMethods
from sklearn.utils._param_validation import Interval as Interval
from sklearn.utils._param_validation import RealNotInt as RealNotInt
from sklearn.utils._param_validation import StrOptions as StrOptions
from sklearn.utils._param_validation import make_constraint as make_constraint
from sklearn.utils._set_output import _get_output_config as _get_output_config
from sklearn.utils.validation import _check_feature_names_in as _check_feature_names_in
from sklearn.utils.validation import _check_sample_weight as _check_sample_weight

POSITIVE_INT = Interval(Integral, 1, None, closed="left")
"""Valid values of a parameter that is a positive integer."""
