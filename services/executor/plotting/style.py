"""Looks: fonts that ship with matplotlib, and colours that survive grey and colour blindness."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

MOST_SERIES = 8
DOTS_PER_INCH = 150
WIDTH_INCHES = 8.0
HEIGHT_INCHES = 5.0

INK = "#222222"
FAINT_INK = "#5f5f5f"
GRID = "#e3e3e3"
ABSENT = "#bdbdbd"
OTHER = "#9a9a9a"
COLOUR_MAP = "cividis"

# Okabe and Ito's hues (2008), made dark and light by turns: neighbours differ without colour too.
PALETTE = (
    "#0072B2",
    "#E69F00",
    "#007A5A",
    "#56B4E9",
    "#B8420F",
    "#E3A6C8",
    "#3B3B3B",
    "#C9B458",
)
DASHES: tuple[Any, ...] = (  # a name, or (offset, (on, off, ...)) in line widths
    "-",
    "-",
    "-",
    "-",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (3, 1)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")

TITLE_SIZE = 13.0
SUBTITLE_SIZE = 10.0
LABEL_SIZE = 10.0
TICK_SIZE = 9.0
NOTE_SIZE = 7.5


def colour(index: int, *, other: bool = False) -> str:
    """Colour of the series at that place, of the first eight; the folded rest is always grey."""
    return OTHER if other else PALETTE[index]


@lru_cache(maxsize=2)
def font_path(*, bold: bool) -> str:
    """The bundled font file, so that installed fonts and user settings change nothing."""
    import matplotlib

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name)


@lru_cache(maxsize=32)
def font(size: float, *, bold: bool = False) -> FontProperties:
    """The chart's font at a size in points."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(fname=font_path(bold=bold), size=size)
