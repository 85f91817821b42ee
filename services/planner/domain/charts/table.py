"""The table: which chart suits what lies along its axis, and what would be false there.

After Mackinlay (1986) and Munzner (2014): position along a common scale for what is compared, lines
only along what has an order, lengths only from zero and only for what may be added in a stack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from services.planner.domain.query.along import Along
from services.planner.domain.query.kinds import ChartType

Meaning = Literal["name", "flag", "year"]


@dataclass(frozen=True, slots=True)
class Row:
    """What suits one kind of axis.

    `alone` is drawn for one number of each value; `parts` for series whose numbers may be added up,
    `beside` for series of averages, rates and levels. `lines` tells whether a line that is asked
    for is true here; where it is not, `instead` is drawn and `why` is said. `meaning` is what the
    tool that draws cannot see in the values themselves.
    """

    alone: ChartType
    parts: ChartType
    beside: ChartType
    lines: bool
    instead: ChartType = ChartType.BAR
    why: str = ""
    meaning: Meaning | None = None


_BAR, _LINE, _LINES = ChartType.BAR, ChartType.LINE, ChartType.MULTI_LINE
_STACKED, _GROUPED = ChartType.STACKED_BAR, ChartType.GROUPED_BAR
_POINTS = ChartType.SCATTER

TABLE: dict[Along, Row] = {
    #                  alone    parts     beside   lines
    Along.TIME: Row(_LINE, _LINES, _LINES, lines=True),
    Along.YEAR: Row(_LINE, _LINES, _LINES, lines=True, meaning="year"),
    Along.CYCLE: Row(_BAR, _LINES, _LINES, lines=True),
    Along.RANGES: Row(_BAR, _STACKED, _GROUPED, lines=True),
    Along.STEPS: Row(_BAR, _STACKED, _GROUPED, lines=True),
    Along.NUMBER: Row(
        _POINTS,
        _POINTS,
        _POINTS,
        lines=False,
        instead=_POINTS,
        why="{x} is measured, and neighbouring values do not follow on each other",
    ),
    Along.FLAG: Row(
        _BAR, _STACKED, _GROUPED, lines=False, why="{x} only says yes or no", meaning="flag"
    ),
    Along.NAME: Row(
        _BAR,
        _STACKED,
        _GROUPED,
        lines=False,
        why="the values of {x} are names without an order that a line could follow",
        meaning="name",
    ),
}
"""By what lies along x: the charts of one number for each value, or each value and series."""

LINES = frozenset((ChartType.LINE, ChartType.MULTI_LINE, ChartType.AREA))


def suited(along: Along, *, series: bool, additive: bool) -> ChartType:
    """The chart that shows one number for each value best."""
    row = TABLE[along]
    if not series:
        return row.alone
    return row.parts if additive else row.beside


def made_true(
    asked: ChartType, along: Along, x: str, *, series: bool, additive: bool
) -> tuple[ChartType, str]:
    """The chart that was asked for, or another and why, where it would be false."""
    row = TABLE[along]
    if asked not in LINES or row.lines:
        return asked, ""
    chart = row.instead
    if chart is ChartType.BAR:
        chart = suited(along, series=series, additive=additive)
    kind = "points" if chart is ChartType.SCATTER else "bars"
    return chart, f"Drawn as {kind}, not as a line: {row.why.format(x=x)}."
