"""Numbers that are suddenly in another unit: all of them larger or smaller by one factor.

Sizes are compared as logarithms, of which a factor is a shift that leaves the spread as it was.
What a business does (prices, mixes, campaigns) shifts them too, but hardly all by ten, or sixty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from services.executor.metric.arguments import MetricRows
from services.executor.metric.quality.found import Found, Severity

UNITS = (10.0, 60.0, 100.0, 1_000.0, 1_024.0, 3_600.0, 1_000_000.0, 1_048_576.0)
"""Factors between units of one thing: decimals, cents, thousands, bytes, minutes, seconds."""

NEAR = 0.05
"""How far from a factor the shift may be, as a part, besides two standard errors."""

_MOST_ERROR = 0.1
"""The largest standard error of a shift at which a factor can be told from its neighbours."""

SPREADS = (0.8, 1.25)
"""The spread after by that before, where only the unit changed."""

COUNTS = (0.5, 2.0)
"""Rows after by rows before, in which a change of the unit alone would be."""

_NEAREST = 7
"""Buckets that others are compared with: a week of days."""

_CONSTANT_FACTOR, _TIGHT = 1.5, 0.03
"""A factor of any size is worth a doubt from here on, where the shift is this steady."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of a segment's numbers in one bucket: rows, and sums of logarithms and squares."""

    start: date
    last: date
    n: float
    logged: float
    log_sum: float
    log_squares: float

    @property
    def per_day(self) -> float:
        """Rows of a day."""
        return self.n / ((self.last - self.start).days + 1)


@dataclass(frozen=True)
class _Pooled:
    mean: float
    spread: float
    error: float
    per_day: float
    between: float

    @property
    def size(self) -> float:
        """The typical size (geometric mean)."""
        return math.exp(self.mean)


def unit_change(
    sizes: Sequence[Sizes], rows: MetricRows, segment: tuple[str, str | None] | None, least: float
) -> list[Found]:
    """A stretch of buckets in another unit than the others, or none.

    Buckets of fewer than `least` numbers say nothing. The usual size is that of most buckets.
    """
    known_sizes = [one for one in sizes if one.logged >= least]
    if len(known_sizes) < 2:
        return []
    split = _split(known_sizes)
    if split is None:
        # The unit may have changed in the middle of a bucket.
        for without in range(1, len(known_sizes) - 1):
            left = [*known_sizes[:without], *known_sizes[without + 1 :]]
            split = _split(left)
            if split is not None:
                known_sizes = left
                break
    if split is None:
        return []
    low, high = (
        [known_sizes[p] for p in np.flatnonzero(~split)],
        [known_sizes[p] for p in np.flatnonzero(split)],
    )
    # What is longer is usual; where both are as long, the earlier.
    earlier = min(one.start for one in low) < min(one.start for one in high)
    usual, other = (low, high) if (len(low), earlier) > (len(high), not earlier) else (high, low)
    near = _near(_clear(usual, other), other)
    return _judged(_pooled(near), _pooled(_clear(other, usual)), other, rows, segment, known_sizes)


def _split(sizes: Sequence[Sizes]) -> np.ndarray[tuple[int], np.dtype[np.bool_]] | None:
    """Buckets above the widest gap between sizes, where that is far wider than all others."""
    means = np.array([one.log_sum / one.logged for one in sizes])
    ordered = np.sort(means)
    gaps = np.diff(ordered)
    at = int(np.argmax(gaps))
    sides = [ordered[: at + 1], ordered[at + 1 :]]
    wide = max(float(np.ptp(side)) for side in sides)
    if gaps[at] < math.log(_CONSTANT_FACTOR) * 0.9 or gaps[at] < 2 * wide:
        return None
    return np.asarray(means > ordered[at])


def _clear(own: Sequence[Sizes], others: Sequence[Sizes]) -> Sequence[Sizes]:
    """The buckets but for those next to others, where buckets have several days: some of these may
    be of either."""
    borders = {one.last + timedelta(days=1) for one in others}
    borders |= {one.start - timedelta(days=1) for one in others}
    left = [one for one in own if one.last == one.start or not borders & {one.start, one.last}]
    return left or own


def _near(usual: Sequence[Sizes], other: Sequence[Sizes]) -> Sequence[Sizes]:
    """The usual buckets nearest to the others: prices that rose before are no part of the shift."""
    ends = (other[0].start, other[-1].last)
    ordered = sorted(usual, key=lambda one: min(abs((one.start - end).days) for end in ends))
    return ordered[:_NEAREST]


def _pooled(buckets: Sequence[Sizes]) -> _Pooled:
    count = sum(one.logged for one in buckets)
    mean = sum(one.log_sum for one in buckets) / count
    variance = max(sum(one.log_squares for one in buckets) / count - mean**2, 0.0)
    means = np.array([one.log_sum / one.logged for one in buckets])
    between = float(np.std(means)) if len(means) > 1 else 0.0
    error = math.sqrt(variance / count + between**2 / len(means))
    days = sum(one.per_day for one in buckets) / len(buckets)
    return _Pooled(mean, math.sqrt(variance), error, days, between)


def _judged(
    usual: _Pooled,
    other: _Pooled,
    buckets: Sequence[Sizes],
    rows: MetricRows,
    segment: tuple[str, str | None] | None,
    known_sizes: Sequence[Sizes],
) -> list[Found]:
    shift = other.mean - usual.mean
    error = math.hypot(usual.error, other.error)
    if error > _MOST_ERROR:
        return []
    varies = min(usual.spread, other.spread) > 0.01
    alike = varies and SPREADS[0] <= other.spread / usual.spread <= SPREADS[1]
    stays = COUNTS[0] <= other.per_day / max(usual.per_day, 1e-9) <= COUNTS[1]
    factor = next(
        (unit for unit in UNITS if abs(abs(shift) - math.log(unit)) <= NEAR + 2 * error), None
    )
    steady = alike and stays and max(usual.between, other.between) <= _TIGHT
    severity: Severity = "fault" if factor is not None and alike and stays else "doubt"
    if severity == "doubt" and not steady and (factor is None or (varies and not alike)):
        return []
    first, until = buckets[0].start, buckets[-1].last
    by = f"{factor:,.0f}" if factor else f"{math.exp(abs(shift)):.3g}"
    way = "larger" if shift > 0 else "smaller"
    where = f" of {segment[0]} {segment[1]}" if segment else ""
    detail = (
        f"{rows.numerator}{where} is {way} by the factor {by} from {first} to {until}, in every "
        f"size of rows, while their number stays"
        if stays
        else f"{rows.numerator}{where} is {way} by the factor {by} from {first} to {until}"
    )
    sizes = _typical(known_sizes, rows, "baseline"), _typical(known_sizes, rows, "comparison")
    weight = sum(one.n for one in buckets)
    return [
        Found(
            "unit_change",
            severity,
            detail,
            *sizes,
            column=rows.numerator,
            segment=segment,
            bucket=first,
            until=until,
            weight=weight,
        )
    ]


def _typical(sizes: Sequence[Sizes], rows: MetricRows, name: str) -> float | None:
    """The typical size in a period."""
    period = getattr(rows, name)
    here = [one for one in sizes if period.start <= one.start <= period.end]
    count = sum(one.logged for one in here)
    return math.exp(sum(one.log_sum for one in here) / count) if count else None
