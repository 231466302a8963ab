"""Small fitted models, their pages, and a browser to look at them."""

import pytest
from sklearn.datasets import load_wine

from likewise import Constraints, Likewise
from likewise.report import write_report
from report.browser import CHROMIUM, Browser


@pytest.fixture(scope="session")
def hostile():
    """A text that breaks a careless page."""
    return '</script><script>document.title="broken"</script><b>bold</b> & "quoted" \u2028.'


@pytest.fixture(scope="session")
def wine():
    """Wines, hints of which some are wrong, and a model that was told them."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    hints = Constraints.sample(y, "random_pairs", 80, error_rate=0.1, random_state=0)
    return X, y, hints, Likewise(3, random_state=0).fit(X, constraints=hints)


@pytest.fixture(scope="session")
def page(wine, hostile, tmp_path_factory):
    """The report on the wines, with texts that would break a careless page."""
    X, _, hints, model = wine
    return write_report(
        tmp_path_factory.mktemp("report") / "wine.html",
        model,
        X,
        hints=hints,
        ids=[f"wine <{row}>" for row in range(len(X))],
        texts=[f"{row} {hostile}" for row in range(len(X))],
        title=f"Wines {hostile}",
        recipe=hostile,
        command=f"likewise cluster wine.csv {hostile}",
        seed=0,
    )


@pytest.fixture(scope="session")
def browser():
    """A browser; tests that need one are skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: the report was not looked at in a browser (apt-get install chromium)")
    opened = Browser()
    yield opened
    opened.close()
