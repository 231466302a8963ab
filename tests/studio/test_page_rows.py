"""The studio's page with texts that would break a careless page, with pictures, and with two people."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from studio_process import FRAMES, StudioProcess, answer, blobs, card, cards, looking

HOSTILE = '</script><img src=x onerror="document.title=1"><b>bold</b>'


def test_check_18_texts_are_shown_as_text(browser, tmp_path):
    rng = np.random.default_rng(0)
    words = [["invoice", "paid", "reminder", "bank"], ["court", "ruling", "judge", "appeal"]]
    rows = [
        {
            f"id{HOSTILE}": f"{number}{HOSTILE}",
            f"body{HOSTILE}": " ".join(rng.choice(words[number % 2], 8)) + f" {HOSTILE} " + "and so on, " * 60,
            f"amount{HOSTILE}": round(float(rng.normal()), 2),
        }
        for number in range(60)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "hostile.csv", index=False)
    options = ("--k", 2, "--id", f"id{HOSTILE}", "--text", f"body{HOSTILE}")
    studio = StudioProcess(tmp_path / "hostile.csv", tmp_path / "hostile.studio", *options)
    try:
        with looking(browser) as opened:
            seen = opened(studio.links[0])
            studio.adopt(seen)
            seen.evaluate(
                """() => {
                    window.violations = [];
                    const note = (event) => violations.push(event.violatedDirective);
                    document.addEventListener("securitypolicyviolation", note);
                }"""
            )
            assert HOSTILE in seen.locator(".question").inner_text()
            folded = seen.locator(".text").first.inner_text()
            seen.keyboard.press(" ")
            seen.wait_for_selector(".text.full")
            assert len(seen.locator(".text").first.inner_text()) >= len(folded)
            seen.keyboard.press("d")
            answer(seen, "y")
            result = studio.rested()["result"]
            studio.act("/api/name", "hostile-name", cluster=0, result=result, name=HOSTILE)
            seen.wait_for_function("name => likewise.store.clusters.some(one => one.name === name)", arg=HOSTILE)
            assert HOSTILE in seen.locator("#clusters").inner_text()
            x, y = seen.evaluate(
                """() => { const { map } = likewise, box = map.canvas.getBoundingClientRect(), [x, y] = map.screen(3);
                return [box.left + x / map.ratio, box.top + y / map.ratio]; }"""
            )
            seen.mouse.move(x, y)
            seen.wait_for_function("text => document.getElementById('tip').innerText.includes(text)", arg=HOSTILE)
            seen.mouse.move(5, 5)
            for key in ("h", "c", "/"):
                seen.keyboard.press(key)
                seen.evaluate(FRAMES)
                if key == "/":
                    seen.keyboard.type("onerror")
                    seen.wait_for_selector("#pane .tile")
                    seen.locator("#pane .tile .open").first.click()
                    seen.wait_for_selector("#pane .values, #pane .text")
                    assert HOSTILE in seen.locator("#pane").inner_text()
                seen.keyboard.press("Escape")
                seen.keyboard.press("Escape")
            assert seen.evaluate("document.querySelectorAll('img[src=x], #pane b b, #clusters b').length") == 0
            assert "hostile.csv" in seen.title()
            assert seen.evaluate("violations") == []
            assert seen.errors == []
    finally:
        studio.stop()


def test_check_22_pictures_come_when_they_are_seen(browser, tmp_path):
    rng = np.random.default_rng(0)
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(40):
        shade = 60 + 120 * (number % 2)
        pixels = np.clip(rng.normal(shade, 20, (24, 24)), 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"shade-{number:02d}.png")
    studio = StudioProcess(folder, tmp_path / "pictures.studio", "--k", 2)
    try:
        with looking(browser) as opened:
            seen = opened(studio.links[0])
            studio.adopt(seen)
            asked = "() => [...document.querySelectorAll('.question img')].every(one => one.naturalWidth)"
            seen.wait_for_function(asked)
            near = {row for card_ in seen.evaluate("likewise.store.questions") for row in card_["rows"]}
            wanted = {
                int(address.split("/")[-1].split("?")[0]) for address in seen.requests if "/api/pictures/" in address
            }
            assert set(card(seen)) <= wanted <= near, "those of the card, and of the next ones"
            studio.rested()
            left = card(seen)[0]
            broken = next(row for row in range(40) if row not in near)
            name = studio.ask(f"/api/rows?rows={broken}")["rows"][0]["id"]
            (folder / f"{name.removesuffix('.png')}.png").write_bytes(b"no picture")
            seen.keyboard.press("/")
            seen.keyboard.type(name)
            seen.wait_for_selector("#pane .no-picture")
            assert name.removesuffix(".png") in seen.locator("#pane .no-picture").first.inner_text()
            seen.keyboard.press("Escape")
            seen.wait_for_selector(".question img")
            seen.locator(".zoomable").first.click()
            seen.wait_for_selector("dialog[open] img")
            seen.keyboard.press("Escape")
            assert card(seen)[0] == left
    finally:
        studio.stop()


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A studio for two people."""
    folder = tmp_path_factory.mktemp("people")
    blobs(folder / "blobs.csv", n=60)
    with StudioProcess(folder / "blobs.csv", folder / "blobs.studio", "--people", "Anna,Ben") as running:
        yield running


def test_check_22_values_side_by_side(browser, people):
    with looking(browser) as opened:
        seen = opened(people.link(0, "Anna"))
        lines = seen.locator(".values tbody tr")
        assert lines.count() == 4
        assert lines.first.locator("td").count() == 2
        assert seen.locator("mark").count() == 0, "nothing is marked unless asked for"
        seen.keyboard.press("d")
        values = lines.evaluate_all(
            "all => all.map(line => [...line.querySelectorAll('td')].map(one => one.innerText))"
        )
        marked = lines.evaluate_all("all => all.map(line => line.querySelectorAll('mark').length)")
        assert sum(marked) > 0
        assert all(count == 0 or left != right for (left, right), count in zip(values, marked, strict=True))


def test_check_27_two_people(browser, people):
    with looking(browser) as opened:
        anna, ben = opened(people.link(0, "Anna")), opened(people.link(1, "Ben"))
        assert [page.evaluate("likewise.store.session.person") for page in (anna, ben)] == ["Anna", "Ben"]
        seq = people.state()["seq"]
        answer(anna, "y")
        ben.wait_for_function("seq => likewise.store.state.seq > seq", arg=seq)
        ben.keyboard.press("h")
        ben.wait_for_function("() => document.getElementById('pane').innerText.includes('Anna')")
        assert ben.locator("#pane .events button").count() == 0, "not one's own"
        ben.keyboard.press("Escape")
        assert ben.evaluate("likewise.store.state.undo") is None
        seq = people.state()["seq"]
        answer(ben, "y")
        anna.wait_for_function("seq => likewise.store.state.seq > seq", arg=seq)
        for _ in range(6):
            for page in (anna, ben):
                answer(page, "y")
                page.keyboard.press("Escape")

        def answers():
            return {one["name"]: one["answers"] for one in people.ask("/api/people")["people"]}

        before = answers()
        ben.keyboard.press("z")
        people.until(lambda state: answers() == {**before, "Ben": before["Ben"] - 1})
        (agreement,) = people.ask("/api/people")["agreement"]
        assert agreement["common"] >= 1
        anna.locator("#tools button", has_text="People").click()
        words = f"Anna and Ben: {agreement['same_answer']} of {agreement['common']}"
        anna.wait_for_function("words => document.getElementById('pane').innerText.includes(words)", arg=words)
        assert "NaN" not in anna.locator("#pane").inner_text()
        assert cards(anna)
        assert anna.errors == []
        assert ben.errors == []
