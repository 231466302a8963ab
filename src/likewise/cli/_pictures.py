"""Images side by side in a terminal, by its graphics protocol or in colored half blocks."""

from __future__ import annotations

import os
import warnings
from base64 import b64encode
from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

LINES = 12
"""Lines that a picture takes, at most."""

CELL = (10, 20)
"""Pixels of a character, where a protocol counts in pixels."""

N_COLORS = 64
"""Colors of a sixel picture."""

CHUNK = 4096
"""Characters that kitty takes at once."""

ITERM = ("iTerm.app", "WezTerm", "mintty")
SIXEL = ("foot", "mlterm", "yaft", "contour")


def picture_protocol(environment: Mapping[str, str] = os.environ) -> str:
    """The graphics protocol of a terminal, determined from the environment; "" if there is none.

    Parameters
    ----------
    environment : mapping of str to str

    Returns
    -------
    {"kitty", "iterm", "sixel", "blocks", ""}
        Half blocks need true color. Terminal multiplexers such as tmux do not support images.

    Examples
    --------
    >>> picture_protocol({"TERM": "xterm-kitty"}), picture_protocol({"TERM": "xterm", "COLORTERM": "truecolor"})
    ('kitty', 'blocks')
    """
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if "TMUX" not in environment and not term.startswith(("screen", "tmux")):
        if "KITTY_WINDOW_ID" in environment or "kitty" in term or program == "ghostty":
            return "kitty"
        if program in ITERM or environment.get("LC_TERMINAL") == "iTerm2":
            return "iterm"
        if "sixel" in term or term.startswith(SIXEL):
            return "sixel"
    return "blocks" if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") else ""


def pictures_beside(paths: Sequence[Path], protocol: str, room: int, gap: int) -> list[str]:
    """Lines that show pictures beside each other.

    Parameters
    ----------
    paths : sequence of Path
    protocol : str
        As :func:`picture_protocol` returns it, not "".
    room : int
        Characters that each may take.
    gap : int
        Characters between them.

    Returns
    -------
    list of str
    """
    size = min(room, 2 * LINES), LINES
    opened = [_open(path, (size[0] * CELL[0], size[1] * CELL[1])) for path in paths]
    if protocol == "blocks":
        blocks = [[] if picture is None else _half_blocks(picture, size) for picture in opened]
        fills = [" " * (0 if not block else size[0]) for block in blocks]
        rows = zip_longest(*blocks, fillvalue=None)
        return [
            "".join(
                f"\x1b[{place * (room + gap) + 1}G{cell if cell is not None else fills[place]}"
                for place, cell in enumerate(row)
            )
            for row in rows
        ]
    drawn = {"kitty": _kitty, "iterm": _iterm, "sixel": _sixel}[protocol]
    parts = [
        f"\x1b7\x1b[{place * (room + gap) + 1}G{drawn(picture, size)}\x1b8"
        for place, picture in enumerate(opened)
        if picture is not None
    ]
    # room is made first, so that drawing does not scroll; then each is drawn from its top left corner
    return ["\n" * LINES + f"\x1b[{LINES}A" + "".join(parts) + f"\x1b[{LINES}B"]


def _open(path: Path, size: tuple[int, int]) -> Any:
    """A picture that fits into some pixels; None for one that cannot be read, whose path is shown alone."""
    from PIL import Image

    from ..prepare._images import FORMATS, check_pixels
    from ..tables._damage import reading

    try:
        with warnings.catch_warnings(), reading(path, "a picture"):
            warnings.simplefilter("ignore")  # about unusual but readable files
            with Image.open(path, formats=FORMATS) as opened:
                check_pixels(path, *opened.size)
                opened.thumbnail((2 * size[0], 2 * size[1]))
                picture = opened.convert("RGB")
    except (OSError, ValueError, MemoryError):
        return None
    scale = min(size[0] / picture.width, size[1] / picture.height)
    return picture.resize((max(round(picture.width * scale), 1), max(round(picture.height * scale), 1)))


def _half_blocks(picture: Any, size: tuple[int, int]) -> list[str]:
    """Two pixels above each other in one character."""
    scale = min(size[0] / picture.width, 2 * size[1] / picture.height)
    pixels = np.asarray(picture.resize((max(round(picture.width * scale), 1), max(round(picture.height * scale), 1))))
    if len(pixels) % 2:
        pixels = np.concatenate([pixels, pixels[-1:]])
    lines = []
    for top, bottom in zip(pixels[::2], pixels[1::2], strict=True):
        cells = (
            "\x1b[38;2;{};{};{}m\x1b[48;2;{};{};{}m▀".format(*upper, *lower)
            for upper, lower in zip(top, bottom, strict=True)
        )
        lines.append("".join(cells) + "\x1b[0m")
    return lines


def _png(picture: Any) -> str:
    buffer = BytesIO()
    picture.save(buffer, "PNG")
    return b64encode(buffer.getvalue()).decode()


def _kitty(picture: Any, size: tuple[int, int]) -> str:
    data = _png(picture)
    chunks = [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]
    lines = min(-(-picture.height // CELL[1]), size[1])
    parts = []
    for number, chunk in enumerate(chunks):
        head = f"a=T,f=100,r={lines},C=1,q=2," if number == 0 else ""
        parts.append(f"\x1b_G{head}m={int(number + 1 < len(chunks))};{chunk}\x1b\\")
    return "".join(parts)


def _iterm(picture: Any, size: tuple[int, int]) -> str:
    return f"\x1b]1337;File=inline=1;width={size[0]};height={size[1]};preserveAspectRatio=1:{_png(picture)}\x07"


def _sixel(picture: Any, size: tuple[int, int]) -> str:
    indexed = picture.quantize(N_COLORS)
    pixels, palette = np.asarray(indexed), indexed.getpalette()
    parts = [f'\x1bPq"1;1;{picture.width};{picture.height}']
    for color in np.unique(pixels).tolist():
        shares = (round(100 * value / 255) for value in palette[3 * color : 3 * color + 3])
        parts.append(f"#{color};2;{';'.join(map(str, shares))}")
    for top in range(0, len(pixels), 6):
        band = pixels[top : top + 6]
        for color in np.unique(band).tolist():
            bits = (1 << np.arange(len(band))) @ (band == color)
            parts.append(f"#{color}{''.join(chr(63 + bit) for bit in bits.tolist())}$")
        parts.append("-")
    return "".join([*parts, "\x1b\\"])
