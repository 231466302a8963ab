"""The report in a real browser: the map draws, answers, and asks nobody."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

DESKTOP, PHONE = (1280, 900), (390, 844)
TO_THE_MAP = "document.getElementById('map-part').scrollIntoView({behavior: 'instant'})"


@pytest.fixture
def look(browser, page):
    """Open the page at some width and in some colors, with the map in view."""

    def opened(size=DESKTOP, scheme="light", **media):
        browser.size(*size, phone=size is PHONE, scale=2 if size is PHONE else 1)
        browser.media(scheme=scheme, **media)
        browser.open(page)
        browser.ask(TO_THE_MAP)
        browser.frames()
        return browser

    return opened


def canvas(browser):
    """The pixels of the map."""
    address = browser.ask("document.getElementById('map').toDataURL('image/png')")
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(address.split(",")[1]))).convert("RGB")).astype(int)


def drawn(pixels):
    """The share of pixels that are not the background."""
    return float((np.abs(pixels - pixels[0, 0]).sum(axis=2) > 30).mean())


def point(browser, number):
    """Where a point is on the page."""
    return browser.ask(
        f"(() => {{ const map = likewise.map, box = map.canvas.getBoundingClientRect(), [x, y] = map.screen({number});"
        " return [box.left + x / map.ratio, box.top + y / map.ratio]; })()"
    )


def pressed(browser, selector):
    browser.ask(f"document.querySelector({selector!r}).click()")
    browser.frames()


def chosen(browser, name, value, event):
    box = f"document.getElementById({name!r})"
    browser.ask(f"(box => {{ box.value = {value!r}; box.dispatchEvent(new Event({event!r})); }})({box})")
    browser.frames()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_draws(look, size, scheme):
    seen = look(size, scheme)
    pixels = canvas(seen)
    assert 0.005 < drawn(pixels) < 0.6
    colors = seen.ask(f"likewise.map.data.colors.{scheme}.slice(0, 3)")
    for color in colors:
        wanted = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)])
        assert (np.abs(pixels - wanted).sum(axis=2) < 60).sum() > 50, f"no dot is {color}"
    assert seen.complaints == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_leaves_and_nothing_sticks_out(look, size, page):
    seen = look(size)
    pressed(seen, "#to-before")
    pressed(seen, "[data-show]")
    assert seen.requests[0] == page.as_uri()
    assert all(address.startswith("data:") for address in seen.requests[1:])
    assert seen.ask("document.documentElement.scrollWidth <= innerWidth")
    assert seen.ask("document.title").startswith("Wines </script>"), "a text has run as a script"


def test_hover_shows_the_row(look, wine):
    seen = look()
    labels = wine[3].labels_
    for number in (3, 100):
        pressed(seen, "#home")
        seen.mouse("mouseMoved", *point(seen, number))
        seen.frames()
        shown = seen.ask("likewise.map.point")
        said = seen.ask("document.getElementById('tip').innerText")
        assert seen.ask("document.getElementById('tip').hidden") is False
        np.testing.assert_allclose(point(seen, shown), point(seen, number), atol=3)
        assert f"wine <{shown}>" in said
        assert f"Cluster {labels[shown]}" in said
        assert f"{shown} </script>" in said
        assert "of the clusterings agree" in said
    seen.mouse("mouseMoved", 5, 5)
    assert seen.ask("document.getElementById('tip').hidden") is True


def test_drag_wheel_and_double_click(look):
    seen = look()
    x, y = point(seen, 3)
    box = seen.ask("(() => { const b = likewise.map.canvas.getBoundingClientRect(); return [b.left, b.top]; })()")
    start = [box[0] + 60, box[1] + 60]
    seen.drag(start, [start[0] + 80, start[1] + 40])
    np.testing.assert_allclose(point(seen, 3), [x + 80, y + 40], atol=1)
    scale = seen.ask("likewise.map.scale")
    seen.mouse("mouseWheel", *start, deltaX=0, deltaY=-300)
    seen.frames()
    assert seen.ask("likewise.map.scale") > 1.3 * scale
    for count in (1, 2):
        seen.click(*start, count)
    seen.frames()
    np.testing.assert_allclose(point(seen, 3), [x, y], atol=1)


def test_pinch_and_tap(look):
    seen = look(PHONE)
    scale = seen.ask("likewise.map.scale")
    left, top, wide, tall = seen.ask(
        "(({left, top, width, height}) => [left, top, width, height])(likewise.map.canvas.getBoundingClientRect())"
    )
    x, y = left + wide / 2, top + tall / 2
    seen.touch("touchStart", (x - 20, y), (x + 20, y))
    for gap in (30, 45, 60):
        seen.touch("touchMove", (x - gap, y), (x + gap, y))
    seen.touch("touchEnd")
    seen.frames()
    assert 2 < seen.ask("likewise.map.scale") / scale < 4
    pressed(seen, "#home")
    at = point(seen, 7)
    seen.touch("touchStart", at)
    seen.touch("touchEnd")
    seen.frames()
    assert "Cluster" in seen.ask("document.getElementById('tip').innerText")


def test_before_and_after_differ(look):
    seen = look()
    after = canvas(seen)
    pressed(seen, "#to-before")
    assert seen.ask("likewise.map.share") == 0
    assert (canvas(seen) != after).any(axis=2).mean() > 0.01
    chosen(seen, "between", "50", "input")
    assert seen.ask("likewise.map.share") == 0.5
    seen.media(motion="no-preference")
    seen.ask("document.getElementById('to-after').click()")
    seen.ask("new Promise(done => setTimeout(done, 1100))")
    assert seen.ask("likewise.map.share") == 1


def test_clusters_are_hidden_and_shown(look):
    seen = look()
    pressed(seen, "#none")
    for kind in ("same", "different", "suspects"):
        assert seen.ask(
            f"(() => {{ const box = document.getElementById('show-{kind}'); box.checked && box.click(); return 1; }})()"
        )
    seen.frames()
    assert drawn(canvas(seen)) == 0
    pressed(seen, ".legend .chip")
    one = drawn(canvas(seen))
    assert one > 0.001
    assert seen.ask("document.querySelector('.legend .chip').getAttribute('aria-pressed')") == "true"
    pressed(seen, "#all")
    assert drawn(canvas(seen)) > 1.5 * one


@pytest.mark.parametrize("kind", ["same", "different", "suspects"])
def test_lines_are_toggled(look, kind):
    seen = look()
    seen.ask("new Promise(done => setTimeout(done, 250))")  # while the map moves only some lines are drawn
    shown = seen.ask(f"document.getElementById('show-{kind}').checked")
    first = canvas(seen)
    pressed(seen, f"#show-{kind}")
    assert seen.ask(f"likewise.map.show.{kind}") is not shown
    assert (canvas(seen) != first).any(axis=2).sum() > 100


@pytest.mark.parametrize("by", ["without", "doubt"])
def test_colors_by_something_else(look, by):
    seen = look()
    first = canvas(seen)
    chosen(seen, "color", by, "change")
    seen.frames()
    changed = (canvas(seen) != first).any(axis=2).sum()
    moved = seen.ask("likewise.map.without.some((c, i) => c !== likewise.map.cluster[i])")
    assert changed > 100 if by == "doubt" or moved else changed == 0


def test_a_row_is_found_by_its_name(look):
    seen = look()
    chosen(seen, "find", "wine <17", "input")
    assert seen.ask("document.querySelectorAll('#found button').length") == 6
    chosen(seen, "find", "WINE <17>", "input")
    pressed(seen, "#found button")
    assert seen.ask("likewise.map.point") == 17
    assert "wine <17>" in seen.ask("document.getElementById('tip').innerText")


def test_keys_move_the_map(look):
    seen = look()
    x, y = point(seen, 0)
    seen.ask("likewise.map.canvas.focus({preventScroll: true})")
    assert seen.ask("document.activeElement.id") == "map"
    for key in ("ArrowLeft", "ArrowUp"):
        seen.call("Input.dispatchKeyEvent", type="keyDown", key=key)
    np.testing.assert_allclose(point(seen, 0), [x + 40, y + 40], atol=1)
    seen.call("Input.dispatchKeyEvent", type="keyDown", key="+", text="+")
    assert seen.ask("likewise.map.scale > likewise.map.least")


def test_a_suspect_pair_is_shown_on_the_map(look):
    seen = look()
    pressed(seen, "[data-pair]")
    pair = seen.ask("likewise.map.pair")
    assert pair[:2] == seen.ask("document.querySelector('[data-pair]').dataset.pair.split(',').map(Number)")
    assert seen.ask("likewise.map.data.suspects[0]") == pair


def test_dark_pages_are_dark_and_paper_is_light(look):
    def brightness(seen):
        color = seen.ask("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in color.strip("rgb()").split(",")) / 3

    assert brightness(look(scheme="light")) > 200
    assert brightness(look(scheme="dark")) < 60
    assert canvas(look(scheme="dark"))[0, 0].mean() < 60
    printed = look(scheme="dark", kind="print")
    assert brightness(printed) > 200
    assert printed.ask("getComputedStyle(document.querySelector('.still')).display") == "block"
    assert printed.ask("getComputedStyle(document.querySelector('.map')).display") == "none"
    assert printed.ask("document.querySelector('.still').naturalWidth") > 500


def test_without_scripts_words_and_a_picture_remain(browser, page):
    browser.media()
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page, draw=False)
        words = browser.ask("document.body.innerText")
        assert browser.ask("document.documentElement.className") == "", "no script has run"
        assert browser.ask("getComputedStyle(document.querySelector('.still')).display") != "none"
        assert browser.ask("getComputedStyle(document.querySelector('.map')).display") == "none"
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert "said to be the same, and together" in words
    assert "Cluster 2" in words
