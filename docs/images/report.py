"""Make report.png, or the file that is named: the top of a report on 178 wines and 60 hints, three of them wrong."""

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_wine

from likewise import Constraints, Likewise
from likewise.report import write_report

WIDTH = 1280

X, y = load_wine(return_X_y=True, as_frame=True)
hints = Constraints.sample(y, "equal", 30, error_rate=0.05, random_state=1)
model = Likewise(n_clusters=3, random_state=0).fit(X, constraints=hints)

with TemporaryDirectory() as folder, sync_playwright() as playwright:
    page = write_report(Path(folder) / "report.html", model, X, title="Wines", ids=[f"wine {row}" for row in X.index])
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has no sandbox for root
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
    viewport = {"width": WIDTH, "height": 800}
    shown = browser.new_page(viewport=viewport, color_scheme="light", reduced_motion="reduce")
    shown.goto(page.as_uri())
    shown.wait_for_function("() => !likewise.map.moving")
    end = shown.locator(".card .note").first.bounding_box()
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": end["y"] + end["height"] + 8}
    out = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("report.png")
    shown.screenshot(path=out, full_page=True, clip=clip)
    browser.close()
