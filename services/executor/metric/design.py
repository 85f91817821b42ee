"""How chance is seen in time: a contrast of two periods, tested against relabelled buckets.

A series is compared by the t-statistic of its step between the periods, after the means of the
weekdays are taken out (Freedman and Lane 1983) and, where the series remembers the day before, its
first-order autocorrelation is filtered out (Cochrane and Orcutt 1949). Its null is the same
statistic with buckets relabelled within their stratum: self-normalised, so neither heavy tails nor
a real step elsewhere makes it too small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from functools import cached_property

import numpy as np
import numpy.typing as npt

from services.executor.metric.cube import Numbers, Whole
from services.executor.metric.spans import Frame

_GRID = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.95])
_SIMULATED = 400
_MANY = 2_000  # ways to relabel, below which p-values would be coarse
_PLAIN_SLOPE, _EARLY_SLOPE = 2.0, 1.0  # t of a slope within both periods, and in the first
MOST_MEMORY = 0.9
"""Autocorrelation that is allowed for at most: beyond, the filter leaves no step to see."""


@dataclass(frozen=True, eq=False)
class Design:
    """Which times are compared and how; `step` is 0 in the baseline, 1 in the comparison, one half
    in both; `moment` is when each time is, in days. `contrast` gives the step of a series: series @
    contrast."""

    step: Numbers
    strata: Whole
    before: Whole
    moment: Numbers

    @property
    def centred(self) -> Numbers:
        """The step without the means of its strata."""
        return np.asarray(without_means(self.step[None, :], self.strata)[0])

    @property
    def contrast(self) -> Numbers:
        """Weights of the times whose sum over a series is its step."""
        x = self.centred
        return np.asarray(x / (x @ self.step))

    @property
    def freedom(self) -> int:
        """Degrees of freedom left to a series after its strata and its step."""
        return len(self.step) - len(np.unique(self.strata)) - 1

    @property
    def filtered(self) -> Design:
        """The design over the times that have one before them in their period."""
        kept = self.before >= 0
        return Design(
            self.step[kept], self.strata[kept], np.full(int(kept.sum()), -1), self.moment[kept]
        )

    def filter(self, series: Numbers, memory: Numbers) -> Numbers:
        """Each series less `memory` times the time before, over the times that have one."""
        kept = np.flatnonzero(self.before >= 0)
        out: Numbers = series[:, kept] - memory[:, None] * series[:, self.before[kept]]
        return out

    def can_filter(self) -> bool:
        """Whether enough times follow on one another to look for autocorrelation."""
        kept = self.before >= 0
        return bool(kept.sum() >= 10) and self.filtered.freedom >= 6

    def memory(self, series: Numbers) -> Numbers:
        """The raw first-order autocorrelation of each series within periods, biased downward."""
        rest = self.without_step(series)
        kept = np.flatnonzero(self.before >= 0)
        ahead = np.einsum("st,st->s", rest[:, kept], rest[:, self.before[kept]])
        power = np.einsum("st,st->s", rest, rest) * len(kept) / rest.shape[1]
        there = power > 0  # in single precision as well, where no least number helps
        return np.where(there, ahead / np.where(there, power, 1.0), 0.0).astype(np.float64)

    def without_step(self, series: Numbers) -> Numbers:
        """Series less their strata's means and their step."""
        out = without_means(series, self.strata)
        x = self.centred
        out -= np.outer(out @ x / (x @ x), x)
        return out

    @cached_property
    def calibrated(self) -> tuple[Numbers, float]:
        """The mean raw autocorrelation for each true one of the grid, by simulation of this
        design, and the variance of the raw one without autocorrelation."""
        random = np.random.default_rng(1)
        raw = []
        for true in _GRID:
            noise = random.standard_normal((_SIMULATED, len(self.step)))
            for at in np.flatnonzero(self.before >= 0):
                noise[:, at] = true * noise[:, self.before[at]] + noise[:, at] * np.sqrt(
                    1 - true**2
                )
            raw.append(self.memory(noise))
        return np.array([found.mean() for found in raw]), float(raw[0].var())

    def beyond_trend(self, series: Numbers) -> float | None:
        """|t| of the step beside a straight line, where the series ran that way before; else None.

        It ran that way where the slope within both periods is plain and of the step's sign, and the
        baseline alone has one of that sign too: so a slope that only began later is a cause, and
        one that goes on is none.
        """
        first = self.step < 0.5
        if self.freedom < 8 or first.sum() < 5:
            return None
        x, line = self.centred, without_means(self.moment[None, :], self.strata)[0]
        ready = without_means(series[None, :], self.strata)[0]
        both = np.stack([x, line], axis=1)
        inverse = np.linalg.pinv(both.T @ both)
        step, slope = inverse @ (both.T @ ready)
        rest = ready - both @ np.array([step, slope])
        error = np.sqrt(rest @ rest / max(self.freedom - 1, 1) * np.diag(inverse))
        sign = np.sign(ready @ x)
        if error[1] <= 0 or sign * slope / error[1] < _PLAIN_SLOPE:
            return None
        early = line[first] - line[first].mean()
        own = float(early @ ready[first] / (early @ early))
        alone = np.sqrt(rest @ rest / max(self.freedom - 1, 1) / (early @ early))
        if sign * own < _EARLY_SLOPE * alone:
            return None
        return float(abs(step) / error[0]) if sign * step > 0 else 0.0

    def relabelled(self, times: int, seed: int) -> Numbers:
        """[times of the series × relabellings] of the centred step.

        Exchanged within strata where there are many ways to; else freely, without the strata's
        means and brought to the step's length (Freedman and Lane). The given step is one of them.
        """
        random = np.random.default_rng(seed)
        x = self.centred
        free = relabellings(self.step, self.strata) < _MANY
        strata = np.zeros_like(self.strata) if free else self.strata
        out = np.empty((times, len(x)))
        members = [np.flatnonzero(strata == s) for s in np.unique(strata)]
        for row in range(times):
            for inside in members:
                out[row, inside] = x[random.permutation(inside)]
        if free:
            out = without_means(out, self.strata)
            length = np.linalg.norm(out, axis=1, keepdims=True)
            out *= np.linalg.norm(x) / np.maximum(length, 1e-12)
        return np.ascontiguousarray(out.T)


def relabellings(step: Numbers, strata: Whole) -> float:
    """Ways to share the times among the periods that keep the number in each stratum."""
    ways = 0.0
    for stratum in np.unique(strata):
        inside = strata == stratum
        n, k = int(inside.sum()), int((step[inside] > 0.5).sum())
        ways += math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(min(ways, 300.0))


def design_of(frame: Frame) -> Design:
    """The design that compares the periods of a frame."""
    step = 0.5 + (frame.comparison - frame.baseline) / 2
    moment = np.arange(len(step), dtype=np.float64)
    if all(isinstance(time, date) for time in frame.times):
        moment = np.array([float(time.toordinal()) for time in frame.times])  # type: ignore[union-attr]
    return Design(step, frame.strata, frame.before, moment)


def without_means(series: npt.NDArray[np.floating], strata: Whole) -> Numbers:
    """Series less the mean of each stratum."""
    out = np.array(series)
    for stratum in np.unique(strata):
        inside = np.flatnonzero(strata == stratum)
        out[:, inside] -= out[:, inside].mean(axis=1, keepdims=True)
    return out


def unbiased(raw: Numbers, calibration: Numbers) -> Numbers:
    """True autocorrelation for a raw one, at least 0 and at most MOST_MEMORY."""
    return np.asarray(np.clip(np.interp(raw, calibration, _GRID), 0.0, MOST_MEMORY))


def memory_of(design: Design, series: Numbers, safe: bool = False) -> float:
    """The autocorrelation of one series; one standard error more where it is to be safe."""
    if not design.can_filter():
        return 0.0
    calibration, chance = design.calibrated
    raw = design.memory(series[None, :]) + (np.sqrt(chance) if safe else 0.0)
    return float(unbiased(raw, calibration)[0])
