"""Propensity of treated and untreated rows as histograms back to back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from services.executor.causal.drawing import paper
from services.executor.plotting import measure, scales, style
from services.executor.plotting.sheet import Sheet
from services.executor.plotting.text import clean

_NUMBER = re.compile(r"\d*\.?\d+(?:[eE][-+]?\d+)?")
_COLOURS = (paper.CHOSEN, paper.SECOND)
Part = tuple[float, float]


def draw(table: pa.Table, title: str, subtitle: str) -> Sheet:
    """The share of each group's rows in each part of the propensity: treated up, untreated down.

    Reads the rows of section `histogram`: `name` is the treatment's value, that of the treated
    first, `text` the part (`0.05 to 0.10`), and `before` counts rows. Raises ToolError for another
    frame.
    """
    columns = ("section", "name", "before", "text")
    rows = [
        row
        for row in paper.rows_of(table, columns, "causal.overlap")
        if row["section"] == "histogram"
    ]
    groups = _counts(rows)
    if len(groups) != 2 or any(sum(part.values()) <= 0 for part in groups.values()):
        raise paper.refused(
            "The frame has no histogram of two groups.",
            "Draw the frame of causal.overlap of a treatment with two values.",
        )
    parts = sorted({part for counts in groups.values() for part in counts})
    return _drawn(parts, groups, title, subtitle)


def _counts(rows: Sequence[dict[str, Any]]) -> dict[str, dict[Part, float]]:
    """Rows by group and part of the propensity, groups in the order of the frame."""
    found: dict[str, dict[Part, float]] = {}
    for row in rows:
        edges = [float(text) for text in _NUMBER.findall(str(row["text"]))]
        if len(edges) == 2 and row["before"] is not None:
            found.setdefault(str(row["name"]), {})[edges[0], edges[1]] = float(row["before"])
    return found


def _drawn(
    parts: list[Part], groups: dict[str, dict[Part, float]], title: str, subtitle: str
) -> Sheet:
    from matplotlib.patches import Patch

    sheet = Sheet(clean(title), clean(subtitle), "each group's bars add up to all of its rows")
    totals = [sum(counts.values()) for counts in groups.values()]
    shares = [
        [100 * counts.get(part, 0.0) / total for part in parts]
        for counts, total in zip(groups.values(), totals, strict=True)
    ]
    texts = [
        f'{kind}, "{measure.fit(clean(name), style.TICK_SIZE, 260)}" ({total:,.0f} rows)'
        for kind, name, total in zip(("treated", "untreated"), groups, totals, strict=True)
    ]
    sheet.legend([Patch(facecolor=each, edgecolor="white") for each in _COLOURS], texts, "")
    reach = max(max(each) for each in shares) * 1.08
    at = scales.ticks(-reach, reach, most=8)
    sheet.axes.set_ylim(-reach, reach)
    sheet.axes.grid(visible=True, axis="y", color=style.GRID, linewidth=0.8)
    sheet.ticks_up(at, scales.tick_texts([abs(v) for v in at], "%"), "share of the group's rows")
    low, high = min(0.0, parts[0][0]), max(1.0, parts[-1][1])
    sheet.numbers_across(
        low, high, "propensity: how likely a row is treated, given its columns", None, grid=False
    )
    for share, colour, sign in zip(shares, _COLOURS, (1, -1), strict=True):
        sheet.axes.bar(
            [start for start, _ in parts],
            [sign * each for each in share],
            [end - start for start, end in parts],
            align="edge",
            facecolor=colour,
            edgecolor="white",
            linewidth=0.6,
            zorder=2,
        )
    sheet.axes.axhline(0, color=style.INK, linewidth=0.9, zorder=3)
    sheet.finish()
    return sheet
