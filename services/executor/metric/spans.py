"""The two periods over the buckets of a cube, and the contrast that compares them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from mesh.tool import ErrorCategory, ToolArguments, ToolError
from services.executor.metric.cube import Cube, Numbers, Whole

FEWEST_RELABELLINGS = 400
"""Ways to share the buckets among the periods below which days say nothing of chance: with fewer (5
against 5 has 252) hardly a p-value below 0.05 is left once the whole search is allowed for."""
_WEEK = 7


class Span(ToolArguments):
    """Days from `start` to `end`, both inclusive."""

    start: date = Field(description="the first day")
    end: date = Field(description="the last day")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.end < self.start:
            raise ValueError("a period ends on or after the day that it starts")
        return self

    @property
    def days(self) -> int:
        """How many days it has."""
        return (self.end - self.start).days + 1


@dataclass(frozen=True, eq=False)
class Frame:
    """The buckets of two periods in time: what is compared, and how chance is seen in them.

    `values` leaves the cube's buckets and gives [leaves × times]; `baseline` and `comparison` say
    for each time whether it is in that period (in both where they overlap); `strata` groups times
    that may be exchanged (weekdays); `before` is the time just before each in the same period, or
    -1. `scale` is the comparison's length over the baseline's. `spans` are the periods as asked.
    """

    times: tuple[date | str, ...]
    columns: Whole  # bucket of the cube for each time, -1 for a day without rows
    baseline: Numbers
    comparison: Numbers
    strata: Whole
    before: Whole
    scale: float
    notes: tuple[str, ...] = ()
    spans: tuple[Span, Span] | None = None

    def values(self, block: Numbers) -> Numbers:
        """[leaves × times] of a [leaves × buckets] block; days without rows are zeros."""
        out = np.zeros((len(block), len(self.columns)))
        there = self.columns >= 0
        out[:, there] = block[:, self.columns[there]]
        return out

    @property
    def in_time(self) -> bool:
        """Whether chance can be told from the buckets: enough ways to share them out."""
        n, k = len(self.times), int(self.comparison.sum())
        return not isinstance(self.times[0], str) and math.comb(n, min(k, n)) >= FEWEST_RELABELLINGS


def frame_of(cube: Cube, baseline: Span | None, comparison: Span | None) -> Frame:
    """The periods over the cube's buckets. Raises ToolError where a period has none."""
    if cube.leaf_form:
        marks = np.array([1.0, 0.0]), np.array([0.0, 1.0])
        nothing = np.zeros(2, dtype=np.int64)
        return Frame(cube.buckets, np.arange(2), *marks, nothing, nothing - 1, 1.0)
    if baseline is None or comparison is None:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "a cube of days needs the periods baseline and comparison.",
            details={"field": "baseline"},
        )
    days = [b for b in cube.buckets if isinstance(b, date)]
    width = width_of(days)
    known = {day: at for at, day in enumerate(days)}
    spans = [_covered(span, days, width) for span in (baseline, comparison)]
    for name, asked, found in zip(
        ("baseline", "comparison"), (baseline, comparison), spans, strict=True
    ):
        if not found:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f"the {name} from {asked.start} to {asked.end} has no rows: those there are go "
                f"from {days[0]} to {days[-1]}.",
                hint="Name a period inside these days.",
                details={"period": name, "first": str(days[0]), "last": str(days[-1])},
            )
    times = sorted(set(spans[0]) | set(spans[1]))
    inside = [np.array([float(t in set(span)) for t in times]) for span in spans]
    lengths = [
        _length(asked, found, days, width)
        for asked, found in zip((baseline, comparison), spans, strict=True)
    ]
    return Frame(
        tuple(times),
        np.array([known.get(t, -1) for t in times]),
        inside[0],
        inside[1],
        _strata(times, inside[0], inside[1], width),
        _before(times, inside[0], inside[1], width),
        lengths[1] / lengths[0],
        _describe_spans(lengths, set(spans[0]) & set(spans[1])),
        (baseline, comparison),
    )


def width_of(days: list[date]) -> int:
    """Days of a bucket: 1, 7 (weeks) or 28 and more (months), by the least gap between them."""
    gaps = [(b - a).days for a, b in pairwise(days)]
    least = min(gaps, default=1)
    return 1 if least < _WEEK else _WEEK if least < 28 else 30


def _covered(span: Span, days: list[date], width: int) -> list[date]:
    """Buckets of a period: all its days where any has rows, or longer buckets by their middle.

    A day without rows counts as one on which nothing happened, also at either end: whoever asks
    knows how far the data reach, and rows do not tell.
    """
    if width == 1:
        if not any(span.start <= day <= span.end for day in days):
            return []
        return [span.start + timedelta(n) for n in range(span.days)]
    middle = timedelta(width // 2)
    inside = [day for day in days if span.start <= day + middle <= span.end]
    return inside or [day for day in days if span.start <= day <= span.end]


def _length(span: Span, found: list[date], days: list[date], width: int) -> float:
    return float(len(found)) if width == 1 else float(span.days)


def _strata(times: list[date], baseline: Numbers, comparison: Numbers, width: int) -> Whole:
    """Weekdays where both periods have a week and enough ways to share them out stay."""
    nothing = np.zeros(len(times), dtype=np.int64)
    if width != 1 or min(baseline.sum(), comparison.sum()) < _WEEK:
        return nothing
    weekdays = np.array([t.weekday() for t in times])
    both = all(
        baseline[weekdays == day].any() and comparison[weekdays == day].any() for day in range(7)
    )
    return weekdays if both else nothing


def _before(times: list[date], baseline: Numbers, comparison: Numbers, width: int) -> Whole:
    out = np.full(len(times), -1, dtype=np.int64)
    for at in range(1, len(times)):
        near = (times[at] - times[at - 1]).days <= max(width + 1 if width > 1 else 1, 1)
        same = baseline[at] == baseline[at - 1] and comparison[at] == comparison[at - 1]
        out[at] = at - 1 if near and same else -1
    return out


def _describe_spans(lengths: list[float], both: set[date]) -> tuple[str, ...]:
    notes = []
    if lengths[0] != lengths[1]:
        notes.append(
            f"The periods differ in length ({lengths[0]:g} and {lengths[1]:g} days): sums of the "
            "baseline are scaled to the comparison's days."
        )
    if both:
        notes.append(f"The periods overlap: {len(both)} buckets count in both.")
    return tuple(notes)
