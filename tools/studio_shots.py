"""Screenshots of the studio: every screen, at the widths of a desktop and of a phone, light and dark.

    python tools/studio_shots.py [FOLDER] [--docs]      (make shots)

It writes messages.csv, made-up messages to a shop, starts `likewise studio` on them, answers as somebody would who
sorts messages by what they are about, names clusters, draws a lasso, contradicts itself, and takes a picture of each
screen: FOLDER/studio-SCREEN-WIDTH-SCHEME.png. With --docs some of them become the pictures of docs/studio.md. A page
that reports an error, asks another host for something, or is wider than its window fails the run.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

WIDTHS: dict[int, dict[str, Any]] = {
    1280: {"viewport": {"width": 1280, "height": 800}},
    390: {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2},
}
DOCS = {
    "first-1280-light": "studio-first",
    "named-1280-light": "studio-named",
    "lasso-1280-light": "studio-lasso",
    "contradiction-1280-light": "studio-contradiction",
    "piles-1280-light": "studio-piles",
    "answered-390-dark": "studio-phone",
}
"""The pictures of the documentation."""

TOPICS = {
    "invoices": (
        ["The invoice", "My bill", "The last invoice", "Invoice {n}"],
        ["shows an amount that I do not owe", "was charged twice to my card", "has no VAT number on it",
         "was paid weeks ago, yet a reminder came", "lists an item that I never ordered"],
        ["Please correct it and send the invoice again.", "When will the money be refunded to my account?",
         "Our accounting needs a proper bill by Friday.", "Can I pay by bank transfer instead?"],
    ),
    "deliveries": (
        ["The parcel", "My order", "Order {n}", "The shipment"],
        ["has not arrived, though tracking says delivered", "was left at a neighbor whom I do not know",
         "came with only half of the items", "is stuck in customs for ten days", "was delivered to the old address"],
        ["Where is the parcel now?", "Please ask the courier what happened.", "I need the delivery before the weekend.",
         "Send the missing items, or another parcel."],
    ),
    "returns": (
        ["The jacket", "These shoes", "The lamp", "The blue chair"],
        ["does not fit, and I would like to return it", "arrived with a scratch on the front",
         "looks different from the picture", "stopped working after two days", "is too small for the room"],
        ["How do I send it back?", "Please mail me a return label.", "I would like to exchange it for a larger size.",
         "Is the return free of charge?"],
    ),
    "accounts": (
        ["My account", "The login", "My password", "The app"],
        ["is locked after the update", "says that my email is unknown", "cannot be reset, the link has expired",
         "logs me out every few minutes", "still shows the address of my old account"],
        ["Please unlock the account.", "How can I change the email address?", "Send a new link to reset the password.",
         "Please delete my account and all data."],
    ),
}  # fmt: skip


def messages(path: Path, n: int = 240) -> dict[str, str]:
    """Write the file; the topic of each message."""
    rng = np.random.default_rng(0)
    rows, truth = [], {}
    for number in range(n):
        topic = str(rng.choice(list(TOPICS)))
        subject, trouble, wish = (str(rng.choice(part)) for part in TOPICS[topic])
        greeting = str(rng.choice(["Hello,", "Good morning,", "Dear team,", ""]))
        text = f"{greeting} {subject.format(n=rng.integers(1000, 9999))} {trouble}. {wish}".strip()
        truth[f"M-{number:03d}"] = topic
        rows.append({"id": f"M-{number:03d}", "message": text[0].upper() + text[1:]})
    pd.DataFrame(rows).to_csv(path, index=False)
    return truth


class Studio:
    """The studio in a process, as somebody starts it."""

    def __init__(self, source: Path) -> None:
        command = [
            sys.executable,
            "-m",
            "likewise",
            "studio",
            str(source),
            "--k",
            "4",
            "--text",
            "message",
            "--no-open",
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.match(r"open (\S+)", line):
                self.link = found[1]
                return
        raise RuntimeError("the studio did not start")

    def stop(self) -> None:
        """End it."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


class Visit:
    """A page, and what is wrong with it."""

    def __init__(self, browser: Browser, truth: dict[str, str], device: dict[str, Any], scheme: str) -> None:
        self.context = browser.new_context(**device, color_scheme=scheme, reduced_motion="reduce")
        self.truth = truth
        self.wrong: list[str] = []

    def opened(self, link: str) -> Page:
        """A page at a link."""
        page = self.context.new_page()
        page.set_default_timeout(90_000)
        host = link.partition("#")[0]
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" else None)
        page.on(
            "request", lambda asked: None if asked.url.startswith((host, "blob:")) else self.wrong.append(asked.url)
        )
        page.goto(link)
        page.wait_for_selector(".question h2")
        page.wait_for_timeout(800)
        return page

    def answer(self, page: Page, turns: int, *, wrong_at: int = -1) -> None:
        """Say what is true of some cards, of whatever kind."""
        for turn in range(turns):
            if page.locator(".turned").count():
                page.keyboard.press("Escape")
            card = page.evaluate("likewise.store.questions[0]")
            topics = [self.truth[item["id"]] for item in card["items"]]
            if card["kind"] == "pair":
                page.keyboard.press("y" if (topics[0] == topics[1]) != (turn == wrong_at) else "n")
            elif card["kind"] == "choice":
                page.keyboard.press(str(topics[1:].index(topics[0]) + 1 if topics[0] in topics[1:] else 0))
            else:
                for topic in topics[1:]:
                    page.keyboard.press(str(list(dict.fromkeys(topics)).index(topic) + 1))
                page.keyboard.press("Enter")
            page.wait_for_timeout(120)


def settled(page: Page) -> None:
    """Wait for a result that knows all hints."""
    page.wait_for_function("() => likewise.store.state.result && !likewise.store.state.waiting", timeout=60_000)
    page.wait_for_function("() => likewise.store.result === likewise.store.state.result && !likewise.map.flying")
    page.wait_for_timeout(300)


def prepare(page: Page, visit: Visit) -> None:
    """Answer for a while, and name the clusters."""
    visit.answer(page, 25)
    settled(page)
    to_question(page, visit)
    to_clusters(page, visit)
    for number in page.evaluate("likewise.store.clusters.map(one => one.number)"):
        typical = page.evaluate(f"likewise.store.clusters[{number}].typical[0]")
        topic = visit.truth[f"M-{typical:03d}"]
        page.locator(f"#clusters [data-cluster='{number}']").focus()
        page.keyboard.press("r")
        page.keyboard.type(topic)
        page.keyboard.press("Enter")
        page.wait_for_timeout(400)
        to_question(page, visit)
        to_clusters(page, visit)
    to_question(page, visit)
    visit.answer(page, 3)
    settled(page)


def lasso(page: Page) -> None:
    """Draw around the rows of a cluster."""
    if page.viewport_size and page.viewport_size["width"] < 820:
        page.locator("#views button", has_text="Map").click()
        page.wait_for_timeout(300)
    page.locator("#lasso").click()
    corners = page.evaluate(
        """() => {
            const { map } = likewise, box = map.canvas.getBoundingClientRect();
            const points = [...map.cluster].flatMap((number, point) => number === 0 ? [map.screen(point)] : []);
            const [x, y] = [0, 1].map(axis => points.map(point => point[axis] / map.ratio));
            const middle = [(Math.min(...x) + Math.max(...x)) / 2, (Math.min(...y) + Math.max(...y)) / 2];
            const reach = [(Math.max(...x) - Math.min(...x)) * 0.42, (Math.max(...y) - Math.min(...y)) * 0.42];
            return [...Array(24).keys()].map(turn => 2 * Math.PI * turn / 24).map(angle =>
                [box.left + middle[0] + reach[0] * Math.cos(angle), box.top + middle[1] + reach[1] * Math.sin(angle)]);
        }"""
    )
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in corners[1:]:
        page.mouse.move(*corner)
    page.mouse.up()
    page.wait_for_selector(".exemplars input")
    page.wait_for_timeout(400)


def contradict(page: Page) -> None:
    """Say something that cannot be true beside what was said."""
    code = """async () => {
        const rows = likewise.store.questions[0].rows, other = [0, 1, 2].find(row => !rows.includes(row));
        const token = sessionStorage.getItem("likewise.token"), { result } = likewise.store;
        const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
        for (const pair of [[rows[0], other], [other, rows[1]]]) {
            const said = { rows: pair, ticked: pair, unticked: [], all: false, polygon: null, result };
            const body = JSON.stringify({ key: crypto.randomUUID(), ...said });
            await fetch("/api/group", { method: "POST", headers, body });
        }
    }"""
    page.evaluate(code)
    page.keyboard.press("n")
    page.wait_for_selector(".turned")
    page.wait_for_timeout(300)


def kind(name: str) -> Callable[[Page, Visit], None]:
    """Ask for a kind of question, until it comes."""

    def asked(page: Page, visit: Visit) -> None:
        page.locator(".segment", has_text={"choice": "Groups", "piles": "Piles", "pair": "Pairs"}[name]).click()
        for _ in range(12):
            page.wait_for_timeout(700)
            if page.evaluate("likewise.store.questions[0]?.kind") == name:
                break
            visit.answer(page, 1)
        if name == "piles":
            page.keyboard.press("2")

    return asked


def pressed(*keys: str) -> Callable[[Page, Visit], None]:
    """Press keys, or what a selector names."""

    def done(page: Page, visit: Visit) -> None:
        for key in keys:
            if key.startswith(("#", ".")):
                page.locator(key).first.click()
            else:
                page.keyboard.press(key)
            page.wait_for_timeout(350)

    return done


def to_clusters(page: Page, visit: Visit) -> None:
    """The list of clusters, which a phone shows by itself."""
    if page.viewport_size and page.viewport_size["width"] < 820:
        page.locator("#views button", has_text="Clusters").click()
        page.wait_for_timeout(300)


def to_map(page: Page, visit: Visit) -> None:
    """The map, which a phone shows by itself."""
    if page.viewport_size and page.viewport_size["width"] < 820:
        page.locator("#views button", has_text="Map").click()
        page.wait_for_timeout(500)


def to_question(page: Page, visit: Visit) -> None:
    """Back to the card."""
    for _ in range(5):
        page.keyboard.press("Escape")
    if page.viewport_size and page.viewport_size["width"] < 820:
        page.locator("#views button", has_text="Question").click()
    page.wait_for_timeout(300)


SCREENS: tuple[tuple[str, tuple[Callable[[Page, Visit], Any], ...]], ...] = (
    ("answered", (lambda page, visit: visit.answer(page, 1),)),
    ("differences", (pressed("d"),)),
    ("named", (pressed("d"), to_map, lambda page, visit: page.wait_for_timeout(300))),
    ("clusters", (to_question, to_clusters)),
    ("cluster", (pressed("#clusters [data-cluster]"),)),
    ("split", (pressed("p"), lambda page, visit: page.wait_for_timeout(600))),
    ("merge", (to_question, pressed("m", "1", "1"), lambda page, visit: page.wait_for_timeout(600))),
    ("lasso", (to_question, lambda page, visit: lasso(page))),
    ("doubt", (to_question, to_clusters, pressed("#clusters .list-head button"))),
    ("find", (to_question, pressed("/", "p", "a", "r", "c", "e", "l"), lambda page, visit: page.wait_for_timeout(600))),
    ("row", (pressed(".tile .open"), lambda page, visit: page.wait_for_timeout(600))),
    ("history", (to_question, pressed("h"))),
    ("keys", (to_question, pressed("?"))),
    ("choice", (to_question, kind("choice"))),
    ("piles", (to_question, kind("piles"))),
    ("contradiction", (to_question, kind("pair"), lambda page, visit: contradict(page))),
    ("review", (to_question, pressed("c"))),
    (
        "export",
        (to_question, pressed("e", "Enter"), lambda page, visit: page.wait_for_selector(".files", timeout=90_000)),
    ),
)


def run(arguments: list[str]) -> int:
    """Take all pictures; some become those of the documentation."""
    names = [name for name in arguments if not name.startswith("--")]
    folder = Path(names[0] if names else "shots")
    folder.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    with sync_playwright() as playwright:
        flags = ["--force-color-profile=srgb", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        for width, device in WIDTHS.items():
            for scheme in ("light", "dark"):
                wrong += tour(browser, folder, width, device, scheme)
        browser.close()
    if "--docs" in arguments:
        for name, picture in DOCS.items():
            with Image.open(folder / f"studio-{name}.png") as opened:
                shown = opened.convert("RGB")
                shown.thumbnail((360, 2000) if "-390-" in name else (1280, 2000))
                shown.quantize(128).save(Path("docs/images") / f"{picture}.png", optimize=True)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


def tour(browser: Browser, folder: Path, width: int, device: dict[str, Any], scheme: str) -> list[str]:
    """All screens at one width and in one scheme, in a session of its own."""
    source = folder / "messages.csv"
    truth = messages(source)
    for old in folder.glob("messages.studio*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    studio = Studio(source)
    visit = Visit(browser, truth, device, scheme)
    try:
        page = visit.opened(studio.link)

        def shoot(name: str) -> None:
            page.screenshot(path=folder / f"studio-{name}-{width}-{scheme}.png")
            if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
                visit.wrong.append(f"{name} at {width}: wider than the window")
            print(f"studio-{name}-{width}-{scheme}.png", flush=True)

        settled(page)
        shoot("first")
        prepare(page, visit)
        for name, steps in SCREENS:
            for step in steps:
                step(page, visit)
            shoot(name)
    finally:
        visit.context.close()
        studio.stop()
    return visit.wrong


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
