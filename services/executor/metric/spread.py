"""How much leaves and segments vary by chance, with strength borrowed from their like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls
from scipy.special import digamma, polygamma

from services.executor.metric.cube import Numbers, Whole

_BINS = 12
_NORMAL_MAD = 0.6745  # median of |z| of a standard normal
_LEAST_ERROR = 1e-3
"""Relative error of a leaf's forecast at least: the best are off by more, and where all but what a
cause moved agree exactly, its own rounding would stand out."""
_BOUNDED = 0.99
MOST_BORROWED = 60.0
"""Degrees of freedom that the others' variance counts for at most: about what two months of days
give a segment of its own."""


@dataclass(frozen=True)
class Dispersion:
    """Variance of a leaf by its level: linear·level + square·level² (quasi-Poisson and a relative
    error)."""

    linear: float
    square: float

    def weight(self, level: Numbers) -> Numbers:
        """level / variance: how much a unit of each leaf counts."""
        return np.asarray(1.0 / np.maximum(self.linear + self.square * level, 1e-300))

    def variance(self, level: Numbers) -> Numbers:
        """The variance of leaves of these levels."""
        return np.asarray(self.linear * level + self.square * level**2)


def dispersion_of_days(variance: Numbers, level: Numbers) -> Dispersion:
    """Variance in proportion to level, pooled over all leaves.

    One factor for all, so that a segment's weighted series is the plain sum of its rows however
    finely the cube is cut: a level that is seen in one or two rows says nothing of how variance
    grows with it (a leaf is large there because it varied). That large segments vary by more than
    their rows is told by their own series.
    """
    whole = float(level.sum())
    found = float(variance.sum()) / whole if whole > 0 else 0.0
    return Dispersion(found if found > 0 else 1.0, 0.0)


def dispersion_of_leaves(rest: Numbers, level: Numbers) -> Dispersion:
    """Fitted to one residual of each leaf, by medians, so that what a few causes moved counts
    little."""
    there = level > 0
    if not there.any():
        return Dispersion(1.0, 0.0)
    groups = bins_of(np.log(level[there]), min(_BINS, max(int(there.sum()) // 8, 1)))
    found, levels, squares = [], [], []
    for group in range(groups.max() + 1):
        inside = groups == group
        middle = float(np.median(level[there][inside]))
        size = float(np.median(np.abs(rest[there][inside]) / level[there][inside]))
        found.append((max(size / _NORMAL_MAD, _LEAST_ERROR) * middle) ** 2)
        levels.append(middle)
        squares.append(middle**2)
    return _fitted(np.array(found), np.array(levels), np.array(squares))


def dispersion_of_sparse(rest: Numbers, level: Numbers) -> Dispersion:
    """In proportion to level, for leaves of a row or two: both sides are counts, and most residuals
    are a few sizes alike, so that medians say nothing. The largest are bounded, for causes."""
    there = level > 0
    if not there.any():
        return Dispersion(1.0, 0.0)
    ratios = rest[there] ** 2 / level[there]
    found = float(np.minimum(ratios, np.quantile(ratios, _BOUNDED)) @ level[there])
    return Dispersion(found / float(level[there].sum()) or 1.0, 0.0)


def _fitted(found: Numbers, levels: Numbers, squares: Numbers) -> Dispersion:
    """Non-negative least squares of relative errors."""
    least = max(float(np.max(found / levels)), 1e-300) * 1e-6
    scale = np.maximum(found, least * levels)
    terms = np.stack([levels, squares], axis=1) / scale[:, None]
    sizes = np.maximum(terms.max(axis=0), 1e-300)
    [linear, square], _ = nnls(terms / sizes, found / scale)
    if linear <= 0 and square <= 0:
        return Dispersion(least, 0.0)
    return Dispersion(float(linear / sizes[0]), float(square / sizes[1]))


def bins_of(values: Numbers, most: int) -> Whole:
    """Which of at most `most` bins of equal count each value is in; equal values go together."""
    edges = np.quantile(values, np.linspace(0, 1, most + 1)[1:-1]) if most > 1 else np.array([])
    _, found = np.unique(np.searchsorted(np.unique(edges), values), return_inverse=True)
    return found.reshape(-1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Moderation:
    """What the variances of all series say of any one (Smyth 2004): a typical variance by size, and
    the degrees of freedom that it counts for."""

    sizes: Numbers
    ratios: Numbers
    freedom: float

    def typical(self, size: Numbers, information: Numbers) -> Numbers:
        """The typical variance of series of this size, with this much information left to them."""
        ratio = np.exp(np.interp(np.log(np.maximum(size, 1e-300)), self.sizes, self.ratios))
        return np.asarray(ratio * information)


def moderation_of(
    variance: Numbers, size: Numbers, information: Numbers, freedom: int
) -> Moderation:
    """Fitted to variances of series with `freedom` degrees of freedom each."""
    there = (variance > 0) & (information > 0)
    if there.sum() < 3:
        return Moderation(np.zeros(1), np.zeros(1), 0.0)
    logs = np.log(variance[there] / information[there])
    place = np.log(size[there])
    groups = bins_of(place, max(min(_BINS, int(there.sum()) // 5), 1))
    middles = np.array([np.median(place[groups == g]) for g in range(groups.max() + 1)])
    levels = np.array([np.median(logs[groups == g]) for g in range(groups.max() + 1)])
    around = logs - levels[groups]
    spread = float(np.median(np.abs(around))) / _NORMAL_MAD
    more = spread**2 - float(polygamma(1, freedom / 2))
    borrowed = min(_inverse_trigamma(more) * 2, MOST_BORROWED) if more > 0 else MOST_BORROWED
    shift = np.log(freedom / 2) - float(digamma(freedom / 2))
    return Moderation(middles, levels + shift, borrowed)


def _inverse_trigamma(value: float) -> float:
    """x with trigamma(x) = value, by Newton's method (Smyth 2004, appendix)."""
    x = 0.5 + 1.0 / value
    for _ in range(20):
        found = float(polygamma(1, x))
        x += found * (1 - found / value) / float(polygamma(2, x))
    return x
