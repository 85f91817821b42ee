"""Charts that show one number for each category and series: bars, lines, areas, pies, heatmaps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from services.executor.plotting import (
    bars,
    decide,
    lines,
    panels,
    parts,
    scales,
    spread,
    style,
    temporal,
)
from services.executor.plotting.arguments import ChartType
from services.executor.plotting.columns import MISSING, Dimension, Key, Kind, Numbers
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
from services.executor.plotting.text import quoted, spoken

MOST_CATEGORIES = 30
MOST_COLUMNS = 40
MOST_GROUPED_BARS = 90


def draw(request: Request, kind: ChartType) -> tuple[Sheet, ChartType]:
    """The chart of that kind, or the one that had to take its place."""
    return _draw(request, kind, request.measure())


def draw_counts(request: Request) -> tuple[Sheet, ChartType]:
    """Rows counted by a column that cannot be binned as numbers."""
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


def _each_by_itself(request: Request) -> Request:
    """Rows that share a name told apart by a number behind it: they are not one thing."""
    if request.x.kind not in (Kind.CATEGORY, Kind.ORDERED):
        return request
    series = request.series.keys if request.series else [None] * len(request.x.keys)
    seen: Counter[tuple[Key, Key]] = Counter()
    keys: list[Key] = []
    for key, name in zip(request.x.keys, series, strict=True):
        seen[key, name] += 1
        again = seen[key, name]
        keys.append(key if again == 1 or key is None else f"{key} ({again})")
    if len(set(keys)) == len(set(request.x.keys)):
        return request
    return replace(request, x=replace(request.x, keys=keys, kind=Kind.CATEGORY, rank=None))


def _draw(request: Request, kind: ChartType, y: Numbers) -> tuple[Sheet, ChartType]:
    additive = request.arguments.additive
    if request.arguments.each_row:
        request = _each_by_itself(request)
    grid = pivot(
        request.x,
        y,
        request.series,
        additive=additive,
        notes=request.notes,
        value_name=request.arguments.y_col or "value",
    )
    if request.arguments.absent_is_zero and len(grid.series) > 1:
        grid = replace(grid, values=np.nan_to_num(grid.values))
    return _draw_grid(request, kind, grid)


def _draw_grid(request: Request, kind: ChartType, grid: Grid) -> tuple[Sheet, ChartType]:
    notes, additive = request.notes, request.arguments.additive
    if grid.values.size == 0 or np.isnan(grid.values).all():
        raise nothing_to_draw("No row has a value that could be drawn.")
    if kind is ChartType.HEATMAP:
        return parts.draw_heatmap(request.words, _heatmap_grid(request, grid)), kind
    if decide.is_counted_finely(kind, grid, additive=additive):
        notes.append(f"Counted in ranges: {len(grid.keys):,} bars would be too thin to tell.")
        return _in_ranges(request, grid), ChartType.HISTOGRAM
    kind = decide.after_reading(kind, grid, additive=additive, notes=notes)
    if kind is ChartType.MULTI_LINE and len(grid.series) > style.MOST_SERIES:
        return _small_lines(request, grid), kind
    if kind is ChartType.GROUPED_BAR and decide.is_a_table(grid, additive=additive):
        notes.append("Drawn as a heat map: so many bars side by side could not be told apart.")
        return parts.draw_heatmap(request.words, _heatmap_grid(request, grid)), ChartType.HEATMAP
    count = len(grid.series)
    grid = fold_series(grid, style.MOST_SERIES, additive, notes)
    if len(grid.series) < count:
        request = request.remarked(f"{_shown(grid)} of {count:,} {_of_series(request)} shown")
    if kind in decide.LINES:
        return _line(request, kind, grid)
    if request.log:
        notes.append("The scale stays linear: a bar's length means nothing on a log scale.")
    grid = sort_keys(grid, request.arguments.sort)
    grid, request = _without_the_unnamed(request, grid)
    if kind is ChartType.PIE:
        return parts.draw_pie(request.words, grid), kind
    if grid.x.has_order and request.arguments.sort in (None, "x"):
        grid = with_missing_periods(grid, decide.MOST_ORDERED_BARS)
    grid, words = _few_enough(request, kind, grid)
    return bars.draw(words.words, grid, kind), kind


def _in_ranges(request: Request, grid: Grid) -> Sheet:
    """Counts of single numbers, added up in ranges of one width."""
    there = [i for i, key in enumerate(grid.keys) if isinstance(key, float | int)]
    left = float(np.nansum(grid.values)) - float(np.nansum(grid.values[:, there]))
    if left:
        request.notes.append(f"{left:,.0f} rows without {quoted(request.x.name)} are not drawn.")
    keys = np.array([float(grid.keys[i] or 0) for i in there])
    counts = np.nan_to_num(grid.values[0, there])
    edges = spread.bin_edges(keys, counts)
    sums, _ = np.histogram(keys, edges, weights=counts)
    text = f"{counts.sum():,.0f} in all, counted in {len(sums):,} ranges"
    rows = f"{request.table.num_rows:,} rows"
    footer = request.words.footer.replace(rows, text, 1)
    # The unit is of the counts; the numbers along x have theirs in their label.
    words = replace(request.words, unit=None, footer=footer)
    return spread.draw_bins(words, edges[:-1], edges[1:], sums)


def _shown(grid: Grid) -> str:
    return f"{len(grid.series) - (grid.folded > 0):,}"


def _of_series(request: Request) -> str:
    return f"values of {request.words.series_label.lower()}" if request.series else "series"


def _small_lines(request: Request, grid: Grid) -> Sheet:
    """A small chart for each series, the largest first, where one chart would be a tangle."""
    count = len(grid.series)
    weights = strength(np.abs(grid.values), request.arguments.additive)
    unnamed = [name == MISSING for name in grid.series]
    order = sorted(range(count), key=lambda i: (unnamed[i], -weights[i], i))
    kept = order[: panels.MOST_PANELS]
    grid = grid.with_series(sorted(kept) if request.series and request.series.has_order else kept)
    grid = _on_the_line(request, sort_keys(grid, "x"))
    if count > len(kept):
        left = _listing_of(request, count - len(kept))
        request.notes.append(f"The {len(kept)} largest are drawn, each by itself; {left}")
        request = request.remarked(f"{len(kept)} of {count:,} {_of_series(request)} shown")
    return panels.draw_series(request.words, grid, additive=request.arguments.additive)


def _listing_of(request: Request, left: int) -> str:
    return f"{left:,} more {_of_series(request)} are left out."


def _without_the_unnamed(request: Request, grid: Grid) -> tuple[Grid, Request]:
    """Rows without a name stay a bar of their own, unless it would dwarf those that have one."""
    totals = np.abs(grid.totals())
    named = [i for i, key in enumerate(grid.keys) if key is not None]
    if len(named) in (0, len(grid.keys)) or totals[named].max() >= totals.max():
        return grid, request
    value = float(grid.totals()[[i for i, key in enumerate(grid.keys) if key is None]].sum())
    text = scales.value_text(value, request.words.unit)
    remark = f"not drawn: {text} without {spoken(request.x.name)}"
    request.notes.append(f"{remark[0].upper()}{remark[1:]}, more than any that has one.")
    return grid.at(named), request.remarked(remark)


def _line(request: Request, kind: ChartType, grid: Grid) -> tuple[Sheet, ChartType]:
    grid = _on_the_line(request, sort_keys(grid, "x"))
    log = request.log and kind is not ChartType.AREA
    if log:
        grid = replace(grid, values=request.positive(grid.values))
    elif request.log:
        request.notes.append("The scale stays linear: an area means nothing on a log scale.")
    if grid.values.size == 0 or np.isnan(grid.values).all():
        raise nothing_to_draw("No row has a value that could be drawn.")
    asked = request.arguments
    sheet = lines.draw(
        request.words,
        grid,
        kind,
        log=log,
        additive=asked.additive,
        notes=request.notes,
        shaded=asked.shaded,
        marked=asked.marked,
    )
    return sheet, kind


def _on_the_line(request: Request, grid: Grid) -> Grid:
    """Without the key that is missing: it lies nowhere."""
    if not grid.keys or grid.keys[-1] is not None:
        return grid
    request.notes.append(f"Values without {quoted(request.x.name)} have no place on the line.")
    return grid.at(range(len(grid.keys) - 1))


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
    return grid.at(sorted(largest)), request.remarked(remark)


def _rest(request: Request, grid: Grid, places: set[int]) -> str:
    if not request.arguments.additive:
        return "."
    total = float(np.nansum(grid.values[:, sorted(places)]))
    unit = request.words.unit or ""
    text = scales.value_text(total, unit)
    behind = f" {unit}" if unit and not text.endswith(unit) else ""
    return f"; the other {len(places):,} add up to {text}{behind}."


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
