"""The search over one field: its null, what stands out of it, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from services.executor.metric.cube import Numbers, Whole
from services.executor.metric.design import memory_of, without_means
from services.executor.metric.distributions import normal_above, student_above
from services.executor.metric.field import Field
from services.executor.metric.gathering import gather
from services.executor.metric.habits import habits_of
from services.executor.metric.null import Test, null_in_time, null_of_leaves, test_of
from services.executor.metric.pursuit import Pursuit
from services.executor.metric.tails import tails_of

_FEW = 4
"""Leaves below which it cannot be told how much they differ among themselves."""


@dataclass(frozen=True)
class Found:
    """A segment (its number), its gain in nats, its |t| and its p-values: by itself and corrected
    for all segments looked at; `at_most` where nothing in the null was as large."""

    segment: int
    gain: float
    statistic: float
    p_value: float
    p_corrected: float
    at_most: bool


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a search found: segments that stand out, in order of gain, then the best that do not.

    `usual` are those that stand out of the days of both periods, and moved as far between earlier
    pairs of periods.
    """

    found: list[Found]
    left: list[Found]
    null: Numbers
    test: Test | None
    pursuit: Pursuit
    usual: tuple[Found, ...] = ()


def searched(
    field: Field,
    most: int,
    times: int,
    alpha: float,
    seed: int,
    allowed: Callable[[Whole], Numbers] | None = None,
    unrest: Numbers | None = None,
    *,
    beside: Callable[[list[int]], Numbers] | None = None,
) -> Outcome:
    """The segments that stand out at `alpha`, corrected for all segments of the field; `unrest` is
    how far each moved between earlier pairs of periods (`placebo`). With `beside`,
    which gives the same of segments beside one another, those that moved no more than that are
    told, too, and the others are held beside them."""
    usual: list[int] = []
    if field.in_time and len(field.information):
        test: Test | None = replace(test_of(field), unrest=unrest)
        null = null_in_time(field, test, times, seed)  # type: ignore[arg-type]
        pursuit = Pursuit(field, test, threshold_of(null, alpha), allowed)
        pursuit.run(most)
        gather(pursuit)
        if beside is not None and unrest is not None:
            usual = habits_of(pursuit, most, beside)
    else:
        test = None
        count = max(len(field.information), 1)
        pursuit = Pursuit(field, None, float(-ndtri(alpha / count / 2)), allowed)
        pursuit.run(most)
        gather(pursuit)
        tails = tails_of(field, pursuit.fitting.rest(pursuit.taken), _apart(pursuit))
        null = null_of_leaves(field, tails, times, seed)
        pursuit.reach = tails.reach
        pursuit.threshold = threshold_of(null, alpha)
        _only_standing_out(pursuit)
        _only_beyond_ripples(pursuit)
    founds = {k: _found(pursuit, k, null) for k in pursuit.taken}
    found = [one for k, one in founds.items() if k not in usual]
    found.sort(key=lambda one: (-one.gain, one.segment))
    moved = tuple(founds[k] for k in usual)
    return Outcome(found, _left(pursuit, null, allowed), null, test, pursuit, moved)


def _apart(pursuit: Pursuit) -> Whole:
    """The leaves of segments that were taken and stand out also without the leaf that pulls most:
    their moves are no noise, while one leaf far out may be."""
    field, out = pursuit.field, [np.zeros(0, dtype=np.int64)]
    for k in pursuit.taken:
        inside = field.segments.leaves(k)
        pulls = np.sort(np.abs(_beside(pursuit, k)[inside]))
        left = float(pulls[:-1].sum()) if len(pulls) > 1 else 0.0
        spread = np.sqrt(max(float(field.information[k]) * field.noise, 1e-300))
        if left / spread >= pursuit.threshold:
            out.append(inside)
    return np.concatenate(out)


def _beside(pursuit: Pursuit, k: int) -> Numbers:
    """The weighted move of each leaf beside all that is taken but segment k, where it is of the
    segment's sign."""
    others = [one for one in pursuit.taken if one != k]
    moved = pursuit.field.weight * pursuit.fitting.rest(others)
    sign = np.sign(moved[pursuit.field.segments.leaves(k)].sum())
    return np.asarray(np.where(moved * sign > 0, moved, 0.0))


def threshold_of(null: Numbers, alpha: float) -> float:
    """The least statistic whose corrected p-value is at most alpha; infinite where too few
    relabellings were made for any."""
    allowed = int(np.floor(alpha * (1 + len(null)) + 1e-9)) - 1
    if allowed < 0:
        return float("inf")
    largest = np.sort(null)[::-1]
    return float(np.nextafter(largest[allowed], np.inf)) if allowed < len(largest) else 0.0


def p_of(statistic: float, null: Numbers) -> tuple[float, bool]:
    """(1 + how many in the null are as large) / (1 + how many there are), and whether none is."""
    larger = int((null >= statistic).sum())
    return (1 + larger) / (1 + len(null)), larger == 0


def _only_standing_out(pursuit: Pursuit) -> None:
    """Drops, the weakest first, what does not stand out of the null."""
    while pursuit.taken:
        sizes = []
        for k in pursuit.taken:
            others = [one for one in pursuit.taken if one != k]
            sizes.append(abs(float(pursuit.statistics(others, np.array([k]))[0])))
        least = int(np.argmin(sizes))
        if sizes[least] >= pursuit.threshold:
            return
        del pursuit.taken[least]


def _only_beyond_ripples(pursuit: Pursuit) -> None:
    """Drops parts of a segment that move unlike it by no more than its other leaves do: what moved
    a segment moves its leaves by about one ratio, not exactly so where forecasts are very good."""
    field = pursuit.field
    spread = np.sqrt(field.level / np.maximum(field.weight, 1e-300) * field.noise)
    inside = {k: field.segments.leaves(k) for k in pursuit.taken}
    for outer in list(pursuit.taken):
        parts = [k for k in pursuit.taken if k != outer and np.isin(inside[k], inside[outer]).all()]
        without = [k for k in pursuit.taken if k not in parts]
        rest = pursuit.fitting.rest(without)
        for part in parts:
            others = np.setdiff1d(inside[outer], inside[part])
            others = others[spread[others] > 0]
            if len(others) < _FEW:
                continue
            scale = max(float(np.sqrt(np.mean((rest[others] / spread[others]) ** 2))), 1.0)
            statistic = abs(float(pursuit.statistics(without, np.array([part]))[0]))
            if statistic < pursuit.threshold * scale:
                pursuit.taken.remove(part)


def _found(pursuit: Pursuit, k: int, null: Numbers) -> Found:
    others = [one for one in pursuit.taken if one != k]
    at = np.array([k])
    statistic = abs(float(pursuit.statistics(others, at)[0]))
    corrected, at_most = p_of(statistic, null)
    gain = float(pursuit.gains(others, at)[0])
    return Found(k, gain, statistic, p_alone(pursuit, statistic), corrected, at_most)


def p_alone(pursuit: Pursuit, statistic: float) -> float:
    """The p-value of one segment that was not searched for, by its t (normal in leaf form)."""
    if pursuit.test is None:
        return 2 * normal_above(statistic)
    return 2 * student_above(statistic, pursuit.test.freedom)


def _left(
    pursuit: Pursuit, null: Numbers, allowed: Callable[[Whole], Numbers] | None, most: int = 3
) -> list[Found]:
    """The best segments that do not stand out, so that it can be told what was ruled out."""
    if not len(pursuit.field.information):
        return []
    gains = pursuit.gains(pursuit.taken)
    best = np.argsort(-gains, kind="stable")[: 4 * most]
    out = []
    for k in best:
        at = np.array([k])
        statistic = abs(float(pursuit.statistics(pursuit.taken, at)[0]))
        corrected, at_most = p_of(statistic, null)
        if statistic < pursuit.threshold and (allowed is None or allowed(at)[0] > 0):
            one = Found(
                int(k), float(gains[k]), statistic, p_alone(pursuit, statistic), corrected, at_most
            )
            out.append(one)
    return out[:most]


def whole_moved(field: Field, series: Numbers, times: int, seed: int) -> tuple[float, bool]:
    """The p-value of a step in the series of what nothing else explains, and whether it is a bound;
    beside a straight line where it only goes on as it went before."""
    design = field.design
    beyond = design.beyond_trend(series)
    if beyond is not None:
        return 2 * student_above(beyond, max(design.freedom - 1, 1)), False
    memory = memory_of(design, series, safe=True)
    if memory > 0:
        series = design.filter(series[None, :], np.array([memory]))[0]
        design = design.filtered
    ready = without_means(series[None, :], design.strata)[0]
    null = np.abs(ready @ design.relabelled(times, seed))
    return p_of(float(abs(ready @ design.centred)) * (1 - 1e-12), null)
