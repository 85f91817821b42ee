"""How far treated and untreated rows are apart, column by column, before and after."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa

from services.executor.causal.drawing import paper
from services.executor.plotting import style
from services.executor.plotting.sheet import Sheet

ALIKE = 0.1
"""Standardised differences up to here count as balance (Austin 2009), and so do correlations with a
dose (Zhu, Coffman & Ghosh 2015)."""
MOST_COLUMNS = 30
LARGEST = 3.0
_AXES = {
    "smd": (
        "difference of means, in standard deviations",
        "0.1: below it groups count as balanced (Austin 2009)",
    ),
    "correlation": (
        "correlation with the dose of the treatment",
        "0.1: below it doses count as balanced (Zhu, Coffman & Ghosh 2015)",
    ),
}
_BEFORE: dict[str, Any] = {
    "marker": "o",
    "markersize": 7.0,
    "linestyle": "none",
    "markerfacecolor": "white",
    "markeredgecolor": paper.PLAIN,
    "markeredgewidth": 1.6,
}
_AFTER: dict[str, Any] = {
    "marker": "o",
    "markersize": 7.0,
    "linestyle": "none",
    "color": paper.CHOSEN,
}


def draw(table: pa.Table, title: str, subtitle: str) -> Sheet:
    """A dot before and one after for each column, the farthest apart on top.

    Raises ToolError where the frame has no standardised differences, nor correlations with a dose.
    """
    columns = ("section", "name", "statistic", "before", "after")
    values = [
        row
        for row in paper.rows_of(table, columns, "causal.overlap")
        if row["section"] == "balance"
    ]
    statistic = next((each for each in _AXES if any(r["statistic"] == each for r in values)), "smd")
    rows = [
        (str(row["name"]), _size(row["before"]), _size(row["after"]))
        for row in values
        if row["statistic"] == statistic
    ]
    rows = [row for row in rows if row[1] is not None or row[2] is not None]
    if not rows:
        raise paper.refused(
            "The frame tells no standardised difference.", "Draw the frame of causal.overlap."
        )
    rows.sort(key=lambda row: (-(row[1] if row[1] is not None else row[2] or 0.0), row[0]))
    label, footer = _AXES[statistic]
    if len(rows) > MOST_COLUMNS:
        footer = f"the {MOST_COLUMNS} of {len(rows)} columns farthest apart · {footer}"
    return _drawn(rows[:MOST_COLUMNS], title, subtitle, label, footer)


def _size(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else abs(value)


def _drawn(
    rows: list[tuple[str, float | None, float | None]],
    title: str,
    subtitle: str,
    label: str,
    footer: str,
) -> Sheet:
    sizes = [value for row in rows for value in row[1:] if value is not None]
    if max(sizes) > LARGEST:
        footer = f"an arrow: more than {LARGEST:g} · {footer}"
    high = max(min(max(sizes), LARGEST), 2 * ALIKE) * 1.06
    sheet = paper.row_sheet(title, subtitle, footer, len(rows))
    shown = [place for place in (1, 2) if any(row[place] is not None for row in rows)]
    names = {1: "before", 2: "after weighting"}
    looks = {1: _BEFORE, 2: _AFTER}
    sheet.legend([paper.handle(**looks[p]) for p in shown], [names[p] for p in shown], "")
    paper.names_down(sheet, [row[0] for row in rows])
    sheet.numbers_across(0.0, high, label, None)
    sheet.axes.axvline(ALIKE, color=style.INK, linewidth=1.1, linestyle=(0, (4, 2)), zorder=1)
    for place, (_, before, after) in enumerate(rows):
        if before is not None and after is not None:
            ends = [min(before, high), min(after, high)]
            sheet.axes.plot(ends, [place, place], color=paper.PALE, linewidth=1.4, zorder=2)
        for value, look in ((before, _BEFORE), (after, _AFTER)):
            if value is not None and value > LARGEST:
                look = {**look, "marker": ">"}
            if value is not None:
                at = min(value, high * 0.985)
                sheet.axes.plot([at], [place], zorder=3, clip_on=False, **look)
    sheet.axes.spines["left"].set_visible(True)
    sheet.finish()
    return sheet
