"""Which kind of chart tells the truth about these values, and why it is not the one asked for."""

from __future__ import annotations

import numpy as np

from services.executor.plotting.arguments import ChartType
from services.executor.plotting.columns import Dimension, Kind
from services.executor.plotting.grid import Grid
from services.executor.plotting.parts import MOST_SLICES
from services.executor.plotting.text import quoted, spoken

LINES = frozenset({ChartType.LINE, ChartType.MULTI_LINE, ChartType.AREA})
BARS = frozenset({ChartType.BAR, ChartType.GROUPED_BAR, ChartType.STACKED_BAR})
ONE_NUMBER_A_KEY = frozenset({ChartType.BAR, ChartType.LINE})
MOST_ORDERED_BARS = 60
MOST_BESIDE = 6


def before_reading(
    kind: ChartType,
    x: Dimension,
    *,
    has_y: bool,
    has_series: bool,
    counted: bool = False,
    notes: list[str],
) -> ChartType:
    """Settle the kind as far as the columns alone decide it; bins may be `counted` already."""
    unordered = not x.has_order
    if kind in LINES and unordered:
        notes.append(
            f"Drawn as bars: the values of {quoted(x.name)} have no order a line could follow."
        )
        return ChartType.GROUPED_BAR if has_series else ChartType.BAR
    if kind is ChartType.HISTOGRAM and has_y and not counted:
        notes.append("Drawn as bars: the values are already counted for each group.")
        return ChartType.GROUPED_BAR if has_series else ChartType.BAR
    if kind is ChartType.SCATTER and x.kind not in (Kind.NUMBER, Kind.TIME):
        notes.append(
            f"Drawn as boxes: {quoted(x.name)} is not numeric, so points would lie on lines."
        )
        if not has_y or not _one_each(x):
            return ChartType.BOX
        kind = ChartType.BOX
        notes.pop()
    if kind is ChartType.BOX and has_y and _one_each(x):
        notes.append(f"Drawn as bars: one number for each {spoken(x.name)} has no spread.")
        return ChartType.BAR
    return kind


def _one_each(x: Dimension) -> bool:
    """Whether several names have one row each."""
    return 1 < len(x.keys) == len(set(x.keys))


def after_reading(kind: ChartType, grid: Grid, *, additive: bool, notes: list[str]) -> ChartType:
    """Settle the kind by the values themselves."""
    several = len(grid.series) > 1
    if kind is ChartType.PIE and (why := _no_pie(grid, additive)):
        notes.append(f"Drawn as bars instead of a pie: {why}.")
        return ChartType.GROUPED_BAR if several else ChartType.BAR
    stacked = kind in (ChartType.STACKED_BAR, ChartType.AREA) and several
    if stacked and (why := _no_stack(grid, additive)):
        other = ChartType.MULTI_LINE if kind is ChartType.AREA else ChartType.GROUPED_BAR
        notes.append(f"Drawn side by side instead of stacked: {why}.")
        return other
    continuous = grid.x.kind in (Kind.NUMBER, Kind.TIME)
    if kind in BARS and continuous and len(grid.keys) > MOST_ORDERED_BARS:
        notes.append(f"Drawn as a line: {len(grid.keys):,} bars would be too thin to tell.")
        return ChartType.MULTI_LINE if several else ChartType.LINE
    plain = {ChartType.BAR: ChartType.GROUPED_BAR, ChartType.LINE: ChartType.MULTI_LINE}
    simple = {v: k for k, v in plain.items()} | {ChartType.STACKED_BAR: ChartType.BAR}
    return (plain if several else simple).get(kind, kind)


def is_counted_finely(kind: ChartType, grid: Grid, *, additive: bool) -> bool:
    """Whether there are bars of whole counts for more numbers than bars can be told apart."""
    alone = len(grid.series) == 1 and grid.x.kind is Kind.NUMBER and additive
    if kind not in BARS or not alone or len(grid.keys) <= MOST_ORDERED_BARS:
        return False
    counts = grid.values[~np.isnan(grid.values)]
    return bool((counts >= 0).all() and (counts == np.round(counts)).all())


def is_a_table(grid: Grid, *, additive: bool) -> bool:
    """Whether bars side by side are so many that shades in rows and columns are read sooner."""
    many = len(grid.series) > MOST_BESIDE and len(grid.keys) > MOST_BESIDE
    return not additive and many


def _no_pie(grid: Grid, additive: bool) -> str:
    if not additive:
        return "averages and rates are no parts of a whole"
    if grid.has_negative:
        return "there are negative values"
    if len(grid.series) > 1:
        return "there are several series"
    if len(grid.keys) > MOST_SLICES:
        return f"{len(grid.keys):,} slices cannot be told apart"
    return "" if float(np.nansum(grid.values)) > 0 else "everything is zero"


def _no_stack(grid: Grid, additive: bool) -> str:
    if not additive:
        return "averages and rates do not add up"
    return "there are negative values" if grid.has_negative else ""
