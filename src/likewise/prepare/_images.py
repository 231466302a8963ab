"""Images: small pictures, pixel by pixel. Read through Pillow."""

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

SIDE = 32
"""Pixels along each side."""


@dataclass(eq=False)
class Images:
    """Pictures of any size as 32 × 32 pixels between 0 and 1.

    Attributes
    ----------
    color : bool
        Whether a pixel has three values; it has one where no picture has color.
    """

    _saved: ClassVar[Saved] = Saved(("color",))

    color: bool

    @classmethod
    def fit(cls, raw: RawTable) -> tuple[Self, FloatArray]:
        """Look whether there is color, and read the pictures."""
        block = cls(color=True)
        X = block.transform(raw)
        pixels = X.reshape(len(X), -1, 3)
        if np.ptp(pixels, axis=2).max() == 0:
            block.color = False
            return block, np.ascontiguousarray(pixels[:, :, 0])
        return block, X

    def transform(self, raw: RawTable) -> FloatArray:
        """The pixels of each picture, row by row of the picture."""
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


def _pixels(path: Path, color: bool) -> FloatArray:
    Image: Any = extra("PIL.Image", "Images")
    operations: Any = extra("PIL.ImageOps", "Images")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                upright = operations.exif_transpose(image)
                page = Image.new("RGBA", upright.size, "white")  # what can be seen through lies on white
                page.alpha_composite(upright.convert("RGBA"))
                small = page.convert("RGB" if color else "L").resize((SIDE, SIDE), Image.Resampling.BOX)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise ValueError(f"{path} has more pixels than an image should. Leave it out, or make it smaller.") from None
    except (OSError, SyntaxError, ValueError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise ValueError(f"{path} cannot be read as an image: {error}. Leave it out, or save it again.") from None
    return np.asarray(small, dtype=np.float64).ravel() / 255.0
