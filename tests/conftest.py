"""Laws are tried on the same examples every time, and on no clock: a red run means a broken law, not a busy machine.

HYPOTHESIS_PROFILE=search tries new examples instead.
"""

import os
import shutil

import pytest
from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def browser():
    """The system's Chromium, driven by playwright; tests that need it are skipped where there is none."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed: pages were not looked at in a browser (apt-get install chromium)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (make setup)")
    arguments = ["--force-color-profile=srgb"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # Chromium has none for root
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield opened
        opened.close()
