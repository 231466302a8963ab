"""Small pictures of rows that are pictures, as text that a page can hold."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

SIDE = 96
"""Pixels along the longer side."""


def thumbnail(path: str | Path, side: int = SIDE) -> str:
    """A JPEG of at most ``side`` × ``side`` pixels as a ``data:`` address; what is transparent becomes white."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(path) as opened:
            picture: Any = ImageOps.exif_transpose(opened)
            picture.thumbnail((side, side))
            picture = picture.convert("RGBA")
    except UnidentifiedImageError:
        raise ValueError(f"{path} is no picture that can be read. Pass image files, or leave images out.") from None
    except FileNotFoundError:
        raise ValueError(f"there is no picture {path}. Check the paths in images.") from None
    sheet = Image.new("RGB", picture.size, "white")
    sheet.paste(picture, mask=picture.getchannel("A"))
    written = BytesIO()
    sheet.save(written, "JPEG", quality=75)
    return "data:image/jpeg;base64," + b64encode(written.getvalue()).decode()
