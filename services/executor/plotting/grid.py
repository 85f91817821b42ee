"""Values by category and series: the common shape of bars, lines, areas, pies and heatmaps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mesh.tool import ErrorCategory, ToolError
from services.executor.plotting import temporal
from services.executor.plotting.arguments import Sort
from services.executor.plotting.columns import MISSING, Dimension, Key, Kind, Numbers
from services.executor.plotting.text import quoted, spoken

MOST_SLOTS = 60


@dataclass(frozen=True)
class Grid:
    """`values[s, k]` is series s at key k, NaN where there is none.

    `folded` counts the series that the last row, "other", adds up; 0 when there is no such row.
    """

    x: Dimension
    keys: tuple[Key, ...]
    series: tuple[str, ...]
    values: Numbers
    folded: int = 0

    @property
    def labels(self) -> list[str]:
        """The keys as people write them."""
        return [self.x.label(key) for key in self.keys]

    @property
    def has_negative(self) -> bool:
        """Whether any value lies below zero."""
        return bool((self.values < 0).any())

    def totals(self) -> Numbers:
        """Sum of each key over all series."""
        return np.asarray(np.nansum(self.values, axis=0), dtype=np.float64)

    def at(self, places: Sequence[int]) -> Grid:
        """The same grid with only the keys at these places, in this order."""
        return replace(
            self, keys=tuple(self.keys[i] for i in places), values=self.values[:, list(places)]
        )

    def with_series(self, places: Sequence[int]) -> Grid:
        """The same grid with only the series at these places, in this order."""
        names = tuple(self.series[i] for i in places)
        return replace(self, series=names, values=self.values[list(places)])


def pivot(
    x: Dimension,
    y: Numbers,
    series: Dimension | None,
    *,
    additive: bool,
    notes: list[str],
    value_name: str = "value",
) -> Grid:
    """Bring rows into a grid; rows without a number are left out and counted in a note.

    Rows that share key and series are added up where that is meaningful, else ToolError.
    """
    placed = np.ones(len(y), dtype=bool)
    if x.kind in (Kind.NUMBER, Kind.TIME):
        placed = np.array([k is not None for k in x.keys], dtype=bool)
    usable = ~np.isnan(y) & placed
    note_left_out(int((~placed).sum()), len(y), x.name, notes)
    note_left_out(int((placed & np.isnan(y)).sum()), len(y), value_name, notes)
    rows = np.flatnonzero(usable).tolist()
    names: Sequence[Key] = series.keys if series else ("",) * len(y)
    cells: dict[tuple[Key, Key], float] = {}
    for row in rows:
        place = (names[row], x.keys[row])
        cells[place] = cells.get(place, 0.0) + float(y[row])
    if len(cells) < len(rows):
        _refuse_or_note_duplicates(len(rows) - len(cells), x, series, additive, notes)
    # Keys whose value is null keep their place on an axis with an order: there it is a gap.
    kept = range(len(y)) if x.has_order else rows
    keys = sorted({x.keys[i] for i in kept if x.keys[i] is not None}, key=x.order)
    if not x.has_order:
        keys = list(dict.fromkeys(x.keys[i] for i in rows))
    elif any(key is None for _, key in cells):
        keys.append(None)
    members = list(dict.fromkeys(name for name, _ in cells))
    if series and series.has_order:
        members.sort(key=series.order)
    values = np.full((len(members), len(keys)), np.nan)
    column_of = {key: i for i, key in enumerate(keys)}
    row_of = {name: i for i, name in enumerate(members)}
    for (name, key), value in cells.items():
        values[row_of[name], column_of[key]] = value
    texts = tuple(series.label(name) if series else "" for name in members)
    grid = Grid(x, tuple(keys), texts, values)
    return grid if series is None or series.has_order else _largest_first(grid, additive)


def note_left_out(count: int, of: int, column: str, notes: list[str]) -> None:
    """Say how many of the rows are not drawn, for want of a value in which column."""
    if count:
        has, are = ("has", "is") if count == 1 else ("have", "are")
        rows = f"{count:,} of {of:,} row{'' if of == 1 else 's'}"
        notes.append(f"{rows} {has} no usable {spoken(column)} and {are} not drawn.")


def _refuse_or_note_duplicates(
    count: int, x: Dimension, series: Dimension | None, additive: bool, notes: list[str]
) -> None:
    by = quoted(x.name) + (f" and {quoted(series.name)}" if series else "")
    if not additive:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"Several rows share the same {by}, and their values may not be added up.",
            hint=f"Aggregate by {by} in a step before, or draw a box chart.",
            details={"columns": [x.name] + ([series.name] if series else [])},
        )
    shared = "row shares its" if count == 1 else "rows share their"
    notes.append(f"{count:,} {shared} {by} with another row; the values were added up.")


def _largest_first(grid: Grid, additive: bool) -> Grid:
    weights = strength(grid.values, additive)
    unnamed = [name == MISSING for name in grid.series]
    order = sorted(range(len(weights)), key=lambda i: (unnamed[i], -weights[i], i))
    return grid.with_series(order)


def strength(values: Numbers, additive: bool) -> Numbers:
    """How large each row of values is: its sum, or its mean where sums mean nothing."""
    present = np.maximum((~np.isnan(values)).sum(axis=1), 1)
    sums = np.nansum(values, axis=1)
    return sums if additive else np.asarray(sums / present)


def fold_series(grid: Grid, most: int, additive: bool, notes: list[str]) -> Grid:
    """At most so many series: the largest, and the rest as one where values add up."""
    if len(grid.series) <= most:
        return grid
    weights = strength(np.abs(grid.values), additive)
    shown = most - 1 if additive else most
    largest = set(sorted(range(len(weights)), key=lambda i: (-weights[i], i))[:shown])
    kept = [i for i in range(len(weights)) if i in largest]
    rest = [i for i in range(len(weights)) if i not in largest]
    small = grid.with_series(kept)
    if not additive:
        notes.append(
            f"The {most} largest of {len(weights)} series are shown; left out: "
            + _listing([grid.series[i] for i in rest])
        )
        return small
    absent = np.isnan(grid.values[rest]).all(axis=0)
    total = np.where(absent, np.nan, np.nansum(grid.values[rest], axis=0))
    name = f"other ({len(rest)})"
    notes.append(f'"{name}" adds up {_listing([grid.series[i] for i in rest])}')
    return replace(
        small,
        series=(*small.series, name),
        values=np.vstack([small.values, total]),
        folded=len(rest),
    )


def _listing(names: Sequence[str], most: int = 12) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more." if more > 0 else ".")


def sort_keys(grid: Grid, sort: Sort | None) -> Grid:
    """Keys in the order asked for; by default their own order, else largest value first."""
    if sort == "none":
        return grid.at(_first_seen(grid))
    if sort in ("x", "-x") or (sort is None and grid.x.has_order):
        order = sorted(range(len(grid.keys)), key=_by_key(grid), reverse=sort == "-x")
        return grid.at(sorted(order, key=lambda i: grid.keys[i] is None))
    totals = grid.totals()
    sign = 1 if sort == "y" else -1
    unnamed = [key is None for key in grid.keys]
    return grid.at(sorted(range(len(totals)), key=lambda i: (unnamed[i], sign * totals[i], i)))


def _by_key(grid: Grid) -> Callable[[int], tuple[bool, float, str]]:
    labels = grid.labels
    if grid.x.has_order:
        return lambda i: grid.x.order(grid.keys[i])
    return lambda i: (grid.keys[i] is None, 0.0, labels[i].casefold())


def _first_seen(grid: Grid) -> list[int]:
    seen = {key: place for place, key in reversed(list(enumerate(grid.x.keys)))}
    return sorted(range(len(grid.keys)), key=lambda i: (grid.keys[i] is None, seen[grid.keys[i]]))


def with_missing_periods(grid: Grid, most: int) -> Grid:
    """Empty places for the periods a regular series skips, if that makes at most `most` keys."""
    steps = positions_in_steps(grid)
    if steps is None or steps[1] is None:
        return grid
    return _filled(grid, steps[0], steps[1], most)


def positions_in_steps(grid: Grid) -> tuple[list[float], float | None] | None:
    """Each key as a count of periods and the usual step, for numbers and times."""
    keys = [k for k in grid.keys if isinstance(k, float)]
    if len(keys) != len(grid.keys) or not keys:
        return None
    if grid.x.kind is Kind.TIME and grid.x.grain is not None:
        keys = [temporal.ordinal(k, grid.x.grain) for k in keys]
    elif grid.x.kind is not Kind.NUMBER:
        return None
    return keys, temporal.usual_step(keys)


def _filled(grid: Grid, ordinals: list[float], step: float, most: int) -> Grid:
    grain = grid.x.grain
    if grain in (temporal.Grain.DAY, temporal.Grain.INSTANT):
        return grid
    if any(count != int(count) for count in ordinals) or ordinals[-1] - ordinals[0] > step * most:
        return grid
    first, last, stride = int(ordinals[0]), int(ordinals[-1]), max(int(step), 1)
    wanted = sorted({*range(first, last + 1, stride), *map(int, ordinals)})
    if len(wanted) == len(ordinals) or len(wanted) > most:
        return grid
    values = np.full((len(grid.series), len(wanted)), np.nan)
    for place, count in enumerate(map(int, ordinals)):
        values[:, wanted.index(count)] = grid.values[:, place]
    keys = tuple(temporal.from_ordinal(c, grain) if grain else float(c) for c in wanted)
    return replace(grid, keys=keys, values=values)
