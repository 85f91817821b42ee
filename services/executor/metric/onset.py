"""When a series stepped: the change point, and the times that fit nearly as well."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np

from services.executor.metric.cube import Numbers, Whole
from services.executor.metric.design import without_means

_LEAST_SIDE = 2
_LIKELY = 3.84  # 95 % of chi-square with one degree of freedom


@dataclass(frozen=True)
class Onset:
    """The first bucket of the new level, and the first and last that fit nearly as well."""

    day: date
    low: date
    high: date


def onset_of(series: Numbers, times: tuple[date | str, ...], strata: Whole) -> Onset | None:
    """The best single step of a series (least squares, weekdays apart), with the buckets whose
    likelihood is within 95 % of the best's. None where there are no days or too few."""
    count = len(series)
    days = [time for time in times if isinstance(time, date)]
    if len(days) != count or count < 2 * _LEAST_SIDE:
        return None
    ready = without_means(series[None, :], strata)[0]
    places = np.arange(_LEAST_SIDE, count - _LEAST_SIDE + 1)
    steps = (np.arange(count)[None, :] >= places[:, None]).astype(np.float64)
    steps = without_means(steps, strata)
    power = np.einsum("st,st->s", steps, steps)
    gain = np.where(power > 1e-9, (steps @ ready) ** 2 / np.maximum(power, 1e-9), 0.0)
    total = float(ready @ ready)
    best = int(np.argmax(gain))
    if gain[best] <= 0 or total <= 0:
        return None
    rest = max(total - float(gain[best]), 1e-12 * total)
    likely = places[(gain[best] - gain) / rest * count <= _LIKELY]
    return Onset(days[places[best]], days[likely.min()], days[likely.max()])
