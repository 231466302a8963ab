"""A studio in a process and a page that looks at it, one for each module that asks for them."""

import pytest

from studio_process import StudioProcess, blobs, kept, looking, newest, up_to_date


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def truth(folder):
    return blobs(folder / "blobs.csv")


@pytest.fixture(scope="module")
def studio(folder, truth):
    running = StudioProcess(folder / "blobs.csv", folder / "blobs.studio", "--k", 3)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def page(browser, studio):
    """A page that stays open, entered by the link that was printed; every test leaves it at a question."""
    with looking(browser) as opened:
        seen = opened(studio.first_link())
        seen.first_screen = seen.locator("#pane").inner_text()
        studio.adopt(seen)
        yield seen


@pytest.fixture
def asked(page, studio):
    for _ in range(6):
        page.keyboard.press("Escape")
    page.wait_for_selector(".question h2")
    page.evaluate("document.activeElement.blur()")
    kept(page)
    up_to_date(page, studio)
    return page


@pytest.fixture
def shown(asked, studio):
    """The page, with the newest result on the map."""
    newest(asked, studio)
    return asked
