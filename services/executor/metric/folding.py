"""How a cube is made to fit: which values are kept, how long buckets are, which dimensions stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from services.executor.metric.arguments import Bucket, MetricRows
from services.executor.metric.buckets import Buckets, buckets_of
from services.executor.metric.cube_statement import Kept
from services.executor.metric.promise import Promise, Value

_LEAST_VALUES = 3
"""Values of a dimension that are kept before buckets are made longer."""

_LEAST_BUCKETS = 4
"""Buckets that each period should have, so that what varies within it can be told."""

_MANY_BUCKETS = 130
"""Above so many buckets longer ones are taken before values are folded: half a year of days says
what is usual, and leaves are what is searched."""


_HISTORIES = (1.0, 0.5, 0.25, 0.12, 0.0)
"""Parts of the history that are tried: a year, half of it, a quarter, six weeks, none."""


@dataclass(frozen=True)
class Folding:
    """What a cube keeps: dimensions (their places), the values told by name, and the buckets."""

    dimensions: tuple[int, ...]
    values: tuple[Value, ...]
    buckets: Buckets

    def kept(self, rows: MetricRows, promised: Promise) -> list[Kept]:
        """For each dimension, what the statement keeps."""
        kept = []
        for place in self.dimensions:
            values = tuple(v.value for v in self.values if v.dimension == place)
            whole = len(values) >= promised.distinct[place]
            kept.append(Kept(rows.dimensions[place], None if whole else values))
        return kept


class Sample:
    """Leaves of a few days, from which is counted what any folding would leave of them.

    `found` has the columns bucket (days since the first bucket's first day) and d0….
    """

    def __init__(self, found: pa.Table, promised: Promise, days: Buckets) -> None:
        self._starts = days.by_number()
        self._days = np.asarray(found["bucket"].to_numpy(zero_copy_only=False), dtype=np.int64)
        self._codes = [
            _codes(found[f"d{place}"], promised.of(place))
            for place in range(len(promised.distinct))
        ]

    def cells(self, folding: Folding) -> float:
        """Rows that a cube so folded would have, about."""
        starts = {
            int(day): folding.buckets.start_of(self._starts[int(day)]).toordinal()
            for day in np.unique(self._days)
        }
        key = np.array([starts[int(day)] for day in self._days], dtype=np.int64)
        seen = len(np.unique(key))
        for place in folding.dimensions:
            count = sum(v.dimension == place for v in folding.values)
            codes = np.minimum(self._codes[place], count)
            _, key = np.unique(key * (count + 1) + codes, return_inverse=True)
        return float(key.max() + 1) / max(seen, 1) * folding.buckets.count if len(key) else 0.0


def _codes(column: pa.ChunkedArray, values: Sequence[Value]) -> npt.NDArray[np.int64]:
    """The place of each row's value in the order of promise; one beyond the last for others."""
    places = {value.value: place for place, value in enumerate(values)}
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    mapped = np.array(
        [places.get(text, len(values)) for text in encoded.dictionary.to_pylist()], dtype=np.int64
    )
    indices = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    return mapped[indices] if len(mapped) else indices


def whole(rows: MetricRows, promised: Promise, buckets: Buckets) -> Folding:
    """Everything kept that may be."""
    return Folding(tuple(range(len(rows.dimensions))), promised.values, buckets)


def fitted(
    rows: MetricRows, promised: Promise, buckets: Buckets, sample: Sample, most: float
) -> Folding:
    """The folding that keeps most of what is promising and has at most so many cells.

    History gives way first: what is searched is not made coarser for it. Values go in one order
    over all dimensions; as many are kept as fit. Where even a few of each do not, or buckets are
    very many, buckets become longer; then dimensions go, the least promising first.
    """
    every = buckets
    for part in _HISTORIES:
        buckets = _later(rows, every, part)
        folding = whole(rows, promised, buckets)
        if sample.cells(folding) <= most:
            return folding
    if buckets.count > _MANY_BUCKETS:
        folding = replace(folding, buckets=_longer(rows, buckets) or buckets)
        if sample.cells(folding) <= most:
            return folding
    while not _fits(least := _least(folding), sample, most):
        longer = _longer(rows, folding.buckets)
        if longer is not None:
            folding = replace(folding, buckets=longer)
        elif len(folding.dimensions) > 1:
            gone = _least_promising(folding, promised)
            folding = replace(
                folding,
                dimensions=tuple(place for place in folding.dimensions if place != gone),
                values=tuple(v for v in folding.values if v.dimension != gone),
            )
        else:
            break
    return _most_kept(folding, least, sample, most)


def _later(rows: MetricRows, buckets: Buckets, part: float) -> Buckets:
    """The buckets with this part of the history, in whole weeks before both periods."""
    weeks = int((rows.first - buckets.first).days * part) // 7
    if part == 1.0 or buckets.first >= rows.first:
        return buckets
    return buckets_of(rows, buckets.kind, rows.first - timedelta(days=7 * weeks))


def _most_kept(folding: Folding, least: Folding, sample: Sample, most: float) -> Folding:
    """As many values in the order of promise as fit, besides the few of each."""
    always = {(v.dimension, v.value) for v in least.values}
    low, high = 0, len(folding.values)
    best = least
    while low < high:
        middle = (low + high + 1) // 2
        values = tuple(
            value
            for place, value in enumerate(folding.values)
            if place < middle or (value.dimension, value.value) in always
        )
        tried = replace(folding, values=values)
        if sample.cells(tried) <= most:
            low, best = middle, tried
        else:
            high = middle - 1
    return best


def _fits(folding: Folding, sample: Sample, most: float) -> bool:
    return sample.cells(folding) <= most


def _least(folding: Folding) -> Folding:
    """The first few values of each dimension."""
    counts: dict[int, int] = {}
    values = []
    for value in folding.values:
        counts[value.dimension] = counts.get(value.dimension, 0) + 1
        if counts[value.dimension] <= _LEAST_VALUES:
            values.append(value)
    return replace(folding, values=tuple(values))


def _longer(rows: MetricRows, buckets: Buckets) -> Buckets | None:
    """The next longer buckets of which both periods have enough."""
    kinds: tuple[Bucket, ...] = ("day", "week", "month")
    for kind in kinds[kinds.index(buckets.kind) + 1 :]:
        made = buckets_of(rows, kind, buckets.first)
        counts = [made.within(p.start, p.end) for p in (rows.baseline, rows.comparison)]
        if min(counts) >= _LEAST_BUCKETS:
            return made
    return None


def _least_promising(folding: Folding, promised: Promise) -> int:
    """Without a value that moved, and with the most values: what splits finest says least."""
    moved = {v.dimension for v in folding.values if v.moved}
    return max(
        folding.dimensions, key=lambda place: (place not in moved, promised.distinct[place], place)
    )
