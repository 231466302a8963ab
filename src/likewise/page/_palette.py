"""Colors of clusters."""

from __future__ import annotations

from colorsys import hls_to_rgb

LIGHT = (
    "#176490", "#c3b503", "#b00921", "#c87e9f", "#599059", "#68305c",
    "#9949c3", "#50a3cb", "#b56d13", "#00580c", "#28d271", "#3c2aa9",
)  # fmt: skip
DARK = (
    "#549ac9", "#e6d947", "#f05656", "#f4a6c8", "#87bf85", "#a66897",
    "#cc7cf9", "#7acdf6", "#e79b4d", "#4a944b", "#5cf793", "#6e6bed",
)  # fmt: skip
"""Twelve colors for a light and a dark page, with the same hues in the same order. They were optimized to differ as
much as possible, for normal color vision and for red–green color blindness."""

GOLDEN = 0.618034
LEVELS = {"light": (0.42, 0.55, 0.30), "dark": (0.62, 0.75, 0.50)}


def palette(count: int, scheme: str = "light") -> list[str]:
    """Colors that are easy to distinguish; from the thirteenth on, hues are spaced by the golden ratio.

    Parameters
    ----------
    count : int
    scheme : {"light", "dark"}
        The background.

    Returns
    -------
    list of str
        Such as "#176490".

    Examples
    --------
    >>> palette(2), len(set(palette(40, "dark")))
    (['#176490', '#c3b503'], 40)
    """
    chosen = list(LIGHT if scheme == "light" else DARK)
    for number in range(len(chosen), count):
        levels = LEVELS[scheme]
        red, green, blue = hls_to_rgb(number * GOLDEN % 1, levels[number % len(levels)], 0.6)
        chosen.append(f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}")
    return chosen[:count]
