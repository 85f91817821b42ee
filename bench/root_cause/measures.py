"""What each element adds to a change, how surprising it is, how far it deviates.

The definitions are those of Bhagwan et al., "Adtributor: Revenue Debugging in Advertising Systems",
NSDI 2014 (explanatory power, surprise), and of Squeeze (Li et al., ISSRE 2019; the deviation score,
as RiskLoc has it, Kalander 2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.root_cause.cases import Leaves, Numbers, Whole


@dataclass(frozen=True, eq=False)
class Sums:
    """Predicted and real sums of elements [elements], with denominators for a ratio."""

    predicted: Numbers
    real: Numbers
    predicted_denominator: Numbers | None = None
    real_denominator: Numbers | None = None


def sums_of(leaves: Leaves) -> Sums:
    """Each leaf as an element."""
    return Sums(
        leaves.predicted, leaves.real, leaves.predicted_denominator, leaves.real_denominator
    )


def grouped(sums: Sums, at: Whole, count: int) -> Sums:
    """Elements added up into `count` groups, of which `at` names each one's."""

    def total(amounts: Numbers | None) -> Numbers | None:
        return None if amounts is None else np.bincount(at, amounts, count).astype(float)

    return Sums(
        np.bincount(at, sums.predicted, count).astype(float),
        np.bincount(at, sums.real, count).astype(float),
        total(sums.predicted_denominator),
        total(sums.real_denominator),
    )


def keys_of(codes: Whole, places: Sequence[int]) -> Whole:
    """One number for each row's values at some places; the same for the same values."""
    out = np.zeros(len(codes), dtype=np.int64)
    for place in places:
        out = out * (int(codes[:, place].max(initial=0)) + 1) + codes[:, place]
    return out


def elements_of(codes: Whole, places: Sequence[int]) -> tuple[Whole, Whole]:
    """The codes of each element of a cuboid [elements × places], and which of them each row is."""
    _, first, at = np.unique(keys_of(codes, places), return_index=True, return_inverse=True)
    return codes[first][:, list(places)], np.reshape(at, -1)


def explanatory_power(sums: Sums, whole: Sums) -> Numbers:
    """Each element's part of the whole's change; of an additive metric they add up to 1.

    Of a ratio m1/m2 it is the change by finite differences,
    (Δm1ᵢ·F(m2) - Δm2ᵢ·F(m1)) / (F(m2)·(F(m2) + Δm2ᵢ)), over the sum of that of all elements
    (section 3.4 of Adtributor). Where the whole does not change, zeros.
    """
    change = sums.real - sums.predicted
    if sums.predicted_denominator is None or whole.predicted_denominator is None:
        total = float(whole.real.sum() - whole.predicted.sum())
        return change / total if total else np.zeros(len(change))
    assert sums.real_denominator is not None
    first, second = float(whole.predicted.sum()), float(whole.predicted_denominator.sum())
    below = sums.real_denominator - sums.predicted_denominator
    bottom = second * (second + below)
    power = np.divide(
        change * second - below * first, bottom, out=np.zeros(len(change)), where=bottom > 0
    )
    total = float(power.sum())
    return power / total if total else np.zeros(len(change))


def surprise(sums: Sums) -> Numbers:
    """Each element's term of the Jensen-Shannon divergence between predicted and real shares; of a
    ratio, the sum of those of numerator and denominator."""
    out = _divergence(sums.predicted, sums.real)
    if sums.predicted_denominator is not None and sums.real_denominator is not None:
        out = out + _divergence(sums.predicted_denominator, sums.real_denominator)
    return out


def _divergence(predicted: Numbers, real: Numbers) -> Numbers:
    p = predicted / max(float(predicted.sum()), 1e-300)
    q = real / max(float(real.sum()), 1e-300)
    return 0.5 * (_term(p, p + q) + _term(q, p + q))


def _term(part: Numbers, both: Numbers) -> Numbers:
    ratio = np.divide(2 * part, both, out=np.ones(len(part)), where=(part > 0) & (both > 0))
    return part * np.log(ratio)


def deviation(sums: Sums) -> Numbers:
    """2·(f - v)/(f + v) of each leaf, between -2 and 2; 0 where both are 0. Of a ratio f and v are
    the leaf's own ratios."""
    f, v = values_of(sums)
    both = f + v
    return np.divide(2 * (f - v), both, out=np.zeros(len(both)), where=both != 0)


def values_of(sums: Sums) -> tuple[Numbers, Numbers]:
    """Predicted and real value of each element: its sum, or its ratio (0 without a denominator)."""
    if sums.predicted_denominator is None or sums.real_denominator is None:
        return sums.predicted, sums.real
    return (
        _over(sums.predicted, sums.predicted_denominator),
        _over(sums.real, sums.real_denominator),
    )


def _over(top: Numbers, bottom: Numbers) -> Numbers:
    return np.divide(top, bottom, out=np.zeros(len(top)), where=bottom > 0)
