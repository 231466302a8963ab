"""A folder of texts, or of images."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from .._progress import track
from ._bytes import read_text
from ._raw import RawTable

TEXTS = frozenset({"", ".txt", ".text", ".md", ".rst", ".eml"})
IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm"})


def read_folder(path: Path, encoding: str | None) -> RawTable:
    """Read all texts, or name all images, in a folder and the folders in it.

    The id of a row is its path in the folder. The column ``folder`` has the first folder it is in, which is often its
    class.
    """
    files = sorted(file for file in path.rglob("*") if file.is_file() and not _hidden(file, path))
    images = [file for file in files if file.suffix.lower() in IMAGES]
    texts = [file for file in files if file.suffix.lower() in TEXTS or file.suffix[1:].isdigit()]
    if images and texts:
        raise ValueError(
            f"{path} holds {len(images):,} images and {len(texts):,} texts, such as {images[0].name} and "
            f"{texts[0].name}. Keep one kind."
        )
    found = images or texts
    if not found:
        suffixes = Counter(file.suffix.lower() for file in files).most_common(5)
        seen = ", ".join(f"{count:,} {suffix}" for suffix, count in suffixes) or "nothing"
        raise ValueError(f"{path} holds no texts (.txt, .md) and no images (.png, .jpg, …). It holds {seen}.")
    names = [file.relative_to(path).as_posix() for file in found]
    columns: dict[str, Any] = {"file": names}
    if any("/" in name for name in names):
        columns["folder"] = [name.partition("/")[0] if "/" in name else None for name in names]
    others = len(files) - len(found)
    left_out = {f"{others:,} other file{'s' if others > 1 else ''}": "neither texts nor images"} if others else {}
    if images:
        return RawTable(str(path), len(images), columns, images=images, id="file", left_out=left_out)
    contents = [read_text(file, encoding) for file in track(texts)]
    return RawTable(str(path), len(texts), {**columns, "text": contents}, id="file", text="text", left_out=left_out)


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)
