"""The report in a real browser: the map draws, reacts, and fetches nothing."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

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
    assert len(chapters) == 6


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
        assert f"Cluster {labels[shown]}" in text
        assert f"{shown} </script>" in text
        assert "of the clusterings agree" in text
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
    assert "Cluster" in tip(seen)


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
    for kind in ("same", "different", "suspects"):
        seen.locator(f"#show-{kind}").uncheck()
    seen.evaluate(FRAMES)
    assert drawn(canvas(seen)) == 0
    press(seen, ".legend .chip")
    one = drawn(canvas(seen))
    assert one > 0.001
    assert seen.locator(".legend .chip").first.get_attribute("aria-pressed") == "true"
    press(seen, "#all")
    assert drawn(canvas(seen)) > 1.5 * one


@pytest.mark.parametrize("kind", ["same", "different", "suspects"])
def test_lines_are_toggled(look, kind):
    seen = look()
    seen.wait_for_function("() => !likewise.map.moving")  # while the map moves only some lines are drawn
    seen.evaluate(FRAMES)
    shown = seen.locator(f"#show-{kind}").is_checked()
    first = canvas(seen)
    press(seen, f"#show-{kind}")
    assert seen.evaluate(f"likewise.map.show.{kind}") is not shown
    assert (canvas(seen) != first).any(axis=2).sum() > 100


@pytest.mark.parametrize("by", ["unsupervised", "agreement"])
def test_colors_by_something_else(look, by):
    seen = look()
    first = canvas(seen)
    seen.locator("#color").select_option(by)
    seen.evaluate(FRAMES)
    changed = (canvas(seen) != first).any(axis=2).sum()
    moved = seen.evaluate("likewise.map.unsupervised.some((c, i) => c !== likewise.map.cluster[i])")
    assert changed > 100 if by == "agreement" or moved else changed == 0


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
    assert "said to be the same, and together" in words
    assert "Cluster 2" in words
