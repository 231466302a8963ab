"""Timings of the studio's page in the system's Chromium, without a graphics card."""

from __future__ import annotations

import os
import shutil
from typing import Any, NamedTuple

import numpy as np

from .server import Studio

PANNING = """() => new Promise(done => {
    const { map } = likewise, frames = [], drawn = [];
    let last = performance.now(), turn = 0;
    const step = (now) => {
        frames.push(now - last);
        drawn.push(map.drawMs);
        last = now;
        if (turn === 62) { done([frames.slice(2), drawn.slice(2)]); return; }
        map.pan(6 * Math.cos(turn / 5), 6 * Math.sin(turn / 5));
        turn += 1;
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
})"""
HOVER = """() => {
    const { map } = likewise, start = performance.now();
    for (let turn = 0; turn < 200; turn++) map.nearest(map.width * (0.2 + turn / 400), map.height / 2, 14 * map.ratio);
    return (performance.now() - start) / 200;
}"""
LASSO = """() => {
    const { map } = likewise, corners = [...Array(120).keys()].map(turn => 2 * Math.PI * turn / 120)
        .map(angle => map.place(map.width * (0.5 + 0.4 * Math.cos(angle)), map.height * (0.5 + 0.3 * Math.sin(angle))));
    const start = performance.now();
    map.inside(corners);
    return performance.now() - start;
}"""
ANSWER = """() => new Promise(done => {
    const before = likewise.store.questions[0].number, start = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "u", bubbles: true }));
    const next = likewise.store.questions[0]?.number;
    requestAnimationFrame(() => setTimeout(() => done([next !== before, performance.now() - start])));
})"""


class Seen(NamedTuple):
    """Timings in milliseconds, and the heap in MB."""

    first_paint: float
    frame: float
    gap: float
    lasso: float
    hover: float
    card: float
    heap: float


def look(studio: Studio, n: int) -> Seen:
    """Open the page, pan, hover, draw and answer."""
    from playwright.sync_api import sync_playwright

    link = studio.ask("POST", "/api/link", {"name": ""})["link"]
    flags = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(link)
        page.wait_for_function("() => window.likewise?.map?.firstDrawn", timeout=120_000)
        first_paint = page.evaluate(
            """() => likewise.map.firstDrawn
            - performance.getEntriesByType("resource").find(one => one.name.includes("/api/map/")).responseEnd"""
        )
        page.wait_for_function("() => likewise.store.clusters.length && !likewise.map.flying", timeout=300_000)
        assert page.evaluate("likewise.map.count") == n
        page.wait_for_timeout(2000)  # the fit is over
        frames, _ = page.evaluate(PANNING)
        hover, lasso = page.evaluate(HOVER), page.evaluate(LASSO)  # one points before one draws
        took = [_answered(page) for _ in range(10)]
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable")
        metrics = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
        browser.close()
    return Seen(
        first_paint, float(np.median(frames)), max(frames), lasso, hover, float(np.median(took)),
        metrics["JSHeapUsedSize"] / 1e6,
    )  # fmt: skip


def _answered(page: Any) -> float:
    page.wait_for_function("() => likewise.store.questions.length > 1 && !likewise.unsent().length")
    changed, took = page.evaluate(ANSWER)
    assert changed, "the card did not change"
    return float(took)
