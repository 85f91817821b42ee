"""Charts of several numbers of the same rows, and of so few numbers that they have no shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from services.executor.plotting import bars, panels
from services.executor.plotting.arguments import ChartType
from services.executor.plotting.columns import Dimension, Key, Kind, numbers
from services.executor.plotting.grid import Grid, pivot, sort_keys
from services.executor.plotting.request import Request
from services.executor.plotting.sheet import Sheet
from services.executor.plotting.text import humanise, with_unit

MOST_BESIDE = 20
FEWEST_OF_A_SHAPE = 6
"""Fewer numbers than that have no distribution that a histogram could show."""


def draw_measures(request: Request, names: Sequence[str]) -> Sheet:
    """The measure and these further numeric columns over the same keys, a panel for each."""
    columns = [str(request.arguments.y_col), *names]
    grids = [_of_measure(request, name) for name in columns]
    order = sort_keys(grids[0], request.arguments.sort).keys
    if request.x.kind in (Kind.TIME, Kind.NUMBER):
        order = tuple(key for key in sort_keys(grids[0], "x").keys if key is not None)
    elif len(order) > MOST_BESIDE:
        request = request.remarked(f"{MOST_BESIDE} of {len(order):,} shown")
        order = order[:MOST_BESIDE]
    placed = [grid.at([grid.keys.index(key) for key in order]) for grid in grids]
    labels = [request.words.y_label, *(humanise(name) for name in names)]
    units: list[str | None] = [request.words.unit, *(None for _ in names)]
    return panels.draw_measures(request.words, placed, labels, units)


def _of_measure(request: Request, name: str) -> Grid:
    """One number over all the keys, those without a value among them."""
    values = numbers(request.table, name)
    if request.arguments.fraction and name == request.arguments.y_col:
        values = values * 100
    sums = pivot(request.x, np.nan_to_num(values), None, additive=True, notes=[])
    gaps = pivot(request.x, np.isnan(values).astype(np.float64), None, additive=True, notes=[])
    return replace(sums, values=np.where(gaps.values > 0, np.nan, sums.values))


def few_numbers(request: Request) -> bool:
    """Whether a histogram would be of a handful of numbers."""
    if request.arguments.x_end_col is not None:
        return False
    values = numbers(request.table, request.arguments.x_col)
    return 0 < int((~np.isnan(values)).sum()) < FEWEST_OF_A_SHAPE


def draw_few(request: Request) -> Sheet:
    """A bar for each of a handful of numbers, in the order of the rows."""
    values = numbers(request.table, request.arguments.x_col)
    shown = np.flatnonzero(~np.isnan(values))
    request.notes.append(
        f"Drawn as bars: {len(shown)} number{'s' * (len(shown) != 1)} have no distribution."
        if len(shown) != 1
        else "Drawn as a bar: one number has no distribution."
    )
    keys: list[Key] = [str(row + 1) for row in shown.tolist()]
    rows = Dimension("row", Kind.ORDERED, keys, rank={key: i for i, key in enumerate(keys)})
    grid = Grid(rows, tuple(keys), ("",), values[shown][np.newaxis, :])
    words = request.words
    label = with_unit(words.x_label, words.unit)
    return bars.draw(replace(words, x_label="Row", y_label=label), grid, ChartType.BAR)
