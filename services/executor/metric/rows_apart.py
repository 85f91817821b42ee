"""Numbers of rows beside sums: two readings of the same days, of which each cause is told once.

A sum varies by how many rows there are and by what each of them is worth. Where a segment has more
rows or fewer, what chance makes of their worth hides it: with a squared coefficient of variation c
of single amounts, t of the sum is that of the rows over the square root of 1 + c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from services.executor.metric.cube import Numbers, Whole
from services.executor.metric.field import Field
from services.executor.metric.finding import Found
from services.executor.metric.pursuit import Pursuit
from services.executor.metric.segments import Segments

LEAST_ERRORS = 2.0
"""Standard errors that the sum of a segment moved by, the way its rows did, where its rows are told
as a cause: one in forty does by chance. Rows worth nothing come and go without a bearing on the
sum."""
BESIDE_ROWS = (
    "Numbers of rows were searched beside sums: a segment that stands out by these alone has the "
    "probability of these."
)
_SHARED = 0.5
"""Of the rows of the smaller of two segments, those in the other from which on both are one
cause."""
_SAME = 1e-9


def rows_differ(numerator: Numbers, rows: Numbers) -> bool:
    """Whether rows are worth more or less than each other: else the sum says what the rows say."""
    total = float(rows.sum())
    if not total > 0 or not np.any(numerator):
        return False
    one = float(numerator.sum()) / total
    return bool(np.abs(numerator - one * rows).sum() > _SAME * np.abs(numerator).sum())


def with_bearing(sums: Field, rows: Field) -> Callable[[Whole], Numbers]:
    """By how much segments move the sum by more than LEAST_ERRORS, the way that their rows moved;
    what is not above 0 is not told."""
    of_sums, of_rows = Pursuit(sums, None, 0.0), Pursuit(rows, None, 0.0)

    def matters(numbers: Whole) -> Numbers:
        way = np.sign(of_rows.statistics([], numbers))
        return np.asarray(of_sums.statistics([], numbers) * way - LEAST_ERRORS)

    return matters


def one_of_each(
    segments: Segments, size: Numbers, sums: Sequence[Found], rows: Sequence[Found]
) -> list[Found]:
    """What both readings found; where they name other segments for the same leaves, those of the
    reading that explains more nats there. `size` is that of every leaf, in rows."""
    found = [*sums, *rows]
    inside = [segments.leaves(one.segment) for one in found]
    group = list(range(len(found)))
    for at in range(len(sums)):
        for other in range(len(sums), len(found)):
            if _overlap(inside[at], inside[other], size) > _SHARED:
                old, new = group[other], group[at]
                group = [new if one == old else one for one in group]
    kept = []
    for name in dict.fromkeys(group):
        members = [at for at, one in enumerate(group) if one == name]
        sides = [[found[at] for at in members if (at < len(sums)) is first]
                 for first in (True, False)]  # fmt: skip
        kept += max(sides, key=lambda side: sum(one.gain for one in side))
    return sorted(kept, key=lambda one: (-one.gain, one.segment))


def _overlap(one: Whole, other: Whole, size: Numbers) -> float:
    least = min(float(size[one].sum()), float(size[other].sum()))
    return float(size[np.intersect1d(one, other)].sum()) / max(least, 1e-300)
