"""What a metric's leaves add up to in both periods, and how much of its change is whose.

An additive metric's change is a sum over leaves. A ratio's change is split without a rest: with a
leaf's share s of the denominator and its rate r, before (0) and after (1), and the whole's rate R0,

    R1 - R0 = sum s1 (r1 - r0)  +  sum (s1 - s0) (r0 - R0)
                rate effect             mix effect

(Kitagawa 1955, with the comparison's shares on the rates). A leaf without a denominator before has
no rate then: R0 stands for it, so what is new counts as rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from services.executor.metric.cube import Chosen, Cube, Numbers
from services.executor.metric.rates import usual_rates
from services.executor.metric.spans import Frame

_LEAST_RATE = 0.1
"""Of the whole's rate, what a leaf's counts as at least where moves are measured by it: a leaf that
never says yes would else vary by nothing, and its first yes be beyond all chance."""


@dataclass(frozen=True, eq=False)
class Amounts:
    """Sums of leaves in both periods; those before are scaled to the comparison's length.

    `series` is [leaves × times] of what is compared day by day; its step, times `per_step`, is a
    leaf's part in the change of the metric (for a ratio: of its rate effect). The step of `parts`
    is rate and mix effect together. `plain` (of a ratio) are the denominators that `series` and
    `size` are made of.
    """

    ratio: bool
    before: Numbers
    after: Numbers
    base_before: Numbers | None
    base_after: Numbers | None
    rows_before: Numbers
    rows_after: Numbers
    series: Numbers
    size: Numbers
    parts: Numbers
    per_step: float
    plain: Numbers | None = None

    @property
    def totals(self) -> tuple[float, float]:
        """The metric of the whole in both periods."""
        return self.metric(np.ones(len(self.before), dtype=bool))

    def metric(self, inside: Chosen) -> tuple[float, float]:
        """The metric of some leaves (chosen as numpy chooses) in both periods; nan for a ratio
        without a denominator."""
        if self.base_before is None or self.base_after is None:
            return float(self.before[inside].sum()), float(self.after[inside].sum())
        return (
            _over(self.before[inside].sum(), self.base_before[inside].sum()),
            _over(self.after[inside].sum(), self.base_after[inside].sum()),
        )

    @property
    def rate_effects(self) -> Numbers:
        """Of each leaf: for an additive metric all of its change."""
        if self.base_before is None or self.base_after is None:
            return self.after - self.before
        whole = self.totals[0]
        rate = _rates(self.before, self.base_before, whole)
        return np.asarray((self.after - rate * self.base_after) / _some(self.base_after.sum()))

    @property
    def mix_effects(self) -> Numbers:
        """Of each leaf; zeros for an additive metric."""
        if self.base_before is None or self.base_after is None:
            return np.zeros(len(self.before))
        whole = self.totals[0]
        rate = _rates(self.before, self.base_before, whole)
        before = self.base_before / _some(self.base_before.sum())
        after = self.base_after / _some(self.base_after.sum())
        return np.asarray((after - before) * (rate - whole))

    def share_effect(self, inside: Chosen) -> float:
        """What the change of one segment's share of the denominator alone did to a ratio: (s1 - s0)
        (r0 - r0 of the rest); where it is new or gone, by the rates of the period that has it."""
        assert self.base_before is not None and self.base_after is not None
        mask = np.zeros(len(self.before), dtype=bool)
        mask[inside] = True
        shares = [
            float(b[mask].sum()) / _some(b.sum()) for b in (self.base_before, self.base_after)
        ]
        own, rest = self.metric(mask), self.metric(~mask)
        at = 0 if np.isfinite(own[0]) else 1
        gap = own[at] - rest[at] if np.isfinite(own[at] - rest[at]) else 0.0
        return (shares[1] - shares[0]) * gap


def amounts_of(cube: Cube, frame: Frame) -> Amounts:
    """The amounts of a cube's leaves in the periods of a frame."""
    top = frame.values(cube.numerator)
    rows = frame.values(cube.rows)
    base = None if cube.denominator is None else frame.values(cube.denominator)
    scale = frame.scale

    def sums(block: Numbers) -> tuple[Numbers, Numbers]:
        return block @ frame.baseline * scale, block @ frame.comparison

    before, after = sums(top)
    rows_before, rows_after = sums(rows)
    count = float(frame.comparison.sum())
    if base is None:
        return Amounts(
            False, before, after, None, None, rows_before, rows_after, top, top, top, count
        )
    base_before, base_after = sums(base)
    rate = usual_rates(cube, before + after, base_before + base_after)
    per_time = _per_time(frame, base)
    series = (top - rate[:, None] * base) / per_time
    usual = np.maximum(np.abs(rate), _LEAST_RATE * np.abs(_over(top.sum(), base.sum())))
    size = (usual[:, None] * base) / per_time
    first = _over(before.sum(), base_before.sum())
    parts = (top - (first if np.isfinite(first) else 0.0) * base) / per_time
    sums_of = before, after, base_before, base_after, rows_before, rows_after
    return Amounts(True, *sums_of, series, size, parts, 1.0, base / per_time)


def _per_time(frame: Frame, base: Numbers) -> Numbers:
    """The whole's mean denominator of a time in its period, so that steps are of the ratio."""
    whole = base.sum(axis=0)
    first = float(whole @ frame.baseline) / max(float(frame.baseline.sum()), 1.0)
    second = float(whole @ frame.comparison) / max(float(frame.comparison.sum()), 1.0)
    part = frame.comparison / np.maximum(frame.baseline + frame.comparison, 1.0)
    return np.asarray(np.maximum(first * (1 - part) + second * part, 1e-300))


def _rates(top: Numbers, base: Numbers, instead: float) -> Numbers:
    return np.where(base > 0, top / np.where(base > 0, base, 1.0), instead)


def _over(top: float, base: float) -> float:
    return float(top / base) if base else float("nan")


def _some(value: float) -> float:
    return float(value) if value else 1.0
