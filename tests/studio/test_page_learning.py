"""The studio's page while the clusters follow: wrong answers, names, control questions, what leaves, many rows."""

import re

import numpy as np
import pytest
from click.testing import CliRunner

from likewise.cli import main
from likewise.cli._reading import read_data
from likewise.studio import Session
from likewise.studio._control import ControlPairs
from studio_parts import predicted_of
from studio_process import (
    StudioProcess,
    answer_all,
    blobs,
    by_command,
    clusters_of_rows,
    held_while,
    kept,
    looking,
    newest,
)  # fmt: skip


def suspects(page):
    """The rows of the hints that the review calls likely wrong, the worst first."""
    page.keyboard.press("c")
    page.wait_for_selector("#pane .note", state="detached")
    listed = page.locator(".to-review:not(.bad)", has_text="likely to be wrong").all_inner_texts()
    return [frozenset(re.findall(r"r\d+", text.partition(".")[0])) for text in listed]


def test_check_12_wrong_answers_are_found(browser, tmp_path):
    truth = blobs(tmp_path / "blobs.csv")
    wrong = set(np.random.default_rng(1).choice(60, 10, replace=False).tolist())
    with (
        StudioProcess(tmp_path / "blobs.csv", tmp_path / "blobs.studio", "--k", 3) as studio,
        looking(browser) as opened,
    ):
        seen = opened(studio.links[0])
        studio.adopt(seen)
        newest(seen, studio)
        flipped = set()
        for start in range(0, 60, 6):  # at the pace of a person, whom the fits keep up with
            flipped |= answer_all(seen, truth, 6, {number - start for number in wrong})
            newest(seen, studio)
        found = suspects(seen)
        assert sum(rows in flipped for rows in found[:12]) >= 7
        first = seen.locator(".to-review", has_text="likely to be wrong").first
        first.locator("button", has_text="Still true").click()
        kept(seen)
        seen.keyboard.press("Escape")
        before = seen.evaluate("likewise.store.result")
        answer_all(seen, truth, 6)
        assert newest(seen, studio) > before
        seen.reload()
        seen.wait_for_selector(".question h2")
        assert found[0] not in suspects(seen)
        assert found[1] in suspects(seen)
        assert seen.errors == []


def test_check_15_names_and_colors_stay_over_ten_fits(browser, tmp_path):
    truth = blobs(tmp_path / "blobs.csv")
    with (
        StudioProcess(tmp_path / "blobs.csv", tmp_path / "blobs.studio", "--k", 3) as studio,
        looking(browser) as opened,
    ):
        seen = opened(studio.links[0])
        studio.adopt(seen)
        results = [newest(seen, studio)]
        for number in range(3):
            seen.locator(f"#clusters [data-cluster='{number}']").focus()
            seen.keyboard.press("r")
            seen.keyboard.type(f"name {number}")
            seen.keyboard.press("Enter")
            kept(seen)
        seen.wait_for_function("() => likewise.store.clusters.every(one => one.name)")
        first = clusters_of_rows(seen)
        anchors = [int(id[1:]) for ids in Session.read(studio.session).names.values() for id in ids]
        assert len({name for _, name in first}) == 3
        assert len(anchors) >= 3
        for _ in range(10):
            answer_all(seen, truth, 5)  # from so many new hints it learns at once
            results.append(newest(seen, studio))
            now = clusters_of_rows(seen)
            assert np.mean([now[row] == first[row] for row in anchors]) >= 0.9
            assert np.mean([one == before for one, before in zip(now, first, strict=True)]) >= 0.9
        assert len(set(results)) == 11
        assert seen.errors == []


@pytest.mark.parametrize("n", [100_000])
def test_check_17_many_rows(browser, tmp_path, n):
    """What does not depend on the machine; the times are in ``likewise-bench studio page``."""
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).normal(size=(n, 4)).astype(np.float32))
    (tmp_path / "hold").touch()  # the first fit is not waited for
    patch = held_while(tmp_path / "hold")
    with (
        StudioProcess(tmp_path / "rows.npy", tmp_path / "rows.studio", "--k", 3, patch=patch) as studio,
        looking(browser) as opened,
    ):
        seen = opened(studio.links[0])
        seen.wait_for_function("() => likewise.map?.firstDrawn")
        assert seen.evaluate("likewise.map.count") == n
        scripts = """performance.getEntriesByType("resource").filter(one => /\\.(js|css|svg)$/.test(one.name))
            .map(one => one.encodedBodySize)"""
        assert 10_000 < sum(seen.evaluate(scripts)) <= 150_000, "as they are sent"
        sizes = seen.evaluate(
            """performance.getEntriesByType("resource").filter(one => one.name.includes("/api/map/"))
            .map(one => one.encodedBodySize)"""
        )
        assert len(sizes) == 1, "a map is fetched once"
        assert 7 * n <= sizes[0] <= 8 * n
        before = len(seen.requests)
        drawn = seen.evaluate(
            """() => new Promise(done => {
                const { map } = likewise, places = new Set();
                let turn = 0;
                const step = () => {
                    places.add(`${map.left} ${map.top}`);
                    if (++turn > 60) { done(places.size); return; }
                    map.pan(3, 1);
                    requestAnimationFrame(step);
                };
                step();
            })"""
        )
        assert drawn == 61, "it moves with every frame"
        assert seen.requests[before:] == [], "and fetches nothing for it"
        seen.wait_for_function("() => likewise.store.questions.length > 1")
        pressed, there, text = seen.evaluate(
            """() => {
                const next = likewise.store.questions[1];
                document.dispatchEvent(new KeyboardEvent("keydown", { key: "u", bubbles: true }));
                const text = document.getElementById("pane").innerText;
                const there = next.items.every(item => text.includes(item.id));
                return [likewise.store.questions[0].number === next.number, there, text];
            }"""
        )
        assert pressed
        assert there, text  # in the same task: no request, and no frame, lies between
        kept(seen)
        assert seen.requests[before:] == [f"{studio.address}api/answer"]
        devtools = seen.context.new_cdp_session(seen)
        devtools.send("HeapProfiler.collectGarbage")
        assert devtools.send("Runtime.getHeapUsage")["usedSize"] <= 200e6
        assert seen.errors == []


def test_check_26_what_leaves_is_what_the_command_line_makes(browser, tmp_path):
    truth = blobs(tmp_path / "blobs.csv")
    with (
        StudioProcess(tmp_path / "blobs.csv", tmp_path / "blobs.studio", "--k", 3) as studio,
        looking(browser) as opened,
    ):
        seen = opened(studio.links[0])
        studio.adopt(seen)
        answer_all(seen, truth, 12)
        newest(seen, studio)
        seen.locator("#clusters [data-cluster]").first.focus()
        seen.keyboard.press("r")
        seen.keyboard.type("Exported")
        seen.keyboard.press("Enter")
        kept(seen)
        seen.keyboard.press("e")
        seen.keyboard.press("Enter")
        seen.wait_for_selector(".files button")
        folder = tmp_path / "downloads"
        for file in seen.locator(".files button").all():
            with seen.expect_download() as download:
                file.click()
            download.value.save_as(folder / download.value.suggested_filename)
        names = ["hints.csv", "labels.csv", "model.likewise", "names.csv", "report.html"]
        assert sorted(path.name for path in folder.iterdir()) == names
        command = seen.locator("#pane pre code").inner_text()
        exported, made = by_command(command, folder, tmp_path / "again.csv")
        assert len(made) == 300
        for column in ("id", "cluster", "second", "certainty"):
            assert [row[column] for row in exported] == [row[column] for row in made]
        arguments = ["assign", str(folder / "model.likewise"), studio.source, "--out", str(tmp_path / "assigned.csv")]
        assigned = CliRunner().invoke(main, [*arguments, "--quiet"])
        assert assigned.exit_code == 0, assigned.output
        placed = [line.split(",")[:2] for line in (tmp_path / "assigned.csv").read_text().splitlines()[1:]]
        assert placed == [[row["id"], row["cluster"]] for row in exported]
        report = opened((folder / "report.html").as_uri(), wait="h1")
        assert "Exported" in report.locator("body").inner_text()
        assert report.errors == seen.errors == []


def test_check_29_control_questions(browser, tmp_path):
    truth, hold = blobs(tmp_path / "blobs.csv"), tmp_path / "hold"
    hold.touch()
    with (
        StudioProcess(tmp_path / "blobs.csv", tmp_path / "s.studio", "--k", 3, patch=held_while(hold)) as studio,
        looking(browser) as opened,
    ):
        seen = opened(studio.links[0])
        studio.adopt(seen)
        answer_all(seen, truth, 10)
        assert seen.locator("#predicted").text_content() == ""
        assert "too early for a prediction" in seen.locator("#opinion").inner_text()
        hold.unlink()
        newest(seen, studio)
        for _ in range(9):
            answer_all(seen, truth, 10)
            newest(seen, studio)  # a person is not faster than the fits
        session = Session.read(studio.session)
        answers = [event.body for event in session.events if event.kind == "answered"]
        assert len(answers) == 100
        assert all(body["control"] and "chances" not in body for body in answers[:10]), "there was no vote"
        control = [body["rows"] for body in answers if body["control"]]
        assert 15 <= len(control) <= 50
        assert sum(body["control"] for body in answers[20:]) >= 0.15 * 80
        drawn = ControlPairs(read_data(studio.source).rows, session.seed)
        pairs = iter([session.ids[row] for row in drawn.pair(number)] for number in range(500))
        assert all(pair in pairs for pair in control), "as the seed draws them, in this order, whatever was answered"
        predicted, of, asked = predicted_of(session.events)
        assert of >= 10
        assert asked == len(control)
        wanted = f"it predicted {predicted} of your last {of}"
        seen.wait_for_function("wanted => document.getElementById('predicted').textContent === wanted", arg=wanted)
        assert seen.errors == []
