"""What a change is held against: earlier pairs of periods, and what chance makes of its own days.

All of it is in one unit, so that it can be seen on one axis: a change as a part of the mean of both
of its periods.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from services.executor.metric.cube import Numbers
from services.executor.metric.spans import Span

BINS = 32
_TIE = 1e-12
"""Relative; a change that differs by less is as large."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two earlier periods, and how far the metric moved between them."""

    baseline: Span
    comparison: Span
    movement: float


@dataclass(frozen=True, slots=True)
class Usual:
    """How far the metric moved, how far it did in earlier pairs of periods, and how far it does
    where the times of both periods are dealt out anew: as parts of the change that was seen."""

    own: float
    pairs: tuple[Pair, ...]
    dealt: Numbers


@dataclass(frozen=True, slots=True)
class Statistic:
    """A row of `metric.change`."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    text: str | None = None


def usual_rows(usual: Usual) -> Iterator[Statistic]:
    """The change among those that nothing caused; nothing of a metric that did not move."""
    own = usual.own
    if not np.isfinite(own) or own == 0:
        return
    yield Statistic("movement", own, text="the change as a part of the mean of both periods")
    if usual.pairs:
        moved = np.array([pair.movement for pair in usual.pairs])
        yield Statistic("pairs_as_large", _as_large(moved, own))
        for pair in usual.pairs:
            yield Statistic("earlier_pair", pair.movement, text=_words(pair))
    if len(usual.dealt):
        dealt = usual.dealt * own
        yield Statistic("relabellings", float(len(dealt)))
        yield Statistic("relabellings_as_large", _as_large(dealt, own))
        counts, edges = np.histogram(dealt, BINS)
        for count, low, high in zip(counts, edges, edges[1:], strict=False):
            yield Statistic("by_chance", float(count), float(low), float(high))


def _as_large(moved: Numbers, own: float) -> float:
    return float((np.abs(moved) >= abs(own) * (1 - _TIE)).sum())


def _words(pair: Pair) -> str:
    spans = (pair.baseline, pair.comparison)
    return ", then ".join(f"{one.start.isoformat()} to {one.end.isoformat()}" for one in spans)
