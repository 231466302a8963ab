"""The report in a real browser: the map draws, reacts, and fetches nothing."""

import base64
import io
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likewise import Constraints
from likewise.questions import Answers

DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
FRAMES = "new Promise(done => { let n = 3; const step = () => n-- ? requestAnimationFrame(step) : done(); step(); })"
TO_THE_MAP = "document.getElementById('map-part').scrollIntoView({behavior: 'instant'})"


@pytest.fixture
def look(browser, page):
    """Open the page on some device and in some colors, with the map in view."""
    contexts = []

    def opened(device=DESKTOP, scheme="light"):
        context = browser.new_context(**device, color_scheme=scheme, reduced_motion="reduce")
        contexts.append(context)
        seen = context.new_page()
        seen.requests, seen.errors = [], []
        seen.on("request", lambda request: seen.requests.append(request.url))
        seen.on("pageerror", lambda error: seen.errors.append(str(error)))
        seen.on("console", lambda message: seen.errors.append(message.text) if message.type == "error" else None)
        seen.goto(page.as_uri())
        seen.evaluate(TO_THE_MAP)
        seen.evaluate(FRAMES)
        return seen

    yield opened
    for context in contexts:
        context.close()


def canvas(seen):
    """The pixels of the map."""
    address = seen.evaluate("document.getElementById('map').toDataURL('image/png')")
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(address.split(",")[1]))).convert("RGB")).astype(int)


def drawn(pixels):
    """The share of pixels that are not the background."""
    return float((np.abs(pixels - pixels[0, 0]).sum(axis=2) > 30).mean())


def point(seen, number):
    """Where a point is on the page."""
    return seen.evaluate(
        """number => {
            const map = likewise.map, box = map.canvas.getBoundingClientRect(), [x, y] = map.screen(number);
            return [box.left + x / map.ratio, box.top + y / map.ratio];
        }""",
        number,
    )


def press(seen, selector):
    """Press a button wherever it is, without scrolling there."""
    seen.locator(selector).first.dispatch_event("click")
    seen.evaluate(FRAMES)


def tip(seen):
    return seen.locator("#tip").inner_text()


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_draws(look, device, scheme):
    seen = look(device, scheme)
    pixels = canvas(seen)
    assert 0.005 < drawn(pixels) < 0.6
    for color in seen.evaluate(f"likewise.map.data.colors.{scheme}.slice(0, 3)"):
        wanted = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)])
        assert (np.abs(pixels - wanted).sum(axis=2) < 60).sum() > 50, f"no dot is {color}"
    assert seen.errors == []


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_leaves_and_nothing_sticks_out(look, device, page):
    seen = look(device)
    press(seen, "#to-before")
    press(seen, "[data-show]")
    assert seen.requests[0] == page.as_uri()
    assert all(address.startswith("data:") for address in seen.requests[1:])
    assert seen.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert seen.title().startswith("Wines </script>"), "a text has run as a script"


def test_every_chapter_is_in_the_navigation(look):
    seen = look()
    links = seen.locator("nav a").evaluate_all("all => all.map(a => [a.getAttribute('href'), a.textContent])")
    chapters = seen.locator("main > section").evaluate_all(
        "all => all.map(section => [`#${section.id}`, section.querySelector('h2').textContent])"
    )
    assert links == chapters
    assert len(chapters) == 8


def test_hover_shows_the_row(look, wine):
    seen = look()
    labels = wine[3].labels_
    for number in (3, 100):
        press(seen, "#home")
        seen.mouse.move(*point(seen, number))
        seen.evaluate(FRAMES)
        shown = seen.evaluate("likewise.map.point")
        text = tip(seen)
        assert seen.locator("#tip").is_visible()
        np.testing.assert_allclose(point(seen, shown), point(seen, number), atol=3)
        assert f"wine <{shown}>" in text
        assert f"(cluster {labels[shown]})" in text
        assert f"{shown} </script>" in text
        assert "% certain; second choice: " in text
    seen.mouse.move(5, 5)
    assert seen.locator("#tip").is_hidden()


def test_drag_wheel_and_double_click(look):
    seen = look()
    x, y = point(seen, 3)
    box = seen.locator("#map").bounding_box()
    start = box["x"] + 60, box["y"] + 60
    seen.mouse.move(*start)
    seen.mouse.down()
    seen.mouse.move(start[0] + 80, start[1] + 40, steps=5)
    seen.mouse.up()
    np.testing.assert_allclose(point(seen, 3), [x + 80, y + 40], atol=1)
    scale = seen.evaluate("likewise.map.scale")
    seen.mouse.wheel(0, -300)
    seen.wait_for_function("scale => likewise.map.scale > 1.3 * scale", arg=scale)
    seen.mouse.dblclick(*start)
    seen.evaluate(FRAMES)
    np.testing.assert_allclose(point(seen, 3), [x, y], atol=1)


def test_pinch_and_tap(look):
    seen = look(PHONE)
    scale = seen.evaluate("likewise.map.scale")
    box = seen.locator("#map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    # playwright taps with one finger only
    fingers = seen.context.new_cdp_session(seen)

    def touch(kind, *gaps):
        points = [{"x": x + gap, "y": y} for gap in gaps]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", -20, 20)
    for gap in (30, 45, 60):
        touch("touchMove", -gap, gap)
    touch("touchEnd")
    seen.evaluate(FRAMES)
    assert 2 < seen.evaluate("likewise.map.scale") / scale < 4
    press(seen, "#home")
    seen.touchscreen.tap(*point(seen, 7))
    seen.evaluate(FRAMES)
    assert "(cluster" in tip(seen)


def test_before_and_after_differ(look):
    seen = look()
    after = canvas(seen)
    press(seen, "#to-before")
    assert seen.evaluate("likewise.map.share") == 0
    assert (canvas(seen) != after).any(axis=2).mean() > 0.01
    seen.locator("#between").fill("50")
    assert seen.evaluate("likewise.map.share") == 0.5
    seen.emulate_media(reduced_motion="no-preference")
    press(seen, "#to-after")
    assert seen.evaluate("likewise.map.share") < 1, "it moves there"
    seen.wait_for_function("() => likewise.map.share === 1")


def test_clusters_are_hidden_and_shown(look):
    seen = look()
    press(seen, "#none")
    for kind in ("broken", "suspects"):
        seen.locator(f"#show-{kind}").uncheck()
    seen.evaluate(FRAMES)
    assert drawn(canvas(seen)) == 0
    press(seen, ".legend .chip")
    one = drawn(canvas(seen))
    assert one > 0.001
    assert seen.locator(".legend .chip").first.get_attribute("aria-pressed") == "true"
    press(seen, "#all")
    assert drawn(canvas(seen)) > 1.5 * one


def test_only_lines_that_need_a_look_are_drawn_at_first(look):
    shown = look().evaluate("likewise.map.show")
    assert shown == {"broken": True, "suspects": True, "same": False, "different": False, "links": False}


@pytest.mark.parametrize("kind", ["broken", "same", "different", "suspects"])
def test_lines_are_toggled(look, kind):
    seen = look()
    seen.wait_for_function("() => !likewise.map.moving")  # while the map moves only some lines are drawn
    seen.evaluate(FRAMES)
    shown = seen.locator(f"#show-{kind}").is_checked()
    first = canvas(seen)
    press(seen, f"#show-{kind}")
    assert seen.evaluate(f"likewise.map.show.{kind}") is not shown
    assert (canvas(seen) != first).any(axis=2).sum() > 100


def test_colors_by_something_else(look, wine):
    seen = look()
    first = canvas(seen)
    names = {option.inner_text(): option.get_attribute("value") for option in seen.locator("#color option").all()}
    assert {"cluster without hints", "what hints moved", "certainty", "known class", "alcohol"} < set(names)
    for name, legend in (
        ("what hints moved", "moved by hints"),
        ("certainty", "40%"),
        ("known class", "Grignolino"),
        ("alcohol", "alcohol"),
    ):
        seen.locator("#color").select_option(names[name])
        seen.evaluate(FRAMES)
        assert (canvas(seen) != first).any(axis=2).sum() > 100, name
        assert legend in seen.locator("#scale").inner_text()
    seen.mouse.move(*point(seen, 3))
    seen.evaluate(FRAMES)
    row = seen.evaluate("likewise.map.point")
    assert f"alcohol: {wine[0]['alcohol'][row]:g}" in tip(seen)
    seen.locator("#color").select_option("cluster")
    assert seen.locator("#scale").is_hidden()


def cells(seen, column):
    """The cells of the table of rows in one column, on the page that is shown."""
    return seen.locator(f"#row-table tbody tr > :nth-child({column})").all_inner_texts()


def test_rows_are_searched_sorted_and_filtered(look, wine):
    seen = look()
    model = wine[3]
    certainties = [float(cell.rstrip("%")) for cell in cells(seen, 3)]
    assert certainties == sorted(certainties), "the most doubtful first"
    assert certainties[0] == round(100 * float(model.certainty_.min()))
    assert len(certainties) == 20
    assert seen.locator("#row-page").inner_text() == "1 of 9"
    press(seen, "#row-next")
    assert seen.locator("#row-page").inner_text() == "2 of 9"
    seen.locator("#row-query").fill("wine <17")
    assert seen.locator("#row-count").inner_text() == "9 of 178 rows."
    press(seen, "#row-table thead button")
    assert cells(seen, 1)[:3] == ["wine <17>", "wine <170>", "wine <171>"]
    press(seen, "#row-table thead button")
    assert cells(seen, 1)[0] == "wine <177>"
    seen.locator("#row-query").fill("")
    seen.locator("#row-which").select_option("doubt")
    assert seen.locator("#row-count").inner_text() == f"{int((model.certainty_ < 0.7).sum())} of 178 rows."
    seen.locator("#row-which").select_option("")
    seen.locator("#row-cluster").select_option("1")
    assert seen.locator("#row-count").inner_text() == f"{int((model.labels_ == 1).sum())} of 178 rows."
    assert seen.errors == []


def test_rows_are_downloaded_with_certainty_and_second_choice(look, wine):
    X, _, _, model = wine
    seen = look()
    with seen.expect_download() as download:
        press(seen, "#row-download")
    assert download.value.suggested_filename.endswith("-rows.csv")
    table = pd.read_csv(download.value.path()).set_index("id").loc[[f"wine <{row}>" for row in X.index]]
    assert table["cluster"].tolist() == model.labels_.tolist()
    np.testing.assert_allclose(table["certainty"], model.certainty_, atol=1e-4)
    assert table["second"].fillna(-1).astype(int).tolist() == model.second_labels_.tolist()
    np.testing.assert_allclose(table["proline"], X["proline"], rtol=1e-6)


def test_answers_become_a_file_of_hints(look, wine, tmp_path):
    seen = look()
    ids = [f"wine <{row}>" for row in wine[0].index]
    (row, first, second, *others), *_ = seen.evaluate("likewise.map.data.questions")
    assert seen.locator("#mark-bar").is_hidden()
    press(seen, "[data-answer='0,1']")
    press(seen, "[data-answer='0,0']")  # another answer takes the place of the first
    press(seen, "[data-answer='1,skip']")
    # two rows of the table
    names = cells(seen, 1)
    for place in (5, 6):  # which no question is about
        press(seen, f"#row-table tbody tr:nth-child({place}) button[aria-label]")
    assert f"{names[4]} and {names[5]} are" in seen.locator("#mark-bar").inner_text()
    seen.locator("#mark-bar button", has_text="different").click()
    # two rows of the map
    seen.evaluate(TO_THE_MAP)
    press(seen, "#home")
    seen.mouse.click(*point(seen, 3))
    chosen = [seen.evaluate("likewise.map.point")]
    seen.locator("#tip-mark").click()
    seen.mouse.click(*point(seen, 150))
    chosen.append(ids.index(seen.locator("#mark-bar span").inner_text().removeprefix(f"{ids[chosen[0]]} and ")[:-4]))
    seen.locator("#mark-bar button", has_text="the same").click()
    assert seen.locator("#marked li").count() == 4 + len(others)
    with seen.expect_download() as download:
        seen.locator("#mark-bar button", has_text="Download").click()
    assert download.value.suggested_filename == "hints.csv"
    download.value.save_as(tmp_path / "hints.csv")
    hints = Constraints.read(tmp_path / "hints.csv", ids=ids)
    assert Answers.read(tmp_path / "hints.csv", len(ids), ids=ids).n_screens == 3  # two questions and a marked pair
    marked = [tuple(sorted(ids.index(name) for name in names[4:6]))]
    assert sorted(map(tuple, hints.must_link.tolist())) == sorted([tuple(sorted((row, first))), tuple(sorted(chosen))])
    rejected = [tuple(sorted((row, other))) for other in (second, *others)]
    assert sorted(map(tuple, hints.cannot_link.tolist())) == sorted([*rejected, *marked])
    press(seen, "#marked li button")
    assert seen.locator("#marked li").count() == 3 + len(others)
    assert seen.errors == []


def test_a_row_may_belong_with_several_or_none(look, wine):
    seen = look()
    ids = [f"wine <{row}>" for row in wine[0].index]
    (row, *others), *_ = seen.evaluate("likewise.map.data.questions")
    chances = seen.evaluate("likewise.map.data.chances[0]")

    def said():
        lines = seen.evaluate("likewise.hintsFile()").strip().split("\n")
        assert lines[0] == "left,right,kind,chance,question"
        return lines[1:]

    def expected(*same):
        words = ["same" if place in same else "different" for place in range(len(others))]
        told = zip(others, words, chances, strict=True)
        return [f"{ids[row]},{ids[other]},{word},{chance:g},0" for other, word, chance in told]

    press(seen, "[data-answer='0,several']")
    for end in (0, 1):
        press(seen, f"[data-answer='0,{end}']")
    assert said() == expected(0, 1)
    press(seen, "[data-answer='0,0']")  # pressed again, it is taken back
    assert said() == expected(1)
    press(seen, "[data-answer='0,none']")
    assert said() == expected()
    press(seen, "[data-answer='0,0']")
    press(seen, "[data-answer='0,1']")  # one at a time again
    assert said() == expected(1)
    press(seen, "[data-answer='0,skip']")
    assert said() == []
    assert seen.errors == []


def test_the_map_is_saved_as_a_picture(look):
    seen = look()
    with seen.expect_download() as download:
        press(seen, "#save-png")
    with Image.open(download.value.path()) as picture:
        assert picture.size == tuple(seen.evaluate("[likewise.map.width, likewise.map.height]"))
    with seen.expect_download() as download:
        press(seen, "#save-svg")
    drawing = ElementTree.parse(download.value.path())
    spaces = {"svg": "http://www.w3.org/2000/svg"}
    assert len(drawing.findall(".//svg:circle", spaces)) == 178
    assert len(drawing.findall(".//svg:text", spaces)) == 3


def test_cards_fold_and_links_open_them(look):
    seen = look()
    assert seen.locator(".card[open]").count() == 3
    press(seen, "[data-fold='']")
    assert seen.locator(".card[open]").count() == 0
    press(seen, "a[href='#cluster-1']")
    assert seen.locator("#cluster-1").get_attribute("open") is not None


def test_code_is_copied(look):
    seen = look()
    seen.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(seen, "#repeat [data-copy]")
    seen.wait_for_function("() => document.querySelector('#repeat [data-copy]').textContent === 'Copied'")
    assert seen.evaluate("navigator.clipboard.readText()").startswith("likewise cluster wine.csv")


def test_a_row_is_found_by_its_name(look):
    seen = look()
    seen.locator("#find").fill("wine <17")
    assert seen.locator("#found button").count() == 6
    seen.locator("#find").fill("WINE <17>")
    press(seen, "#found button")
    assert seen.evaluate("likewise.map.point") == 17
    assert "wine <17>" in tip(seen)


def test_keys_move_the_map(look):
    seen = look()
    x, y = point(seen, 0)
    seen.evaluate("likewise.map.canvas.focus({preventScroll: true})")
    assert seen.evaluate("document.activeElement.id") == "map"
    for key in ("ArrowLeft", "ArrowUp"):
        seen.keyboard.press(key)
    np.testing.assert_allclose(point(seen, 0), [x + 40, y + 40], atol=1)
    seen.keyboard.press("+")
    assert seen.evaluate("likewise.map.scale > likewise.map.least")


def test_a_suspect_pair_is_shown_on_the_map(look):
    seen = look()
    press(seen, "[data-pair]")
    pair = seen.evaluate("likewise.map.pair")
    stated = seen.locator("[data-pair]").first.get_attribute("data-pair")
    assert pair[:2] == [int(number) for number in stated.split(",")]
    assert seen.evaluate("likewise.map.data.suspects[0]") == pair


def test_dark_pages_are_dark_and_paper_is_light(look):
    def brightness(seen):
        color = seen.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in color.strip("rgb()").split(",")) / 3

    assert brightness(look(scheme="light")) > 200
    dark = look(scheme="dark")
    assert brightness(dark) < 60
    assert canvas(dark)[0, 0].mean() < 60
    dark.emulate_media(media="print", color_scheme="dark")
    assert brightness(dark) > 200
    assert dark.locator(".still").is_visible()
    assert dark.locator(".map").is_hidden()
    assert dark.locator(".still").evaluate("image => image.naturalWidth") > 500


def test_without_scripts_words_and_a_picture_remain(browser, page):
    context = browser.new_context(java_script_enabled=False)
    seen = context.new_page()
    seen.goto(page.as_uri())
    assert seen.locator("html").get_attribute("class") is None, "no script has run"
    assert seen.locator(".still").is_visible()
    assert seen.locator(".map").is_hidden()
    words = seen.locator("body").inner_text()
    context.close()
    assert "said to be the same are together" in words
    assert "cluster 2" in words
    assert "most in doubt" in words
