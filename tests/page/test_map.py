"""The map that report and studio share, by itself in a real browser, against the same sums in Python."""

import numpy as np
import pytest

from likewise.page import asset, inlined

BOX = """<!doctype html><style>body { margin: 0 } canvas { width: 600px; height: 500px }</style>
<canvas id="map" tabindex="0"></canvas>"""
MAKE = """
window.make = ({ x, y, cluster }) => {
  const names = ["first", "second"], layout = { x: Float32Array.from(x), y: Float32Array.from(y) };
  window.map = new PointMap(document.getElementById("map"), {
    count: x.length, ends: [layout], cluster: Uint16Array.from(cluster), names, sizes: [1, 1],
  });
  map.theme({ card: "#ffffff", ink: "#000000", soft: "#777777", same: "#008000", different: "#ff0000",
    suspect: "#ffaa00", accent: "#0000ff", dark: false, clusters: ["#176490", "#b00921", "#00580c"] });
  window.lassos = [];
  window.gestures = new Gestures(map, { hover() {}, tap() {}, lassoed: (corners) => lassos.push(corners) });
};
"""
N = 400


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    return {axis: rng.integers(14_000, 52_000, N).tolist() for axis in "xy"} | {
        "cluster": rng.integers(0, 2, N).tolist()
    }


@pytest.fixture
def seen(browser, points):
    context = browser.new_context(viewport={"width": 600, "height": 500})
    page = context.new_page()
    page.set_content(BOX)
    script = "\n".join(inlined(asset(name)) for name in ("pixels.js", "map.js", "gestures.js"))
    page.add_script_tag(content=script + MAKE)
    page.evaluate("points => make(points)", points)
    yield page
    context.close()


def test_the_nearest_point_is_that_of_a_search_of_all(seen, points):
    rng = np.random.default_rng(1)
    places = rng.uniform(0, 500, (60, 2))
    found = seen.evaluate("places => places.map(([x, y]) => map.nearest(x, y, 20))", places.tolist())
    scale, left, top = seen.evaluate("[map.scale, map.left, map.top]")
    dots = np.column_stack([left + scale * np.array(points["x"]), top + scale * np.array(points["y"])])
    gaps = np.linalg.norm(dots[None] - places[:, None], axis=2)
    wanted = np.where(gaps.min(axis=1) < 20, gaps.argmin(axis=1), -1)
    assert (wanted >= 0).sum() > 10
    assert (wanted < 0).sum() > 5
    np.testing.assert_array_equal(found, wanted)
    seen.evaluate("map.shown[0] = 0")
    hidden = seen.evaluate("places => places.map(([x, y]) => map.nearest(x, y, 20))", places.tolist())
    assert all(points["cluster"][i] == 1 for i in hidden if i >= 0)


def inside(corners, x, y):
    """Even–odd rule."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    odd = np.zeros(len(x), dtype=bool)
    for (ax, ay), (bx, by) in zip(corners, [corners[-1], *corners[:-1]], strict=True):
        crosses = (ay > y) != (by > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            odd ^= crosses & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return odd


def test_a_lasso_holds_the_points_of_its_polygon(seen, points):
    star = [
        [33_000 + radius * np.cos(angle), 33_000 + radius * np.sin(angle)]
        for radius, angle in zip([15_000, 6_000] * 5, np.arange(10) * np.pi / 5, strict=True)
    ]
    found = seen.evaluate("corners => [...map.inside(corners)]", star)
    wanted = inside(star, points["x"], points["y"])
    assert 20 < wanted.sum() < N - 20
    np.testing.assert_array_equal(np.array(found, dtype=bool), wanted)


def test_a_lasso_is_drawn_with_the_pointer_and_dropped_with_escape(seen):
    seen.evaluate("gestures.roping = true")
    corners = [(100, 100), (300, 100), (300, 300), (100, 300)]

    def draw(release):
        seen.mouse.move(*corners[0])
        seen.mouse.down()
        for corner in corners[1:]:
            seen.mouse.move(*corner)
        if release:
            seen.mouse.up()

    draw(release=True)
    seen.wait_for_function("() => lassos.length")
    (drawn,) = seen.evaluate("lassos")
    scale, left, top = seen.evaluate("[map.scale, map.left, map.top]")
    np.testing.assert_allclose(np.array(drawn) * scale + [left, top], corners, atol=1e-6)
    assert seen.evaluate("map.lasso") is None
    seen.evaluate("map.canvas.focus()")
    draw(release=False)
    seen.keyboard.press("Escape")
    seen.mouse.up()
    assert seen.evaluate("lassos.length") == 1


def test_points_glide_to_a_new_layout_from_where_they_are(seen, points):
    away = {"x": points["y"], "y": points["x"]}
    seen.evaluate("({x, y}) => map.glideTo({x: Float32Array.from(x), y: Float32Array.from(y)})", away)
    assert seen.evaluate("map.flying")
    seen.evaluate("() => new Promise(done => setTimeout(done, 300))")
    between = seen.evaluate("map.share")
    assert 0 < between < 1
    here = seen.evaluate("[...map.x]")
    back = {axis: points[axis] for axis in "xy"}
    seen.evaluate("({x, y}) => map.glideTo({x: Float32Array.from(x), y: Float32Array.from(y)})", back)
    start = seen.evaluate("[...map.ends[0].x]")
    expected, home = np.array(here), np.array(points["x"], dtype=float)
    assert np.abs(np.array(start) - home).max() <= np.abs(np.array(away["x"]) - home).max()
    assert np.corrcoef(start, expected)[0, 1] > 0.9
    seen.wait_for_function("() => !map.flying")
    np.testing.assert_allclose(seen.evaluate("[...map.x]"), home)
    seen.evaluate("({x, y}) => map.glideTo({x: Float32Array.from(x), y: Float32Array.from(y)}, {still: true})", away)
    np.testing.assert_allclose(seen.evaluate("[...map.x]"), away["x"])


def test_nothing_moves_under_a_pointer_that_is_down(seen):
    seen.evaluate("window.moved = 0")
    seen.mouse.move(300, 250)
    seen.mouse.down()
    seen.evaluate("gestures.whenCalm(() => moved += 1); gestures.whenCalm(() => moved += 10)")
    seen.evaluate("() => new Promise(done => setTimeout(done, 600))")
    assert seen.evaluate("moved") == 0
    seen.mouse.up()
    assert seen.evaluate("moved") == 0, "not at once"
    seen.wait_for_function("() => moved")
    assert seen.evaluate("moved") == 10, "the newest only"


def test_other_labels_names_and_shapes(seen):
    colors = "(() => { map.draw(); return new Set(map.pixels.values).size; })()"
    plain = seen.evaluate(colors)
    seen.evaluate(
        "map.relabel({ cluster: map.cluster.map((c, i) => i % 3), names: ['a', 'b', 'c'], sizes: [1, 1, 1] })"
    )
    assert seen.evaluate(colors) > plain, "one more color"
    assert {name for name, *_ in seen.evaluate("map.placed")} <= {*"abc"}
    covered = "(() => { map.draw(); return map.pixels.values.filter(value => value !== map.back).length; })()"
    circles = seen.evaluate(covered)
    seen.evaluate("map.shapes = true")
    shapes = seen.evaluate(covered)
    assert shapes != circles
    assert 0.8 < shapes / circles < 1.3
    seen.evaluate("map.selected = map.cluster.map((c, i) => i < 5 ? 1 : 0)")
    strong = "map.draw(), map.pixels.values.filter(value => map.paints.includes(value)).length"
    assert seen.evaluate(strong) < shapes / 10, "all others are faint"
