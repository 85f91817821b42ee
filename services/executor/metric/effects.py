"""How much of a metric's change each of several segments is, fitted together, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from services.executor.metric.amounts import Amounts
from services.executor.metric.cube import Chosen, Numbers, Whole
from services.executor.metric.design import Design, memory_of
from services.executor.metric.distributions import normal_quantile, student_quantile
from services.executor.metric.field import Field

CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class Effect:
    """A part of the change in the metric's unit, its interval, and its series in time."""

    value: float
    low: float
    high: float
    series: Numbers


def effects_of(
    amounts: Amounts, field: Field, sets: list[Whole], memories: list[float]
) -> list[Effect]:
    """The effect of what all leaves share, then of each set of leaves beside it.

    Fitted so that the effects of separate sets and the common one add up to the change: least
    squares with the leaves weighted by one over their expected amount. `memories` are the
    autocorrelations of the series of the sets.
    """
    count = len(amounts.before)
    expected = np.abs(amounts.before) if not amounts.ratio else field.level * amounts.per_step
    marks = np.zeros((count, len(sets) + 1))
    marks[:, 0] = 1.0
    for column, inside in enumerate(sets):
        marks[inside, column + 1] = 1.0
    new = np.array([not expected[inside].sum() > 0 for inside in [np.arange(count), *sets]])
    for one in np.flatnonzero(new[1:]):  # what is new is all its own, and not the rest's
        marks[np.ix_(sets[one], ~new)] = 0.0
    gram = (marks * expected[:, None]).T @ marks
    gram[new] = 0.0
    gram[np.ix_(new, new)] = np.diag([1.0] * int(new.sum()))
    sums = marks.T @ amounts.series
    parts = np.linalg.pinv(gram, rcond=1e-10, hermitian=False) @ sums
    sizes = np.where(new, 1.0, (marks * expected[:, None]).sum(axis=0))
    series = parts * sizes[:, None] * amounts.per_step
    exact = np.linalg.pinv(gram, rcond=1e-10) @ (marks.T @ amounts.rate_effects) * sizes
    out = []
    for column, (one, value) in enumerate(zip(series, exact, strict=True)):
        if field.in_time:
            memory = memory_of(field.design, one) if column == 0 else memories[column - 1]
            around = half_width(field.design, one, memory)
        else:
            around = _leaf_half_width(amounts, field, marks[:, column] > 0, column == 0)
        out.append(Effect(float(value), float(value - around), float(value + around), one))
    return out


def half_width(design: Design, series: Numbers, memory: float) -> float:
    """Half the confidence interval of a series' step."""
    if memory > 0 and design.can_filter():
        series = design.filter(series[None, :], np.array([memory]))[0] / (1 - memory)
        design = design.filtered
    if design.freedom < 1:
        return float("nan")
    rest = design.without_step(series[None, :])[0]
    error = np.sqrt(rest @ rest / design.freedom * (design.contrast @ design.contrast))
    return float(student_quantile((1 + CONFIDENCE) / 2, design.freedom) * error)


def _leaf_half_width(amounts: Amounts, field: Field, inside: Chosen, whole: bool) -> float:
    there = field.weight > 0
    variance = np.where(there, field.level / np.where(there, field.weight, 1.0), 0.0) * field.noise
    share = 0.0 if whole else float(field.level[inside].sum() / max(field.level.sum(), 1e-300))
    total = float(variance[inside].sum()) * (1 - min(share, 1.0))
    if whole:
        total += field.common * float(field.level.sum()) ** 2
    return float(normal_quantile((1 + CONFIDENCE) / 2) * np.sqrt(total) * amounts.per_step)
