"""Periods shaded and days marked behind a line along time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from services.executor.plotting import measure, style
from services.executor.plotting.arguments import Marked, Shaded
from services.executor.plotting.sheet import Sheet
from services.executor.plotting.text import clean

_COLOURS = ("#9fb6cd", "#f0c27b", "#b7d3b0", "#d9b8d4")
_EPOCH = date(1970, 1, 1)
NAME_SIZE = 8.5


def room_for_names(sheet: Sheet, shaded: Sequence[Shaded]) -> None:
    """Leave a line above the axes for what the periods are called."""
    if shaded:
        sheet.top += measure.height(NAME_SIZE) + 2


def shade(sheet: Sheet, shaded: Sequence[Shaded], marked: Sequence[Marked]) -> None:
    """Draw them as far as they lie on the axis; names stand above it, beside one another."""
    low, high = sheet.axes.get_xlim()
    for place, period in enumerate(shaded):
        start, end = _days(period.start) - 0.5, _days(period.end) + 0.5
        start, end = max(start, low), min(end, high)
        if end <= start:
            continue
        sheet.axes.axvspan(
            start, end, facecolor=_COLOURS[place % len(_COLOURS)], alpha=0.32, linewidth=0, zorder=0
        )
        room = (end - start) / (high - low) * sheet.plot_width
        text = measure.fit(clean(period.label), NAME_SIZE, max(room, 60))
        sheet.axes.annotate(
            text,
            ((start + end) / 2, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            va="bottom",
            annotation_clip=False,
            fontproperties=style.font(NAME_SIZE),
            color=style.FAINT_INK,
        )
    for mark in marked:
        at = _days(mark.at)
        if low <= at <= high:
            sheet.axes.axvline(at, color="#B8420F", linewidth=1.2, linestyle=(0, (4, 2)), zorder=2)
            left = at > low + (high - low) * 0.8
            sheet.axes.annotate(
                clean(mark.label),
                (at, 0),
                xycoords=("data", "axes fraction"),
                xytext=(-4 if left else 4, 4),
                textcoords="offset points",
                ha="right" if left else "left",
                va="bottom",
                color="#B8420F",
                zorder=4,
                fontproperties=style.font(NAME_SIZE),
            )


def _days(day: date) -> float:
    return float((day - _EPOCH).days)
