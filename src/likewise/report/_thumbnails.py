"""Thumbnails of images, as ``data:`` URLs."""

from __future__ import annotations

import warnings
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

from ..prepare._images import FORMATS, check_pixels
from ..tables._damage import reading

SIDE = 96
"""Length of the longer side in pixels."""


def thumbnail(path: str | Path, side: int = SIDE) -> str:
    """A JPEG of at most ``side`` × ``side`` pixels as a ``data:`` URL, with transparent pixels in white."""
    return "data:image/jpeg;base64," + b64encode(small_jpeg(path, side)).decode()


def small_jpeg(path: str | Path, side: int) -> bytes:
    """The content of a JPEG file of at most ``side`` × ``side`` pixels."""
    from PIL import Image, ImageOps

    if not Path(path).is_file():
        raise ValueError(f"there is no picture {path}. Check the paths in images.")
    with warnings.catch_warnings(), reading(Path(path), "a picture", "Pass image files, or leave images out."):
        warnings.simplefilter("ignore")  # about unusual but readable files
        with Image.open(path, formats=FORMATS) as opened:
            check_pixels(Path(path), *opened.size)
            picture: Any = opened
            picture.thumbnail((4 * side, 4 * side))  # first, so that no copy has the original size
            picture = ImageOps.exif_transpose(picture)
            picture.thumbnail((side, side))
            picture = picture.convert("RGBA")
    sheet = Image.new("RGB", picture.size, "white")
    sheet.paste(picture, mask=picture.getchannel("A"))
    written = BytesIO()
    sheet.save(written, "JPEG", quality=75)
    return written.getvalue()
