"""Small fitted models and their pages."""

import pytest
from sklearn.datasets import load_wine

from likewise import Constraints, Likewise
from likewise.report import write_report


@pytest.fixture(scope="session")
def hostile():
    """A text that breaks a careless page."""
    return '</script><script>document.title="broken"</script><b>bold</b> & "quoted" \u2028.'


@pytest.fixture(scope="session")
def wine():
    """Wines, hints of which some are wrong, and a model fitted with them."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    constraints = Constraints.sample(y, "random_pairs", 80, error_rate=0.1, random_state=0)
    return X, y, constraints, Likewise(3, random_state=0).fit(X, constraints=constraints)


@pytest.fixture(scope="session")
def page(wine, hostile, tmp_path_factory):
    """The report on the wines, with texts that would break a careless page."""
    X, y, constraints, model = wine
    return write_report(
        tmp_path_factory.mktemp("report") / "wine.html",
        model,
        X,
        constraints=constraints,
        ids=[f"wine <{row}>" for row in range(len(X))],
        texts=[f"{row} {hostile}" for row in range(len(X))],
        classes=[["Barolo", "Grignolino", "Barbera"][code] for code in y],
        title=f"Wines {hostile}",
        preprocessing=hostile,
        command=f"likewise cluster wine.csv {hostile}",
        seed=0,
    )
