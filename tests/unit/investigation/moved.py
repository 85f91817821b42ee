"""Small data in which some segments moved, and the loop over them."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

import numpy as np
import pyarrow as pa

from tests.unit.investigation.playing import Played, ground_of_rows, played

_FIRST = date(2024, 1, 1)
_DAYS = 28
BASELINE = (_FIRST, _FIRST + timedelta(days=_DAYS - 1))
COMPARISON = (_FIRST + timedelta(days=_DAYS), _FIRST + timedelta(days=2 * _DAYS - 1))
SIZES = {"region": 3, "product": 16, "channel": 2}
_LEVEL = 60.0

Factors = tuple[tuple[tuple[tuple[str, int], ...], float], ...]
"""Segments, as values of dimensions by number, and what each is multiplied by in the comparison."""


def facts_of(factors: Factors, seed: int) -> pa.Table:
    """A row for each day and combination of values, about as large each, with little noise."""
    random = np.random.default_rng(seed)
    names = list(SIZES)
    grid = np.indices(tuple(SIZES.values())).reshape(len(names), -1)
    days = np.arange(2 * _DAYS)
    amount = _LEVEL * (1 + 0.05 * random.standard_normal((len(days), grid.shape[1])))
    amount *= 1 + 0.01 * random.standard_normal((len(days), 1))
    for segment, factor in factors:
        inside = np.ones(grid.shape[1], dtype=bool)
        for name, value in segment:
            inside &= grid[names.index(name)] == value
        amount[np.ix_(days >= _DAYS, inside)] *= factor
    columns = {
        name: [f"{name} {code}" for code in np.tile(grid[place], len(days))]
        for place, name in enumerate(names)
    }
    dates = [_FIRST + timedelta(days=int(day)) for day in np.repeat(days, grid.shape[1])]
    return pa.table({"day": dates, "numerator": amount.ravel(), **columns})


@cache
def loop_of(factors: Factors, suspected: tuple[str, ...] = (), seed: int = 6) -> Played:
    ground = ground_of_rows(tuple(SIZES), BASELINE, COMPARISON, suspected=suspected)
    return played(ground, facts_of(factors, seed))


ONE: Factors = (((("region", 1), ("channel", 0)), 0.5),)
FIVE: Factors = tuple(
    ((("product", number),), factor) for number, factor in enumerate((0.2, 2.6, 0.4, 2.2, 0.6))
)
NESTED: Factors = tuple(
    (inside[:depth], factor)
    for number in range(7)
    for inside in ((("product", number), ("region", number % 3), ("channel", number % 2)),)
    for depth, factor in enumerate((2.0, 1.5, 1.5) if number % 2 else (0.5, 0.6, 0.6), 1)
)
