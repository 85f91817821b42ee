"""How long the tails of leaves' noise are: how far chance alone throws one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from services.executor.metric.cube import Numbers, Whole
from services.executor.metric.distributions import (
    student_above,
    student_log_density,
    student_quantile,
)
from services.executor.metric.field import Field

TAILS = (2.2, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 12.0, 20.0, 50.0, 1000.0)
"""Degrees of freedom that are tried."""
_UNCENSORED = 0.99
_REACH = 1.5
_NORMAL_MIDDLE = 0.6745  # the median of |z|


@dataclass(frozen=True, eq=False)
class Tails:
    """The shape of the noise of leaves: the median of absolute standardised residuals, and how
    likely each number of degrees of freedom of a t-distribution with that median is. `reach` is how
    far a leaf counts: beyond it, noise with such tails says no more. Of sparse leaves `own` are the
    standardised residuals themselves, of which no distribution is the shape."""

    middle: float
    chances: Numbers
    own: Numbers | None = None

    @property
    def reach(self) -> float:
        """1.5 times the square root of the degrees of freedom: about where a t-distribution's
        likelihood stops to tell more of a shift the further out a value is; hardly a bound for a
        normal one. Of sparse leaves the largest hundredth is bounded."""
        if self.own is not None:
            return float(np.quantile(np.abs(self.own), _UNCENSORED)) if len(self.own) else 1.0
        freedom = np.array(TAILS)
        unit = self.middle / student_quantile(0.75, freedom)
        return float(_REACH * np.exp(self.chances @ np.log(np.sqrt(freedom) * unit)))


def tails_of(field: Field, rest: Numbers, apart: Whole) -> Tails:
    """Fitted to the residuals of all leaves but those `apart`."""
    usual = np.flatnonzero(field.level > 0)
    usual = usual[~np.isin(usual, apart)]
    spread = np.sqrt(field.level[usual] / field.weight[usual])
    middle, chances = _tails(np.abs(rest[usual]) / spread)
    if field.counted:  # what leaves vary by has a least: so has what chance makes of them
        middle = max(middle, _NORMAL_MIDDLE)
    if not field.sparse:
        return Tails(middle, chances)
    own = rest[field.level > 0] / np.sqrt(field.level / field.weight)[field.level > 0]
    excluded = np.isin(np.flatnonzero(field.level > 0), apart)
    if len(usual):
        random = np.random.default_rng(0)
        own[excluded] = random.choice(own[~excluded], int(excluded.sum()))
    if field.counted:
        own = own / min(1.0, max(float(np.sqrt(np.mean(own**2))), 1e-300))
    return Tails(middle, chances, own)


def _tails(sizes: Numbers) -> tuple[float, Numbers]:
    """The median of absolute residuals, and how likely each number of degrees of freedom of a
    t-distribution with that median is, with the largest hundredth censored."""
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return 1.0, np.eye(len(TAILS))[-1]
    middle = float(np.median(sizes))
    edge = float(np.quantile(sizes, _UNCENSORED))
    inside, beyond = sizes[sizes <= edge], int((sizes > edge).sum())
    value = np.empty(len(TAILS))
    for place, freedom in enumerate(TAILS):
        scale = middle / float(student_quantile(0.75, freedom))
        value[place] = float(student_log_density(inside / scale, freedom).sum())
        value[place] -= len(inside) * np.log(scale)
        value[place] += beyond * float(np.log(student_above(edge / scale, freedom)))
    chances = np.exp(value - value.max())
    return middle, np.asarray(chances / chances.sum())
