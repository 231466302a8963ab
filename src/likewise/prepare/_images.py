"""Images, reduced to 32 × 32 pixels. Read with Pillow."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from .._arrays import FloatArray
from .._progress import stage, track
from .._saved import Saved
from ..tables import RawTable, extra
from ..tables._damage import reading
from ..tables._limits import in_words, memory_left

SIDE = 32
"""Pixels along each side."""

FORMATS = ("PNG", "JPEG", "MPO", "GIF", "BMP", "TIFF", "WEBP", "PPM")
"""The accepted image formats, independent of the suffix; for some others Pillow would run external programs."""

LARGE_PIXELS = 4_000_000
"""Images with more pixels are reduced while they are read."""

MOST_PIXELS = 89_478_485
"""Maximum number of pixels of an image; Pillow's own limit."""

SMALL = 2**20
DENSEST = 1100
"""Maximum ratio of uncompressed to compressed bytes of a PNG, beyond the first value; other formats have less."""

PIXEL_COST = 6
"""Bytes per pixel while an image is read."""


@dataclass(eq=False)
class Images:
    """Images of any size, reduced to 32 × 32 pixels with values between 0 and 1.

    Attributes
    ----------
    color : bool
        Whether pixels have three values (color), or one (gray) if no image has color.
    """

    _saved: ClassVar[Saved] = Saved(("color",))

    color: bool
    columns: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def fit(cls, raw: RawTable) -> tuple[Self, FloatArray]:
        """Determine whether images have color, and read them."""
        block = cls(color=True)
        X = block.transform(raw)
        pixels = X.reshape(len(X), -1, 3)
        if np.ptp(pixels, axis=2).max() == 0:
            block.color = False
            return block, np.ascontiguousarray(pixels[:, :, 0])
        return block, X

    def transform(self, raw: RawTable) -> FloatArray:
        """The pixels of each image, row by row."""
        if raw.images is None:
            raise ValueError(f"{raw.source} holds no images, but the model was made from images. Give it a folder.")
        with stage("reading images"):
            return np.array([_pixels(path, self.color) for path in track(raw.images)])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features: row and column of the pixel, and its color."""
        colors = (" red", " green", " blue") if self.color else ("",)
        return tuple(f"pixel {row},{column}{name}" for row in range(SIDE) for column in range(SIDE) for name in colors)

    @property
    def sentence(self) -> str:
        """What was done, in words."""
        return f"images as {SIDE} × {SIDE} pixels{' in color' if self.color else ', gray'}, from 0 to 1"


def check_pixels(path: Path, width: int, height: int) -> None:
    """Raise an error for an image that would exhaust the memory, or is too large for the size of its file."""
    if width * height > MOST_PIXELS:
        raise ValueError(
            f"{path} has {width:,} × {height:,} pixels, more than an image should. Leave it out, or make it smaller."
        )
    packed = path.stat().st_size
    if width * height / 8 > SMALL + DENSEST * packed:
        raise ValueError(
            f"{path} says that it has {width:,} × {height:,} pixels, more than {in_words(packed)} can hold. It is "
            "damaged. Leave it out, or get it again."
        )
    left = memory_left()
    if left is not None and PIXEL_COST * width * height > left:
        raise MemoryError(f"{path} has {width:,} × {height:,} pixels, which need more than there is")


def _reduced(image: Any, Image: Any) -> Any:
    """Reduce a large image to a few thousand pixels, strip by strip, to avoid a second copy."""
    factor = min(image.size) // (8 * SIDE)
    if image.width * image.height <= LARGE_PIXELS or factor < 2:
        return image
    image.draft(None, (8 * SIDE, 8 * SIDE))  # JPEG: decode at reduced size
    factor = max(1, min(image.size) // (8 * SIDE))
    wide, high = image.width // factor, image.height // factor
    small = Image.new("RGBA", (wide, high))
    for row in range(high):
        strip = image.crop((0, row * factor, wide * factor, (row + 1) * factor)).convert("RGBA")
        small.paste(strip.reduce(factor), (0, row))
    small.getexif().update(image.getexif())
    return small


def _pixels(path: Path, color: bool) -> FloatArray:
    Image: Any = extra("PIL.Image", "Images")
    operations: Any = extra("PIL.ImageOps", "Images")
    with warnings.catch_warnings(), reading(path, "an image", "Leave it out, or save it again."):
        warnings.simplefilter("ignore")  # about unusual but readable files
        with Image.open(path, formats=FORMATS) as image:
            check_pixels(path, *image.size)
            small = operations.exif_transpose(_reduced(image, Image))
            page = Image.new("RGBA", small.size, "white")  # transparent pixels become white
            page.alpha_composite(small.convert("RGBA"))
            small = page.convert("RGB" if color else "L").resize((SIDE, SIDE), Image.Resampling.BOX)
    return np.asarray(small, dtype=np.float64).ravel() / 255.0
