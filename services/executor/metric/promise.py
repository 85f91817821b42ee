"""Which values of the dimensions are worth a name of their own, judged by the margins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from services.executor.metric.arguments import MetricRows
from services.executor.metric.distributions import normal_quantile

Floats = npt.NDArray[np.float64]

_SURE = 0.001
"""Chance that one value anywhere is taken for moved that is not: far below the 5 % that a search
allows itself, so that choosing by the data it will judge costs next to nothing."""

_ENOUGH = 8
"""Values from which the spread of a dimension's own values says what is usual there."""


@dataclass(frozen=True)
class Value:
    """A value of a dimension (its place) with what it counts for; None is NULL.

    `share` of the dimension's size, the mean of both periods; values that moved beyond chance come
    above all others, with one more than that.
    """

    dimension: int
    value: str | None
    priority: float
    moved: bool


@dataclass(frozen=True)
class Promise:
    """The values of all dimensions, the most promising first; of each, how many there are."""

    values: tuple[Value, ...]
    distinct: tuple[int, ...]

    def of(self, dimension: int) -> tuple[Value, ...]:
        """Those of one dimension, in the same order."""
        return tuple(value for value in self.values if value.dimension == dimension)


def promise(margins: pa.Table, rows: MetricRows, most_values: int) -> Promise:
    """Orders values by size over both periods together, after those that surely moved.

    The sum of both periods says nothing of their difference where nothing happened, so values kept
    for their size do not bias a search for what moved; those kept because they moved are so few by
    chance (`_SURE`) that they do not either. At most `most_values` of a dimension are there.
    """
    dimensions = np.array(margins["dimension"].to_pylist(), dtype=object)
    sums = {
        name: _floats(margins, f"{side}_{what}")
        for side, letter in (("baseline", "b"), ("comparison", "c"))
        for what, mark in (
            ("numerator", "n"),
            ("denominator", "m"),
            ("rows", "r"),
            ("squares", "q"),
        )
        for name in [letter + mark]
    }
    folded = np.array(margins["folded"].to_pylist(), dtype=bool)
    texts = margins["value"].to_pylist()
    total = {name: float(values[dimensions == ""][0]) for name, values in sums.items()}
    number = int(np.count_nonzero((dimensions != "") & ~folded))
    critical = _critical(max(number, 1))
    found: list[Value] = []
    distinct = []
    for place, dimension in enumerate(rows.dimensions):
        here = np.flatnonzero((dimensions == dimension) & ~folded)
        others = np.flatnonzero((dimensions == dimension) & folded)
        counted = margins["values"].take(pa.array(others)).to_pylist() if len(others) else []
        distinct.append(len(here) + int(sum(counted)))
        own = {name: values[here] for name, values in sums.items()}
        z = _standardised(own, total, rows.denominator is not None)
        share = _shares(own, total, rows)
        moved = np.abs(z) > critical
        ranked = sorted(
            (
                Value(
                    place,
                    texts[row],
                    float(share[at]) + (1.0 if moved[at] else 0.0),
                    bool(moved[at]),
                )
                for at, row in enumerate(here)
            ),
            key=_place,
        )
        found += ranked[:most_values]
    return Promise(tuple(sorted(found, key=_place)), tuple(distinct))


def _place(value: Value) -> tuple[float, int, bool, str]:
    return -value.priority, value.dimension, value.value is None, value.value or ""


def _critical(tests: int) -> float:
    return -normal_quantile(_SURE / (2 * tests))


def _standardised(own: dict[str, Floats], total: dict[str, float], ratio: bool) -> Floats:
    """How far each value moved against the rest, in standard deviations of sums of its rows.

    Where there are enough values their own spread (median absolute deviation) widens it: days
    differ by more than their rows do by themselves.
    """
    if ratio:
        rates = [total["bn"] / total["bm"] if total["bm"] else 0.0]
        rates.append(total["cn"] / total["cm"] if total["cm"] else 0.0)
        growth = total["cm"] / total["bm"] if total["bm"] else 1.0
        moved = own["cn"] - rates[1] * own["cm"] - growth * (own["bn"] - rates[0] * own["bm"])
        mixed = own["cm"] - growth * own["bm"]
        per_row = [np.square(own[f"{s}m"]) / np.maximum(own[f"{s}r"], 1) for s in "bc"]
        spread = own["cq"] + growth**2 * own["bq"]
        spread += rates[1] ** 2 * per_row[1] + growth**2 * rates[0] ** 2 * per_row[0]
        one = _robust(moved / np.sqrt(np.maximum(spread, 1e-300)))
        other = _robust(mixed / np.sqrt(np.maximum(per_row[1] + growth**2 * per_row[0], 1e-300)))
        return np.where(np.abs(one) > np.abs(other), one, other)
    growth = total["cn"] / total["bn"] if total["bn"] else 1.0
    spread = own["cq"] + growth**2 * own["bq"]
    return _robust((own["cn"] - growth * own["bn"]) / np.sqrt(np.maximum(spread, 1e-300)))


def _robust(z: Floats) -> Floats:
    if len(z) < _ENOUGH:
        return z
    return z / max(1.0, float(1.4826 * np.median(np.abs(z - np.median(z)))))


def _shares(own: dict[str, Floats], total: dict[str, float], rows: MetricRows) -> Floats:
    """Of what is summed, what falls to each value, both periods weighing the same; of rows where
    all sums are nought."""
    what = "m" if rows.denominator is not None else "n"
    size = np.zeros(len(own["br"]))
    for side in "bc":
        here = np.abs(own[side + what])
        if not here.sum():
            here = own[f"{side}r"]
        size += here / max(here.sum(), 1e-300) / 2
    return np.asarray(size, dtype=np.float64)


def _floats(table: pa.Table, column: str) -> Floats:
    numbers = table[column].cast(pa.float64(), safe=False)
    return np.nan_to_num(np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64))
