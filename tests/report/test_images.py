"""The pictures of the README can be made again by the scripts that stand beside them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

SCRIPTS = Path(__file__).parents[2] / "docs" / "images"


@pytest.mark.parametrize(
    "name",
    [
        "before_after.py",
        pytest.param(
            "report.py",
            marks=pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed"),
        ),
    ],
)
def test_pictures_can_be_made_again(name, tmp_path):
    out = tmp_path / "picture.png"
    subprocess.run([sys.executable, "-W", "error", SCRIPTS / name, out], check=True, timeout=120)
    with Image.open(out) as picture:
        assert picture.width >= 1280
        assert len(picture.convert("RGB").resize((200, 100)).getcolors(20_000)) > 100
