"""Every method is in the table of estimators, and scikit-learn's own checks hold for all of them."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from estimators import CASES, PARTS
from likewise._methods import all_methods

CHECKED = [case.for_checks() for case in (CASES | PARTS).values() if case.tiny is not None]


def test_every_method_has_a_case():
    own = {method.name for method in all_methods() if method.build is None}
    assert {key.split()[0] for key in CASES} == own


def test_a_case_is_of_its_method():
    for method in all_methods():
        if isinstance(method.make, type):
            assert type(CASES[method.name].estimator) is method.make


def test_every_method_is_checked():
    chained = {
        "l-nc",
        "rl-nc",
        "rlc-nc",
        "glo-nc",
    }  # chains of the class that lo-nc and the plain chain are checked for
    assert {key.split()[0] for key, case in CASES.items() if case.tiny is not None} == {
        key.split()[0] for key in CASES
    } - chained


# the labels that checks pass have other numbers of classes than there are clusters
@pytest.mark.filterwarnings("ignore:y has .* classes:UserWarning")
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@pytest.mark.filterwarnings("ignore:the optimum keeps:UserWarning")
@parametrize_with_checks(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
