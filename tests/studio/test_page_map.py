"""The studio's page in a real browser: gestures on the map, a phone, a keyboard alone, colors."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from likewise.studio import Session
from studio_process import answer, card, cards, clusters_of_rows, hints, kept, last_words, looking

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


def draw(page, corners):
    """A lasso on the map, by corners in pixels of the window."""
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in [*corners[1:], corners[0]]:
        page.mouse.move(*corner, steps=3)
    page.mouse.up()


def places(page, rows):
    """Where rows are, in pixels of the window."""
    return np.array(
        page.evaluate(
            """rows => {
                const { map } = likewise, box = map.canvas.getBoundingClientRect();
                const seen = rows.map(row => map.screen(row).map(value => value / map.ratio));
                return seen.map(([x, y]) => [box.left + x, box.top + y]);
            }""",
            rows,
        )
    )


def around(page, rows, margin=12):
    """A box around rows, in pixels of the window."""
    found = places(page, rows)
    (left, top), (right, bottom) = found.min(axis=0) - margin, found.max(axis=0) + margin
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def inside(corners, x, y):
    """Even–odd rule."""
    odd = np.zeros(len(x), dtype=bool)
    for (ax, ay), (bx, by) in zip(corners, [corners[-1], *corners[:-1]], strict=True):
        crosses = (ay > y) != (by > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            odd ^= crosses & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return odd


def gesture(page, kind):
    """Do one gesture by the page, up to where it is kept."""
    if kind == "lasso":
        page.keyboard.press("l")
        rows = np.flatnonzero(np.array(page.evaluate("[...likewise.map.cluster]")) == 0)[:20].tolist()
        draw(page, around(page, rows, margin=4))
        page.wait_for_selector(".exemplars input")
        page.locator("#pane").focus()
        page.keyboard.press("Enter")
    elif kind in ("merge", "split"):
        page.locator("#clusters [data-cluster]").first.focus()
        page.keyboard.press("m" if kind == "merge" else "p")
        if kind == "merge":
            page.locator("#pane .cluster").first.click()
            page.locator("#pane .cluster").first.click()
        page.wait_for_selector("#pane .final")
        page.locator("#pane").focus()
        page.keyboard.press("Enter")
    elif kind == "name":
        page.locator("#clusters [data-cluster]").first.focus()
        page.keyboard.press("r")
        page.keyboard.type("Named by hand")
        page.keyboard.press("Enter")
    elif kind == "move":
        page.evaluate("likewise.store.clusters.length")
        page.keyboard.press("/")
        page.keyboard.type("r007")
        page.wait_for_selector("#pane .tile .open")
        page.locator("#pane .tile .open").first.click()
        page.wait_for_selector("#pane .choices .cluster")
        page.locator("#pane").focus()
        page.keyboard.press("1")
    page.wait_for_function("() => likewise.store.state.undo !== null")
    kept(page)


@pytest.mark.parametrize("kind", ["lasso", "merge", "split", "name", "move"])
def test_check_06_each_gesture_is_one_undo(shown, studio, kind):
    before, list_before, seq = hints(studio), clusters_of_rows(shown), studio.state()["seq"]
    names_before = Session.read(studio.session).names
    wanted = studio.state()["n_clusters"]
    gesture(shown, kind)
    studio.until(lambda state: state["seq"] == seq + 1)
    session = Session.read(studio.session)
    assert session.names != names_before if kind == "name" else hints(studio) != before
    for _ in range(4):
        shown.keyboard.press("Escape")
    shown.keyboard.press("z")
    studio.until(lambda state: state["seq"] == seq + 2)
    assert hints(studio) == before
    assert Session.read(studio.session).names == names_before
    assert studio.state()["n_clusters"] == wanted
    result = studio.rested()["result"]
    shown.wait_for_function("result => likewise.store.result === result", arg=result)
    shown.wait_for_function("() => likewise.store.clusters.every(one => one.name === null)")
    same = [now == then for now, then in zip(clusters_of_rows(shown), list_before, strict=True)]
    assert np.mean(same) > 0.95
    assert shown.errors == []


def test_names_without_a_cluster_are_listed(shown, studio):
    seq = studio.state()["seq"]
    clusters = studio.ask(f"/api/clusters/{studio.rested()['result']}")
    scattered = {**clusters, "unplaced": [{"event": 1, "name": "Scattered"}]}  # its rows are in all of them
    shown.route("**/api/clusters/*", lambda route: route.fulfill(json=scattered))
    gesture(shown, "name")
    shown.wait_for_function("() => document.getElementById('clusters').innerText.includes('Scattered')")
    shown.unroute("**/api/clusters/*")
    shown.keyboard.press("z")
    studio.until(lambda state: state["seq"] == seq + 2)
    shown.wait_for_function("() => !document.getElementById('clusters').innerText.includes('Scattered')")


def test_the_ids_of_a_lasso_are_saved(shown, truth):
    rows = np.flatnonzero(truth == 2)
    shown.keyboard.press("l")
    draw(shown, around(shown, rows.tolist(), margin=4))
    shown.wait_for_selector(".exemplars input")
    inside = shown.evaluate("[...likewise.map.selected].flatMap((one, row) => one ? [row] : [])")
    with shown.expect_download() as download:
        shown.locator("#pane button", has_text="Save ids").click()
    assert set(rows) <= set(inside)
    assert download.value.path().read_text().split() == [f"r{row:03d}" for row in inside]


def test_check_13_a_lasso_is_confirmed_by_exemplars(shown, studio, truth):
    before = hints(studio)
    shown.keyboard.press("l")
    blob = np.flatnonzero(truth == 1).tolist()
    corners = around(shown, blob, margin=3)
    shown.mouse.move(*corners[0])
    shown.mouse.down()
    shown.mouse.move(*corners[2], steps=3)
    shown.keyboard.press("Escape")
    shown.mouse.up()
    assert shown.evaluate("likewise.map.selected") is None, "Esc cancels"
    if shown.locator("#lasso").get_attribute("aria-pressed") == "false":
        shown.keyboard.press("l")
    draw(shown, around(shown, blob[:5], margin=3))
    shown.wait_for_selector(".exemplars input")
    draw(shown, corners)  # again: it takes the place of the first
    rows = "[...likewise.map.selected].flatMap((one, row) => one ? [row] : [])"
    shown.wait_for_function(f"size => {rows}.length >= size", arg=len(blob))
    chosen = shown.evaluate(rows)
    shown.wait_for_function(
        "size => document.querySelector('#pane h2').textContent.startsWith(size)", arg=str(len(chosen))
    )
    shown.wait_for_selector(".exemplars input")
    exemplars = shown.locator(".exemplars input")
    assert exemplars.count() == 9
    assert len(hints(studio)) == len(before), "nothing is said yet"
    odd = int(exemplars.nth(8).get_attribute("data-row"))
    exemplars.nth(8).uncheck()
    shown.locator("#pane").focus()
    shown.keyboard.press("Enter")
    kept(shown)
    said = [hint for hint in hints(studio) if hint not in before]
    assert sorted(kind for kind, *_ in said) == ["different"] + ["same"] * 7
    assert f"r{odd:03d}" in next(hint for hint in said if hint[0] == "different")
    event = Session.read(studio.session).events[-1]
    polygon = np.array(event.body["polygon"])
    x, y = (np.array(shown.evaluate(f"[...likewise.map.{axis}]")) for axis in "xy")
    np.testing.assert_array_equal(np.flatnonzero(inside(polygon.tolist(), x, 65535 - y)), chosen)
    shown.keyboard.press("z")
    studio.until(lambda state: state["seq"] == event.seq + 1)


def test_check_14_merge_and_split(shown, studio):
    def names():
        return {
            one["number"]: one["name"] for one in studio.ask(f"/api/clusters/{studio.rested()['result']}")["clusters"]
        }

    start, before = studio.state()["seq"], hints(studio)
    sizes = shown.evaluate("likewise.store.clusters.map(one => one.size)")
    large, small = np.argsort(sizes)[::-1][:2].tolist()
    result = studio.rested()["result"]
    for number, name in ((large, "larger"), (small, "smaller")):
        studio.act("/api/name", f"merge-{name}", cluster=number, result=result, name=name)
    shown.wait_for_function("() => likewise.store.clusters.some(one => one.name === 'smaller')")
    shown.keyboard.press("m")
    for name in ("larger", "smaller"):
        shown.locator("#pane .cluster", has_text=name).click()
    shown.wait_for_selector(".pairs")
    shown.locator("#pane").focus()
    shown.keyboard.press("Enter")
    kept(shown)
    said = [hint for hint in hints(studio) if hint not in before]
    assert [kind for kind, *_ in said] == ["same"] * 3
    assert studio.state()["n_clusters"] == 2
    merged = names()
    assert len(merged) == 2
    assert "larger" in merged.values()
    shown.wait_for_function("() => likewise.store.clusters.length === 2")
    shown.locator("#clusters [data-cluster]", has_text="larger").focus()
    shown.keyboard.press("p")
    shown.wait_for_selector(".parts")
    shown.locator("#pane").focus()
    shown.keyboard.press("Enter")
    kept(shown)
    assert studio.state()["n_clusters"] == 3
    assert len(names()) == 3
    while studio.state()["seq"] < start + 8:  # two names, a merge and a split
        seq = studio.state()["seq"]
        shown.keyboard.press("z")
        studio.until(lambda state, seq=seq: state["seq"] > seq)
    assert hints(studio) == before


def test_check_16_nothing_moves_under_the_pointer(shown, studio, truth):
    place = "() => [...likewise.map.x].reduce((sum, x, at) => (sum * 31 + x * (at + 1)) % 1e9, 0)"
    box = shown.locator("#map").bounding_box()
    shown.mouse.move(box["x"] + 40, box["y"] + 200)
    shown.mouse.down()
    here, result = shown.evaluate(place), shown.evaluate("likewise.store.result")
    rows = [np.flatnonzero(truth == group)[:6].tolist() for group in range(3)]
    body = {"rows": rows[0] + rows[1], "ticked": rows[0] + rows[1][:1], "unticked": rows[1][1:], "all": False}
    studio.act("/api/group", "under-the-pointer", result=result, polygon=None, **body)
    newest = studio.until(lambda state: state["result"] > result)["result"]
    shown.wait_for_function("() => !document.getElementById('pill').hidden")
    assert shown.evaluate("likewise.store.result") == result
    assert shown.evaluate(place) == here
    shown.mouse.up()
    shown.wait_for_function("newest => likewise.store.result >= newest", arg=newest)
    shown.keyboard.press("l")
    result = shown.evaluate("likewise.store.result")
    here = shown.evaluate(place)
    studio.act("/api/undo", "under-the-lasso")
    newest = studio.until(lambda state: state["result"] > newest)["result"]
    shown.wait_for_function("() => !document.getElementById('pill').hidden")
    assert shown.evaluate("likewise.store.result") == result
    assert shown.evaluate(place) == here
    shown.keyboard.press("Escape")
    shown.wait_for_function("newest => likewise.store.result >= newest", arg=newest)


def test_check_23_a_phone(browser, studio, truth):
    with looking(browser, **PHONE) as opened:
        seen = opened(studio.link())
        touch = seen.context.new_cdp_session(seen)

        def swipe(x, y, selector=".asked"):
            box = seen.locator(selector).bounding_box()
            start = box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 60)
            for kind, share in (("touchStart", 0), ("touchMove", 0.4), ("touchMove", 0.8), ("touchMove", 1)):
                point = {"x": start[0] + share * x, "y": start[1] + share * y}
                touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
            trace = seen.locator(".trace").inner_text() if selector == ".asked" else ""
            touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
            return trace

        for x, y, words, said in (
            (120, 5, "Same", "same"),
            (-120, 5, "Different", "different"),
            (0, 120, "Can't say", ""),
        ):
            number, seq = cards(seen)[0], studio.state()["seq"]
            assert swipe(x, y) == words
            seen.wait_for_function("number => likewise.store.questions[0]?.number !== number", arg=number)
            studio.until(lambda state, seq=seq: state["seq"] == seq + 1)
            assert said in last_words(studio)
            kept(seen)
            if seen.locator(".turned").count():
                seen.locator("text=Later").click()
        number = cards(seen)[0]
        swipe(15, 0)
        assert cards(seen)[0] == number, "too short"
        assert seen.evaluate("document.documentElement.scrollWidth <= innerWidth")
        small = """() => [...document.querySelectorAll("button, select, input:not([type=checkbox]), label:has(input)")]
            .filter(one => one.checkVisibility())
            .map(one => [one.innerText || one.id, one.getBoundingClientRect().height])
            .filter(([, height]) => height < 43.5)"""
        assert seen.evaluate(small) == []
        seen.locator("#views button", has_text="Map").tap()
        result = studio.rested()["result"]
        seen.wait_for_function("result => likewise.store.result === result", arg=result)
        assert seen.locator("#map").is_visible()
        assert seen.evaluate(small) == []
        seen.locator("#lasso").tap()
        corners = around(seen, np.flatnonzero(truth == 0)[:8].tolist(), margin=6)
        for kind, point in zip(["touchStart"] + ["touchMove"] * 4, [*corners, corners[0]], strict=True):
            points = [{"x": point[0], "y": point[1]}]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        seen.wait_for_selector(".exemplars input")
        assert seen.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert seen.evaluate(small) == []
        seen.locator("#pane button", has_text="Cancel").click()
        seen.wait_for_selector(".question h2")
        seen.locator("#views button", has_text="Clusters").click()
        assert seen.locator("#clusters [data-cluster]").first.is_visible()
        assert seen.errors == []


def test_check_24_a_session_by_keyboard_and_screen_reader(browser, studio, truth):
    with looking(browser) as opened:
        seen = opened(studio.link())
        result = studio.rested()["result"]
        seen.wait_for_function("result => likewise.store.result === result", arg=result)
        assert re.match(r"Question \d+: left r\d+", seen.locator("#announcer").inner_text())
        tree = seen.context.new_cdp_session(seen).send("Accessibility.getFullAXTree")["nodes"]
        buttons = [node for node in tree if not node["ignored"] and node["role"]["value"] == "button"]
        assert len(buttons) > 12
        assert [node for node in buttons if not node["name"]["value"].strip()] == []
        for words in ("Same", "Different", "Can't say", "Undo", "Redo", "Find", "Review", "History", "Export", "Lasso"):
            found = seen.get_by_role("button", name=re.compile(f"^{re.escape(words)}")).first
            assert found.get_attribute("aria-keyshortcuts"), words
        for _ in range(10):
            left, right = card(seen)
            answer(seen, "ArrowRight" if truth[left] == truth[right] else "ArrowLeft")
        while seen.evaluate("!document.activeElement.dataset.cluster"):
            seen.keyboard.press("Tab")
        seen.keyboard.press("r")
        seen.keyboard.type("By keys")
        seen.keyboard.press("Enter")
        kept(seen)
        assert "By keys" in Session.read(studio.session).names
        seen.wait_for_function("() => likewise.store.clusters.some(one => one.name === 'By keys')")
        seen.keyboard.press("z")
        kept(seen)
        seen.wait_for_function("() => !likewise.store.clusters.some(one => one.name === 'By keys')")
        assert "By keys" not in Session.read(studio.session).names
        seen.keyboard.press("e")
        seen.keyboard.press("Enter")
        seen.wait_for_selector(".files button", timeout=60_000)
        with seen.expect_download() as download:
            seen.locator(".files button").first.focus()
            seen.keyboard.press("Enter")
        assert download.value.suggested_filename == "hints.csv"
        assert download.value.path().read_text().startswith("left,right,kind")
        assert seen.errors == []


def lab(colors):
    """CIE Lab of sRGB colors."""
    linear = np.array(colors) / 255
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    xyz = linear @ np.array([[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]])
    xyz /= [0.95047, 1.0, 1.08883]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.column_stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_check_25_colors_can_be_told_apart(browser, studio, scheme):
    with looking(browser, color_scheme=scheme) as opened:
        seen = opened(studio.link())
        seen.evaluate(
            """scheme => {
                const row = document.createElement("div");
                row.id = "swatches";
                Object.assign(row.style, { position: "fixed", left: 0, top: 0, zIndex: 99, display: "flex" });
                for (const color of likewise.store.session.colors[scheme].slice(0, 6)) {
                    const one = document.createElement("i");
                    Object.assign(one.style, { width: "20px", height: "20px", background: color });
                    row.append(one);
                }
                document.body.append(row);
            }""",
            scheme,
        )
        devtools = seen.context.new_cdp_session(seen)
        for kind in ("none", "protanopia", "deuteranopia", "tritanopia"):
            devtools.send("Emulation.setEmulatedVisionDeficiency", {"type": kind})
            picture = Image.open(io.BytesIO(seen.locator("#swatches").screenshot())).convert("RGB")
            places = lab([picture.getpixel((20 * number + 10, 10)) for number in range(6)])
            gaps = np.linalg.norm(places[:, None] - places, axis=2)
            assert gaps[np.triu_indices(6, 1)].min() >= 10, kind
        studio.rested()
        seen.wait_for_selector("#clusters [data-cluster]")
        assert all(seen.locator("#clusters .number").all_inner_texts()), "and each has its number"
