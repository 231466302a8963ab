"""scikit-learn's own checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import likewise as lw

PROJECTIONS = [
    lw.ASP(),
    lw.ASP(basis="qr", singletons="none"),
    lw.SCREEN(),
    lw.Costco(),
    lw.DSP(n_neighbors=2),
    lw.GCDR(n_neighbors=2),
    lw.SSDR(),
    lw.LPP(n_neighbors=2),
    lw.SLPP(),
    lw.LPPSI(n_neighbors=2),
    lw.LPPSI(n_neighbors=2, kernel="rbf"),
    lw.RCA(),
    lw.DCA(),
]


@parametrize_with_checks(PROJECTIONS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
