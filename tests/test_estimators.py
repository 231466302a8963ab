"""Every method is in the table of estimators, and scikit-learn's own checks hold for all of them."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import likewise as lw
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


def _where_weights_differ_from_copies(estimator):
    """These checks repeat the label of a row with it, which makes more hints; and starts are drawn, as in KMeans."""
    names = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
    exact = (lw.SCREEN, lw.DCA, lw.COPKMeans)
    return {} if isinstance(estimator, exact) else dict.fromkeys(names, "hints count as often as they are stated")


@pytest.fixture(autouse=True)
def _array_api(monkeypatch):
    """scikit-learn's checks of arrays of other libraries are run where this is set."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


# the labels that checks pass have other numbers of classes than there are clusters
@pytest.mark.filterwarnings("ignore:y has .* classes:UserWarning")
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@pytest.mark.filterwarnings("ignore:the optimum keeps:UserWarning")
@pytest.mark.filterwarnings("ignore:the labels name:UserWarning")
@parametrize_with_checks(CHECKED, expected_failed_checks=_where_weights_differ_from_copies)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
