"""Pictures on a terminal: which way it can show them, and that they come out as they were."""

import re
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from likewise.cli._pictures import LINES, picture_protocol, pictures_beside

KITTY = re.compile("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\")


@pytest.mark.parametrize(
    ("environment", "protocol"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "kitty"),
        ({"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app", "COLORTERM": "truecolor"}, "iterm"),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, "iterm"),  # through ssh
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "iterm"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "mlterm"}, "sixel"),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "blocks"),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux", "TERM_PROGRAM": "iTerm.app"}, ""),
        ({"TERM": "screen", "KITTY_WINDOW_ID": "1", "COLORTERM": "24bit"}, "blocks"),
        ({"TERM": "xterm-256color"}, ""),
        ({}, ""),
    ],
)
def test_a_terminal_says_what_it_can(environment, protocol):
    assert picture_protocol(environment) == protocol


@pytest.fixture
def pictures(tmp_path):
    """Red beside blue, and green above white, wide and high."""
    pixels = np.zeros((40, 80, 3), dtype=np.uint8)
    pixels[:, :40] = [255, 0, 0]
    pixels[:, 40:] = [0, 0, 255]
    Image.fromarray(pixels).save(tmp_path / "wide.png")
    pixels = np.full((80, 40, 3), 255, dtype=np.uint8)
    pixels[:40] = [0, 255, 0]
    Image.fromarray(pixels).save(tmp_path / "high.png")
    return [tmp_path / "wide.png", tmp_path / "high.png"]


def check(wide, high):
    """Whether the four halves have their colors."""
    for picture, along, colors in ((wide, 1, ([255, 0, 0], [0, 0, 255])), (high, 0, ([0, 255, 0], [255, 255, 255]))):
        height, width = picture.shape[:2]
        for share, color in zip((0.2, 0.8), colors, strict=True):
            place = [height // 2, width // 2]
            place[along] = int(share * picture.shape[along])
            assert np.abs(picture[tuple(place)].astype(int) - color).max() < 6


def test_kitty_gets_png_in_chunks(pictures):
    (block,) = pictures_beside(pictures, "kitty", 40, 3)
    parts = KITTY.findall(block)
    heads = [place for place, (keys, _) in enumerate(parts) if "a=T" in keys]
    assert len(heads) == 2
    assert all(len(data) <= 4096 for _, data in parts)
    found = []
    for start, end in zip(heads, [*heads[1:], len(parts)], strict=True):
        assert [f"m={int(place + 1 < end)}" in parts[place][0] for place in range(start, end)] == [True] * (end - start)
        data = b64decode("".join(data for _, data in parts[start:end]))
        found.append(np.asarray(Image.open(BytesIO(data))))
    check(*found)
    assert re.findall("\x1b\\[([0-9]+)G", block) == ["1", "44"]
    assert block.startswith("\n" * LINES + f"\x1b[{LINES}A")


def test_iterm_gets_png(pictures):
    (block,) = pictures_beside(pictures, "iterm", 40, 3)
    found = re.findall("\x1b]1337;File=inline=1;[^:]*:([^\x07]*)\x07", block)
    check(*(np.asarray(Image.open(BytesIO(b64decode(data)))) for data in found))


def test_sixels_are_the_picture(pictures):
    (block,) = pictures_beside(pictures, "sixel", 40, 3)
    check(*(decoded(body) for body in re.findall("\x1bPq([^\x1b]*)\x1b\\\\", block)))


def decoded(body):
    """A picture of its sixels."""
    width, height = map(int, re.match(r'"1;1;(\d+);(\d+)', body).groups())
    colors = {int(number): [int(share) * 2.55 for share in rgb.split(";")] for number, rgb in
              re.findall(r"#(\d+);2;(\d+;\d+;\d+)", body)}  # fmt: skip
    picture = np.zeros((height + 6, width, 3))
    top = 0
    for band in re.sub(r'^"1;1;\d+;\d+|#\d+;2;\d+;\d+;\d+', "", body).split("-"):
        for number, sixels in re.findall(r"#(\d+)([?-~]*)\$", band):
            for x, sixel in enumerate(sixels):
                for bit in range(6):
                    if (ord(sixel) - 63) >> bit & 1:
                        picture[top + bit, x] = colors[int(number)]
        top += 6
    return picture[:height].astype(np.uint8)


def test_half_blocks_are_two_pixels(pictures):
    lines = pictures_beside(pictures, "blocks", 20, 3)
    assert 1 < len(lines) <= LINES
    found = []
    for place in (0, 1):
        rows = []
        for line in lines:
            cells = re.split("\x1b\\[[0-9]+G", line)[1:][place]
            pairs = re.findall(r"38;2;(\d+);(\d+);(\d+)m\x1b\[48;2;(\d+);(\d+);(\d+)m▀", cells)
            if pairs:
                pixels = np.array(pairs, dtype=int).reshape(-1, 2, 3)
                rows += [pixels[:, 0], pixels[:, 1]]
        found.append(np.array(rows, dtype=np.uint8))
    assert found[0].shape[1] == 20
    check(*found)


@pytest.mark.parametrize("protocol", ["kitty", "iterm", "sixel", "blocks"])
def test_a_picture_that_is_gone_is_left_out(pictures, protocol):
    pictures[0].unlink()
    pictures[1].write_text("no picture")
    assert not re.search("▀|_G|1337|Pq", "".join(pictures_beside(pictures, protocol, 40, 3)))
