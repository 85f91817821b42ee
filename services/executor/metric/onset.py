"""When a series stepped: the change point, and the times that fit nearly as well."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np

from services.executor.metric.cube import Chosen, Numbers, Whole
from services.executor.metric.design import without_means
from services.executor.metric.spans import Span

_LEAST_SIDE = 2
_LIKELY = 3.84  # 95 % of chi-square with one degree of freedom
_SHARED = 6.0
"""Days that the variance of both levels together counts as, where that of one level is told: a few
days alone are alike by chance, and would say so with certainty."""


@dataclass(frozen=True)
class Onset:
    """The first bucket of the new level, and the first and last that fit nearly as well."""

    day: date
    low: date
    high: date


def onset_of(series: Numbers, times: tuple[date | str, ...], strata: Whole) -> Onset | None:
    """The best single step of a series (normal, weekdays apart), with the buckets whose likelihood
    is within 95 % of the best's. None where there are no days or too few.

    Each level has a variance of its own, drawn to that of both: counts vary by as much as they are,
    so a low day before a fall is likelier one of the higher level than least squares have it.
    """
    count = len(series)
    days = [time for time in times if isinstance(time, date)]
    if len(days) != count or count < 2 * _LEAST_SIDE:
        return None
    ready = without_means(series[None, :], strata)[0]
    places = np.arange(_LEAST_SIDE, count - _LEAST_SIDE + 1)
    after = np.arange(count)[None, :] >= places[:, None]
    steps = without_means(after.astype(np.float64), strata)
    power = np.einsum("st,st->s", steps, steps)
    moved = np.where(power > 1e-9, (steps @ ready) / np.maximum(power, 1e-9), 0.0)
    total = float(ready @ ready)
    if total <= 0 or not (moved**2 * power).max() > 0:
        return None
    rest = (ready[None, :] - moved[:, None] * steps) ** 2
    misfit = _misfit(rest, after, total)
    misfit[power <= 1e-9] = np.inf
    best = int(np.argmin(misfit))
    likely = places[misfit - misfit[best] <= _LIKELY]
    return Onset(days[places[best]], days[likely.min()], days[likely.max()])


def within_periods(onset: Onset | None, spans: tuple[Span, Span] | None) -> Onset | None:
    """The onset, or None where it may lie between two periods that are apart: nobody looked at the
    days between."""
    if onset is None or spans is None:
        return onset
    first, second = sorted(spans, key=lambda span: span.start)
    apart = (second.start - first.end).days > 1
    return None if apart and onset.low <= second.start <= onset.high else onset


def _misfit(rest: Numbers, after: Chosen, total: float) -> Numbers:
    """Twice the negative log-likelihood of each step but for a constant, by its squared residuals
    [steps × times]."""
    count = rest.shape[1]
    pooled = np.maximum(rest.sum(axis=1), 1e-12 * total) / count
    out = np.zeros(len(rest))
    for side in (~after, after):
        size = side.sum(axis=1)
        own = (np.where(side, rest, 0.0).sum(axis=1) + _SHARED * pooled) / (size + _SHARED)
        out += size * np.log(own) + np.where(side, rest, 0.0).sum(axis=1) / own
    return np.asarray(out)
