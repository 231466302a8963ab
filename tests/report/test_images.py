"""The picture of the README can be made again."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]


def is_a_picture(path):
    with Image.open(path) as picture:
        return picture.width >= 1280 and len(picture.convert("RGB").resize((200, 100)).getcolors(20_000)) > 100


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_the_picture_of_the_report_can_be_made_again(tmp_path):
    subprocess.run([sys.executable, "-W", "error", ROOT / "tools/shots.py", tmp_path, "wine"], check=True, timeout=120)
    assert is_a_picture(tmp_path / "wine-1280.png")
    with Image.open(tmp_path / "wine-390-full.png") as phone:
        assert phone.width == 390
