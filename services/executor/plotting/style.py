"""Looks: fonts that ship with matplotlib, and colours that survive grey and colour blindness."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

MOST_SERIES = 10
DOTS_PER_INCH = 150
WIDTH_INCHES = 8.0
HEIGHT_INCHES = 5.0

INK = "#222222"
FAINT_INK = "#5f5f5f"
GRID = "#e3e3e3"
ABSENT = "#bdbdbd"
OTHER = "#9a9a9a"
COLOUR_MAP = "cividis"

# Okabe and Ito's palette (2008), strongest contrast on white first, yellow last.
PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#56B4E9",
    "#CC79A7",
    "#000000",
    "#882255",
    "#F0E442",
)
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "", "+++", "|||")
DASHES: tuple[Any, ...] = (  # a name, or (offset, (on, off, ...)) in line widths
    "-",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    "-",
    (0, (3, 1)),
    (0, (8, 2)),
    (0, (4, 1, 1, 1, 1, 1)),
    (0, (2, 2)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")

TITLE_SIZE = 13.0
SUBTITLE_SIZE = 10.0
LABEL_SIZE = 10.0
TICK_SIZE = 9.0
NOTE_SIZE = 7.5


def colour(index: int, *, other: bool = False) -> str:
    """Colour of the series at that place; the folded rest is always grey."""
    return OTHER if other else PALETTE[index % len(PALETTE)]


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
