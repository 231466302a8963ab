"""The documentation, as far as it can be judged without building it: ``make docs`` does the rest."""

import ast
import json
import re
import shlex
import sys
from inspect import ismodule
from pathlib import Path

import click
import pytest

import likewise
from likewise._methods import all_methods
from likewise.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

from machinery import accuracy, api_pages, check_links, method_pages  # noqa: E402
from machinery.pictures import DATA, KINDS, draw  # noqa: E402

METHODS = method_pages.read(DOCS)["method"]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
WRITTEN = ("_build", "api", "extra", "figures", "gallery", "methods")
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.relative_to(DOCS).parts[0] not in WRITTEN)
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def test_every_method_has_a_page():
    shown = {method_pages.resolved(name) for entry in METHODS.values() for name in entry["objects"]}
    own = {method.make for method in all_methods() if method.make is not None}
    assert len(own) > 20
    assert own <= shown


def test_every_public_name_is_documented_somewhere():
    shown = {name.rpartition(".")[2] for method in METHODS.values() for name in method["objects"]}
    shown |= {name for package in api_pages.read(DOCS) for name in package["objects"]}
    public = {name for name in likewise.__all__ if not ismodule(getattr(likewise, name))}
    assert public <= shown, f"neither docs/methods.toml nor docs/api.toml has {sorted(public - shown)}"


def test_every_method_is_in_one_family():
    listed = [page for family in method_pages.read(DOCS)["family"] for page in family["methods"]]
    assert sorted(listed) == sorted(METHODS)


@pytest.mark.parametrize("page", [page for page, entry in METHODS.items() if "when" in entry])
def test_an_entry_says_all_that_its_page_needs(page):
    method = METHODS[page]
    documented = [method_pages.resolved(name) for name in (*method["objects"], *method.get("inside", ()))]
    texts = [method.get("mathematics", ""), *(thing.__doc__ for thing in documented)]
    assert any(".. math::" in text for text in texts), "a page has its mathematics: none in the docstrings, none here"
    for field in ("use", "needs", "paper", "when", "fails", "cost"):
        assert method[field].strip(), field
    assert set(method["see"]) <= set(METHODS) - {page}
    labels = re.findall(r"^\(([\w-]+)\)=$", (DOCS / "bibliography.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for work in method["paper"].split("; "):
        assert not re.search(r"\d{4}", work) or method_pages.citation_label(work) in labels, f"{work}: no such work"
    assert method["picture"]["shows"]
    assert method["picture"]["kind"] in KINDS
    assert method["picture"].get("data", "wine") in DATA
    ast.parse(method["picture"]["make"], mode="eval")
    for target in re.findall(r":doc:`([^`]+)`", method["when"] + method["fails"]):
        known = (DOCS / f"{target[1:]}.md").exists() if target.startswith("/") else target in METHODS
        assert known, f"{page} leads to {target}, which has no page"


def test_pages_say_how_methods_fared_in_the_comparison():
    row = accuracy.tables(ROOT)["Mean NMI, all rows"]["costco"]["100 pairs"]
    assert f"mean NMI {row} on" in METHODS["costco"]["accuracy"]
    assert "worse than k-means in" in METHODS["costco"]["accuracy"]
    assert METHODS["hbgf"].get("accuracy", "") == ""  # it takes labelings, and was not compared


def test_gallery_examples_are_listed_with_the_methods_they_use():
    assert "plot_projection" in [name for name, _ in METHODS["dsp"]["examples"]]
    assert "plot_projection" not in [name for name, _ in METHODS["cop"]["examples"]]


def test_the_version_is_the_same_everywhere():
    (only,) = json.loads((DOCS / "static" / "switcher.json").read_text(encoding="utf-8"))
    assert only["version"] == likewise.__version__
    assert f"version: {likewise.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version = {{{likewise.__version__}}}" in (DOCS / "cite.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["costco", "cop", "hbgf"])
def test_pictures_are_drawn_with_a_caption_that_tells_the_gain(page, tmp_path):
    caption = draw(METHODS[page]["picture"], tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    left, right = (float(score) for score in re.findall(r"(\d\.\d\d) on the", caption))
    assert left < right


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_a_title_and_end_in_a_picture(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    title, line, *_ = ast.get_docstring(tree).splitlines()
    assert set(line) == {"="}
    assert len(line) >= len(title)
    named = [target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets
             if isinstance(target, ast.Name)]  # fmt: skip
    assert "figure" in named, "the last block must leave its picture in the name figure"


def test_there_is_a_case_study_for_each_kind_of_data():
    assert {"table", "embeddings", "links", "genes", "images"} <= {page.stem for page in (DOCS / "cases").glob("*.md")}


@pages
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        path = (page.parent / target).resolve()
        if not path.is_relative_to(DOCS):
            assert path.exists(), target
            continue
        folder, name = path.relative_to(DOCS).parts[0], path.stem
        if folder == "methods":
            assert name in {*METHODS, "index"}, target
        elif folder == "gallery":
            assert name in {*(example.stem for example in EXAMPLES), "index"}, target
        elif folder == "api":
            assert path.name.removesuffix(".rst") in {*(package["module"] for package in api_pages.read(DOCS)), "index"}
        else:
            assert path.exists(), target


@pages
def test_pages_that_are_listed_exist_and_all_are_listed(page):
    for block in blocks(page, r"\{toctree\}"):
        for line in block.splitlines():
            target = line.strip().rpartition("<")[2].rstrip(">")
            if target and not target.startswith((":", "methods/", "gallery/", "api/")):
                assert (page.parent / f"{target}.md").exists(), target
    listed = {
        (other.parent / line.strip().rpartition("<")[2].rstrip(">")).resolve()
        for other in PAGES for block in blocks(other, r"\{toctree\}") for line in block.splitlines()
    }  # fmt: skip
    assert page.stem == "index" or page.with_suffix("").resolve() in listed, f"no page lists {page}"


@pages
def test_python_in_pages_can_be_read(page):
    for number, block in enumerate(blocks(page, "python")):
        ast.parse(block, filename=f"{page.name}, block {number}")


@pages
def test_commands_in_pages_exist(page):
    for block in blocks(page, "console"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:2] != ["$", "likewise"]:
                continue
            command = main
            for word in words[2:]:
                if word.startswith("--"):
                    known = {option for parameter in command.params for option in parameter.opts}
                    assert word in known | {"--help"}, f"{line}: there is no {word}"
                elif isinstance(command, click.Group):
                    command = command.get_command(click.Context(command), word)
                    assert command is not None, f"{line}: there is no command {word}"


@pages
def test_stored_output_is_that_of_the_examples_as_they_are(page):
    """A page that needs data which not everybody has shows what was stored: text and pictures of these examples."""
    text = page.read_text(encoding="utf-8")
    if not (data := re.match(r"---\ndata: (.+)\n---\n", text)):
        return
    name = page.relative_to(DOCS).with_suffix("").as_posix().replace("/", "-")
    stored = json.loads((DOCS / "stored" / f"{name}.json").read_text(encoding="utf-8"))
    remedy = f"build {page.name} with LIKEWISE_DATA ({data.group(1)}), and commit what that stores"
    assert [example["code"] for example in stored] == [block.strip() for block in blocks(page, "python")], remedy
    pictures = [picture for example in stored for picture in example["shown"]["figures"]]
    assert pictures, "a case study ends in a picture"
    assert all((DOCS / picture.lstrip("/")).exists() for picture in pictures), remedy


def test_links_inside_the_site_are_checked(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top">x</h1> <a href="folder/page.html#here"></a> <a href="#top"></a> <a href="https://x.org/y"></a>'
        '<a href="folder/page.html#lost"></a> <img src="lost.png"> <a href="#nowhere"></a>'
    )
    (tmp_path / "folder" / "page.html").write_text('<p id="here"><a href="../index.html">back</a></p>')
    broken = ["folder/page.html#lost", "lost.png", "#nowhere"]
    assert check_links.broken_links(tmp_path) == [f"index.html: {address}" for address in broken]


def test_what_a_page_runs_is_shown_and_what_fails_is_told(tmp_path):
    pytest.importorskip("sphinx", reason="make docs installs it")
    from machinery.running import ExampleError, Page

    page = Page("deep/page", tmp_path, tmp_path)
    assert page.python("number = 6 * 7\nprint(number)").text == "42\n"
    assert page.python("number += 1").nodes() == []
    page.python("from matplotlib.figure import Figure")
    (picture,) = page.python("drawing = Figure()").figures
    assert (tmp_path / picture.lstrip("/")).exists()
    (report,) = page.python("from pathlib import Path\nPath('wines.html').write_text('a report')").reports
    assert report == "../reports/deep-page-wines.html"
    assert (tmp_path / "extra" / "reports" / "deep-page-wines.html").exists()
    with pytest.raises(ExampleError, match="ZeroDivisionError"):
        page.python("1 / 0")
    with pytest.raises(ExampleError, match="UserWarning: careful"):
        page.python("import warnings\nwarnings.warn('careful')")
    shown = page.console("$ echo not run\n$ likewise --version  # a comment\n")
    assert likewise.__version__ in shown.text
    with pytest.raises(ExampleError, match="nothing-such"):
        page.console("$ likewise cluster nothing-such.csv")
