"""Scatter charts: two measures of the same rows against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from services.executor.plotting import scales, style, temporal
from services.executor.plotting.brief import Brief
from services.executor.plotting.columns import Dimension, Kind, Numbers
from services.executor.plotting.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.artist import Artist

CROWDED = 5_000
OTHERS = "other"


def draw(
    brief: Brief, x: Dimension, y: Numbers, groups: list[str], group_of: list[int], *, log: bool
) -> Sheet:
    """Points; `group_of` gives each row's place in `groups`, or -1 for rows left out."""
    across = np.array([np.nan if k is None else k for k in x.keys], dtype=np.float64)
    member = np.array(group_of)
    shown = ~np.isnan(across) & ~np.isnan(y) & (member >= 0)
    sheet = Sheet(brief.title, brief.subtitle, brief.footer)
    crowded = int(shown.sum()) > CROWDED
    if len(groups) > 1:
        handles = [_handle(groups, i) for i in range(len(groups))]
        sheet.legend(handles, groups, brief.series_label)
    low, high = float(y[shown].min()), float(y[shown].max())
    bottom, top = (
        (low / 1.3, high * 1.3)
        if log
        else scales.limits(low, high, zero=scales.starts_near_zero(low, high))
    )
    sheet.numbers_up(bottom, top, brief.y_label, brief.unit, log=log)
    _across(sheet, x, across[shown], brief.x_label)
    for index in range(len(groups)):
        mine = shown & (member == index)
        sheet.axes.plot(across[mine], y[mine], **_look(groups, index, crowded))
    sheet.axes.spines["left"].set_visible(True)
    sheet.finish()
    return sheet


def _across(sheet: Sheet, x: Dimension, values: Numbers, label: str) -> None:
    low, high = float(values.min()), float(values.max())
    if x.kind is Kind.TIME:
        room = (high - low) * 0.03 or 1.0
        sheet.axes.set_xlim(low - room, high + room)
        sheet.ticks_across(*temporal.ticks(low, high), label)
        return
    near_zero = scales.starts_near_zero(low, high) and not x.is_year
    low, high = scales.limits(low, high, zero=near_zero)
    sheet.numbers_across(low, high, label, None, plain=x.is_year)


def _look(groups: list[str], index: int, crowded: bool) -> dict[str, Any]:
    other = len(groups) > 1 and groups[index].startswith(f"{OTHERS} (")
    return {
        "linestyle": "none",
        "zorder": 2 if other else 3,
        "marker": style.MARKERS[index % len(style.MARKERS)],
        "color": style.colour(index, other=other),
        "markersize": 2.2 if crowded else 5.0,
        "alpha": 0.25 if crowded else 0.75,
        "markeredgecolor": "none" if crowded else "white",
        "markeredgewidth": 0.0 if crowded else 0.5,
    }


def _handle(groups: list[str], index: int) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], **_look(groups, index, crowded=False))
