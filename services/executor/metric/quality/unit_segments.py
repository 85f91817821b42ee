"""Another unit in a segment of few rows: its sizes before and after, each side taken together.

Buckets of a small segment have too few numbers each to show a gap between sizes. Two sides of all
its numbers do: the shift of the mean logarithm, held against the spread of the logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.executor.metric.arguments import MetricRows
from services.executor.metric.distributions import student_above
from services.executor.metric.quality.found import Found
from services.executor.metric.quality.units import COUNTS, NEAR, SPREADS, UNITS, Sizes

Segment = tuple[str, str | None]

_LEAST_SIDE = 8
"""Numbers on either side from which a mean is told from chance: logarithms of amounts by Pareto's
law are exponential, of which the mean of four is one unit of ten off in one of some thousands."""

_CHANCE = 1e-5
"""Chance of such a shift by itself, over all segments and all days on which it may have begun, were
logarithms normal; that of tails as long as Pareto's is some hundred times as much."""

_LEAST_FACTOR = 5.0
"""Between what a price list does and the smallest factor between units, which is ten."""

_ERRORS = 3.0
"""Standard errors that a shift may be from a factor: sizes are not normal, and it was chosen."""

_LEAST_SPREAD = 0.01
"""Spread of logarithms of numbers that are all the same: those of one price, which may be new."""

_AS_MANY = 0.9
"""Of the rows of the dimension that says most, what another says as well."""


@dataclass(frozen=True)
class _Side:
    """One side's numbers: how many, the mean and variance of their logarithms, rows of a day."""

    logged: float
    mean: float
    variance: float
    per_day: float


@dataclass(frozen=True)
class _Shift:
    """What is `at` its largest where the first `at` buckets are one side: the shift of the mean,
    its standard error, and its t."""

    at: int
    before: _Side
    after: _Side
    size: float
    error: float
    t: float


def unit_change_of_few(
    sizes: Sequence[Sizes], rows: MetricRows, segment: Segment | None, among: int
) -> Found | None:
    """Another unit from some bucket on, or None; `among` is how many segments are looked at.

    It is told where the shift is beyond chance, is a factor between units as far as its error lets
    it be known, and spread and number of rows stayed as they were, as far as these can be known.
    """
    shifts = [one for at in range(1, len(sizes)) if (one := _shift(sizes, at)) is not None]
    best = max(shifts, key=lambda one: abs(one.t), default=None)
    if best is None:
        return None
    freedom = best.before.logged + best.after.logged - 2
    chance = 2 * student_above(abs(best.t), freedom) * len(shifts) * max(among, 1)
    if chance > _CHANCE or abs(best.size) - 2 * best.error < math.log(_LEAST_FACTOR):
        return None
    room = NEAR + _ERRORS * best.error
    # Powers of ten first: a thousand and 1,024 are not told apart by a few numbers.
    ordered = sorted(UNITS, key=lambda unit: not math.log10(unit).is_integer())
    near = next((u for u in ordered if abs(abs(best.size) - math.log(u)) <= room), None)
    if near is None or not _alike(best):
        return None
    first, until = sizes[best.at].start, sizes[-1].last
    way = "larger" if best.size > 0 else "smaller"
    where = f" of {segment[0]} {segment[1]}" if segment else ""
    detail = (
        f"{rows.numerator}{where} is {way} by about the factor {near:,.0f} from {first} to "
        f"{until}, in every size of rows, while their number stays"
    )
    return Found(
        "unit_change",
        "fault",
        detail,
        math.exp(best.before.mean),
        math.exp(best.after.mean),
        column=rows.numerator,
        segment=segment,
        bucket=first,
        until=until,
        weight=sum(one.n for one in sizes[best.at :]),
    )


def of_fewest(found: Sequence[Found]) -> list[Found]:
    """Faults of segments, without those that follow from others: of the dimensions those values
    that have most of the rows at fault, and of dimensions that have about as many the one with the
    fewest values (a country rather than its cities)."""
    by_dimension: dict[str, list[Found]] = {}
    for one in found:
        if one.segment is not None:
            by_dimension.setdefault(one.segment[0], []).append(one)
    if not by_dimension:
        return list(found)
    chosen = _largest(by_dimension)
    return [one for one in found if one.segment is None or one.segment[0] == chosen]


def _largest(by_dimension: Mapping[str, Sequence[Found]]) -> str:
    weights = {name: sum(one.weight for one in each) for name, each in by_dimension.items()}
    most = max(weights.values())
    nearly = [name for name, weight in weights.items() if weight >= _AS_MANY * most]
    values = {name: len({one.segment for one in by_dimension[name]}) for name in nearly}
    return min(nearly, key=lambda name: (values[name], -weights[name], name))


def _shift(sizes: Sequence[Sizes], at: int) -> _Shift | None:
    before, after = _side(sizes[:at]), _side(sizes[at:])
    if before is None or after is None:
        return None
    count = before.logged + after.logged
    pooled = (before.variance * before.logged + after.variance * after.logged) / (count - 2)
    spread = max(pooled, _LEAST_SPREAD**2)
    error = math.sqrt(spread * (1 / before.logged + 1 / after.logged))
    size = after.mean - before.mean
    return _Shift(at, before, after, size, error, size / error)


def _side(sizes: Sequence[Sizes]) -> _Side | None:
    logged = sum(one.logged for one in sizes)
    if logged < _LEAST_SIDE:
        return None
    mean = sum(one.log_sum for one in sizes) / logged
    variance = max(sum(one.log_squares for one in sizes) / logged - mean**2, 0.0)
    days = sum((one.last - one.start).days + 1 for one in sizes)
    return _Side(logged, mean, variance, sum(one.n for one in sizes) / days)


def _alike(shift: _Shift) -> bool:
    """Whether spread and number of rows are as before, or may be, with two standard errors."""
    before, after = shift.before, shift.after
    if min(before.variance, after.variance) <= _LEAST_SPREAD**2:
        return False
    unsure = 2 * math.sqrt(1 / before.logged + 1 / after.logged)
    spread = math.log(after.variance / before.variance) / 2
    rows = math.log(after.per_day / before.per_day)
    return (
        math.log(SPREADS[0]) - unsure / math.sqrt(2)
        <= spread
        <= math.log(SPREADS[1]) + unsure / math.sqrt(2)
        and math.log(COUNTS[0]) - unsure <= rows <= math.log(COUNTS[1]) + unsure
    )
