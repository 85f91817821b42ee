"""Charts that show one number for each category and series: bars, lines, areas, pies, heatmaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from services.executor.plotting import bars, decide, lines, parts, scales, style, temporal
from services.executor.plotting.arguments import ChartType
from services.executor.plotting.columns import Dimension, Kind, Numbers
from services.executor.plotting.grid import (
    Grid,
    fold_series,
    pivot,
    sort_keys,
    strength,
    with_missing_periods,
)
from services.executor.plotting.request import Request, nothing_to_draw
from services.executor.plotting.sheet import Sheet
from services.executor.plotting.text import quoted

MOST_CATEGORIES = 30
MOST_COLUMNS = 40
MOST_GROUPED_BARS = 90


def draw(request: Request, kind: ChartType) -> tuple[Sheet, ChartType]:
    """The chart of that kind, or the one that had to take its place."""
    return _draw(request, kind, request.measure())


def draw_counts(request: Request) -> tuple[Sheet, ChartType]:
    """Rows counted by a column that cannot be binned as numbers."""
    request.notes.append(f"{quoted(request.x.name)} is not numeric: its rows are counted by value.")
    counted = replace(request, x=_coarser(request.x))
    ones = np.ones(len(request.x.keys))
    kind = ChartType.GROUPED_BAR if request.series else ChartType.BAR
    silent: list[str] = []
    x = counted.x
    grid = pivot(x, ones, counted.series, additive=True, notes=silent)
    return _draw_grid(counted, kind, grid)


def _coarser(x: Dimension) -> Dimension:
    """Times by a grain that leaves few enough bars."""
    days = [k for k in x.keys if isinstance(k, float)]
    if x.kind is not Kind.TIME or len(set(days)) <= decide.MOST_ORDERED_BARS:
        return x
    for grain in (temporal.Grain.DAY, temporal.Grain.MONTH, temporal.Grain.YEAR):
        starts = {
            d: temporal.from_ordinal(int(temporal.ordinal(d, grain) // 1), grain) for d in set(days)
        }
        if len(set(starts.values())) <= decide.MOST_ORDERED_BARS or grain is temporal.Grain.YEAR:
            break
    keys = [starts[k] if isinstance(k, float) else None for k in x.keys]
    return replace(x, keys=keys, grain=grain)


def _draw(request: Request, kind: ChartType, y: Numbers) -> tuple[Sheet, ChartType]:
    additive = request.arguments.additive
    grid = pivot(
        request.x, y, request.series,
        additive=additive, notes=request.notes, value_name=request.arguments.y_col or "value",
    )  # fmt: skip
    if request.arguments.absent_is_zero and len(grid.series) > 1:
        grid = replace(grid, values=np.nan_to_num(grid.values))
    return _draw_grid(request, kind, grid)


def _draw_grid(request: Request, kind: ChartType, grid: Grid) -> tuple[Sheet, ChartType]:
    notes, additive = request.notes, request.arguments.additive
    if grid.values.size == 0 or np.isnan(grid.values).all():
        raise nothing_to_draw("No row has a value that could be drawn.")
    if kind is ChartType.HEATMAP:
        return parts.draw_heatmap(request.words, _heatmap_grid(request, grid)), kind
    kind = decide.after_reading(kind, grid, additive=additive, notes=notes)
    grid = fold_series(grid, style.MOST_SERIES, additive, notes)
    if kind in decide.LINES:
        return _line(request, kind, grid)
    if request.log:
        notes.append("The scale stays linear: a bar's length means nothing on a log scale.")
    grid = sort_keys(grid, request.arguments.sort)
    if kind is ChartType.PIE:
        return parts.draw_pie(request.words, grid), kind
    if grid.x.has_order and request.arguments.sort in (None, "x"):
        grid = with_missing_periods(grid, decide.MOST_ORDERED_BARS)
    grid, words = _few_enough(request, kind, grid)
    return bars.draw(words.words, grid, kind), kind


def _line(request: Request, kind: ChartType, grid: Grid) -> tuple[Sheet, ChartType]:
    grid = sort_keys(grid, "x")
    if grid.keys and grid.keys[-1] is None:
        grid = grid.at(range(len(grid.keys) - 1))
        request.notes.append(f"Values without {quoted(request.x.name)} have no place on the line.")
    log = request.log and kind is not ChartType.AREA
    if log:
        grid = replace(grid, values=request.positive(grid.values))
    elif request.log:
        request.notes.append("The scale stays linear: an area means nothing on a log scale.")
    if grid.values.size == 0 or np.isnan(grid.values).all():
        raise nothing_to_draw("No row has a value that could be drawn.")
    return lines.draw(
        request.words, grid, kind, log=log, additive=request.arguments.additive, notes=request.notes
    ), kind


def _few_enough(request: Request, kind: ChartType, grid: Grid) -> tuple[Grid, Request]:
    """At most as many bars as can be read: the largest, with a word on the others."""
    most = MOST_CATEGORIES
    if grid.x.kind in (Kind.NUMBER, Kind.TIME):
        most = decide.MOST_ORDERED_BARS
    if kind is ChartType.GROUPED_BAR:
        most = min(most, max(MOST_GROUPED_BARS // len(grid.series), 6))
    count = len(grid.keys)
    if count <= most:
        return grid, request
    weights = strength(np.abs(grid.values.T), request.arguments.additive)
    largest = sorted(range(count), key=lambda i: (-weights[i], i))[:most]
    remark = f"{most} of {count:,} shown"
    request.notes.append(
        f"The {most} largest of {count:,} values of {quoted(request.x.name)} are shown"
        + _rest(request, grid, set(range(count)) - set(largest))
    )
    words = replace(request.words, footer=f"{request.words.footer} · {remark}")
    return grid.at(sorted(largest)), replace(request, words=words)


def _rest(request: Request, grid: Grid, places: set[int]) -> str:
    if not request.arguments.additive:
        return "."
    total = float(np.nansum(grid.values[:, sorted(places)]))
    unit = request.words.unit or ""
    told = scales.value_text(total, unit)
    behind = f" {unit}" if unit and not told.endswith(unit) else ""
    return f"; the other {len(places):,} add up to {told}{behind}."


def _heatmap_grid(request: Request, grid: Grid) -> Grid:
    """Rows and columns in order, and no more of them than can be read."""
    notes, additive = request.notes, request.arguments.additive
    weights = strength(np.abs(grid.values), additive)
    if len(grid.series) > MOST_CATEGORIES:
        kept = sorted(range(len(weights)), key=lambda i: (-weights[i], i))[:MOST_CATEGORIES]
        notes.append(f"The {MOST_CATEGORIES} largest of {len(grid.series):,} rows are shown.")
        grid = grid.with_series(sorted(kept))
    grid = sort_keys(grid, request.arguments.sort)
    if len(grid.keys) <= MOST_COLUMNS or grid.x.kind in (Kind.NUMBER, Kind.TIME):
        return grid
    columns = strength(np.abs(grid.values.T), additive)
    kept = sorted(range(len(columns)), key=lambda i: (-columns[i], i))[:MOST_COLUMNS]
    notes.append(f"The {MOST_COLUMNS} largest of {len(grid.keys):,} columns are shown.")
    return grid.at(sorted(kept))
