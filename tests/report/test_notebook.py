"""What a notebook shows: hints, suspects, fitted models, the whole report, and progress."""

import pickle
import sys
from time import monotonic, sleep
from types import ModuleType, SimpleNamespace

import pytest

from likewise import Constraints, Likewise, Partition, PCKMeans, Suspect, Suspects, _frames, _progress_bar
from likewise._progress import stage, track
from likewise._progress_bar import progress_bar

SUSPECTS = Suspects(Suspect((row, row + 1), "must-link", 0.9 - row / 100, 0.1) for row in range(30))


def wait_for(done):
    """Let another thread or process do its work."""
    end = monotonic() + 120
    while not done() and monotonic() < end:
        sleep(0.01)


def test_hints_show_as_a_table():
    groups = Partition([0, 0, 1, -1], different_across=True)
    shown = Constraints(4, must_link=[(0, 1)], cannot_link=[(0, 2), (0, 3)], partitions=[groups])._repr_html_()
    assert shown.startswith("<table>")
    cells = {"rows": "4, of which 4 are in hints", "must-links": "1: 0–1", "cannot-links": "2: 0–2, 0–3"}
    for name, value in cells.items():
        assert f"<th>{name}</th><td>{value}</td>" in shown
    assert "3 labels of 2 classes (3 pairs)" in shown


def test_names_of_labels_and_weights_are_shown_and_escaped():
    labels = Constraints.from_labels(["<b>", "dog", "", "<b>"])
    assert "&lt;b&gt; (2), dog (1)" in labels._repr_html_()
    pairs = Constraints(9, [(0, row) for row in range(1, 8)], must_weight=0.5)
    assert "7: 0–1 (weight 0.5), " in pairs._repr_html_()
    assert "…" in pairs._repr_html_()


def test_suspects_show_as_a_table():
    assert len(SUSPECTS) == 30
    assert isinstance(SUSPECTS, tuple)
    assert SUSPECTS[0].rows == (0, 1)
    few = SUSPECTS[:2]
    assert repr(few).splitlines() == [
        "kind       rows  likely wrong  put together",
        "must-link  0, 1           90%           10%",
        "must-link  1, 2           89%           10%",
    ]
    assert few._repr_html_().count("<tr>") == 3
    assert "10 more, less likely wrong" in SUSPECTS._repr_html_()
    assert repr(Suspects()) == "no hints"
    assert pickle.loads(pickle.dumps(few)) == few


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_suspects_as_a_frame(backend):
    frame = SUSPECTS.to_frame(ids=[f"r{row}" for row in range(31)], backend=backend)
    assert type(frame).__module__.startswith(backend)
    assert list(frame.columns) == ["left", "right", "kind", "wrong", "together"]
    assert frame["right"][29] == "r30"


def test_reports_and_fitted_models_show(wine):
    _, _, hints, model = wine
    assert "hints kept" in model.report_._repr_html_()
    assert "hints kept" in model._repr_html_()
    assert f"{len(hints.must_link)} must-links" in model.report_._repr_html_()
    assert "likely wrong" in model.suspects_[:3]._repr_html_()


@pytest.mark.parametrize("fitted", [False, True])
def test_any_model_shows(wine, fitted):
    X, _, hints, _ = wine
    model = PCKMeans(3, random_state=0)
    if fitted:
        model.fit(X, constraints=hints)
    assert "PCKMeans" in model._repr_html_()


def test_the_report_shows_in_a_frame(wine, browser):
    X, _, _, model = wine
    shown = model.show_report(X, height=500, title="Wines")
    assert repr(shown) == "ReportPage(height=500)"
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_content(f"<h1>A notebook</h1>{shown._repr_html_()}")
    frame = page.wait_for_selector("iframe").content_frame()
    frame.wait_for_selector("#map")
    assert "Wines" in frame.text_content("h1")
    frame.click("nav a[href='#hints']")
    wait_for(lambda: frame.evaluate("scrollY") > 200)
    assert frame.evaluate("scrollY") > 200
    assert frame.evaluate("location.href").startswith("about:srcdoc")  # a link inside the page stays in it
    with page.expect_download() as download:
        frame.click("#save-svg")
    assert download.value.suggested_filename == "Wines-map.svg"
    assert errors == []
    page.close()


def test_a_model_writes_its_report(wine, tmp_path):
    X, _, _, model = wine
    assert "Irises" not in model.write_report(tmp_path / "a.html", X).read_text()
    assert "proline" in model.write_report(tmp_path / "b.html").read_text()  # it has kept its rows, and their columns
    other = PCKMeans(3, random_state=0).fit(X)
    assert other.write_report(tmp_path / "c.html", X, title="Of PCK").stat().st_size > 10_000
    with pytest.raises(ValueError, match=r"has not kept the 178 rows of fit.*write_report\(path, X\)"):
        other.show_report()


@pytest.fixture
def notebook(monkeypatch):
    """What IPython looks like from inside a notebook, and what was displayed there."""
    shown = []

    class Handle:
        def update(self, data, raw):
            shown.append(data["text/html"])

    def display(data, *, raw, display_id):
        assert raw
        assert display_id
        shown.append(data["text/html"])
        return Handle()

    ipython, ipython_display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())
    ipython_display.display = display
    ipython.display = ipython_display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython_display)
    monkeypatch.setattr(_progress_bar, "DELAY_S", 0.05)
    monkeypatch.setattr(_progress_bar, "NOTEBOOK_S", 0.02)
    return shown


def test_progress_shows_in_a_notebook_and_goes(notebook):
    with progress_bar("clustering"), stage("a < b"):
        for _ in track(range(3)):
            wait_for(lambda: any('max="3" value="0"' in html for html in notebook))
    assert 'max="3" value="0"' in "".join(notebook)
    assert "clustering: a &lt; b" in notebook[0]
    assert notebook[-1] == ""


def test_what_is_quick_or_not_verbose_shows_nothing_in_a_notebook(notebook, monkeypatch):
    monkeypatch.setattr(_progress_bar, "DELAY_S", 60.0)
    with progress_bar("clustering"):
        pass
    with progress_bar("clustering", visible=False):
        assert notebook == []
    ipython = sys.modules["IPython"]
    ipython.get_ipython = lambda: SimpleNamespace()  # a terminal
    assert _progress_bar._notebook() is None
    ipython.get_ipython = lambda: None
    assert _progress_bar._notebook() is None


CELLS = [
    """
import time
from sklearn.datasets import load_wine
import likewise
from likewise._progress import track
from likewise._progress_bar import progress_bar
X, y = load_wine(return_X_y=True, as_frame=True)
hints = likewise.Constraints.sample(y, "random_pairs", 60, random_state=0)
hints
""",
    """
with progress_bar("waiting"):
    for _ in track(range(4)):
        time.sleep(0.4)
""",
    "model = likewise.Likewise(3, random_state=0, verbose=False).fit(X, hints)\nmodel.suspects_[:3]",
    "model.show_report(X)",
]


def test_a_notebook_runs():
    """Cells in a kernel of its own, as Jupyter runs them."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: no notebook was run")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: no notebook was run")
    from nbformat.v4 import new_code_cell, new_notebook

    notebook = new_notebook(cells=[new_code_cell(cell) for cell in CELLS])
    updates = []

    class Client(nbclient.NotebookClient):
        def process_message(self, message, cell, index):
            if message["msg_type"] == "update_display_data":
                updates.append(message["content"]["data"]["text/html"])
            return super().process_message(message, cell, index)

    Client(notebook, timeout=120, kernel_name="python3").execute()
    hints, bar, suspects, report = ([output["data"] for output in cell.outputs] for cell in notebook.cells)
    assert hints[0]["text/html"].startswith("<table>")
    assert "max=&quot;4&quot;" in "".join(updates) or 'max="4"' in "".join(updates)
    assert bar[0]["text/html"] == ""
    assert "likely wrong" in suspects[0]["text/html"]
    assert report[0]["text/html"].startswith("<iframe srcdoc=")


def test_a_saved_model_is_loaded_by_its_class(wine, tmp_path):
    X, _, _, model = wine
    path = model.save(tmp_path / "wine.likewise")
    again = Likewise.load(path)
    assert again.predict(X).tolist() == model.labels_.tolist()
    assert again.to_frame(backend="pandas").equals(model.to_frame(backend="pandas"))
    with pytest.raises(AttributeError, match="report_ is not saved in the file"):
        _ = again.report_
    with pytest.raises(ValueError, match=r"holds a Likewise, not a PCKMeans\. Read it with Likewise\.load"):
        PCKMeans.load(path)


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_rows_and_clusters_as_frames(wine, backend):
    _, _, _, model = wine
    rows = model.to_frame(ids=[f"w{row}" for row in range(178)], backend=backend)
    assert type(rows).__module__.startswith(backend)
    assert rows["id"][177] == "w177"
    assert rows["cluster"].to_list() == model.labels_.tolist()
    assert rows["certainty"].to_list() == model.certainty_.tolist()
    clusters = model.report_.to_frame(backend=backend)
    assert sum(clusters["rows"]) == 178
    assert "proline" in " ".join(clusters["features"])
    with pytest.raises(ValueError, match="ids has 2 entries, but there are 178 rows"):
        model.to_frame(ids=["a", "b"])
    with pytest.raises(ValueError, match=r"backend='numpy' is not known\. Use one of 'pandas'"):
        model.to_frame(backend="numpy")


def test_a_frame_needs_a_package(monkeypatch):
    monkeypatch.setattr(_frames, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="needs polars, which this Python does not have"):
        SUSPECTS.to_frame(backend="polars")
