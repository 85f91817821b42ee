"""Weights of rows, how many rows they are worth, and which rows are too far out to compare."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from services.executor.causal.profiling.columns import Vector

_LEAST = 1e-6


def average_weights(chance: Vector, treated: Vector) -> Vector:
    """Inverse probability weights of the average effect (Horvitz & Thompson 1952), each group's
    adding up to its number of rows (Hájek 1971)."""
    chance = np.clip(chance, _LEAST, 1 - _LEAST)
    weights = np.where(treated > 0.5, 1 / chance, 1 / (1 - chance))
    return _scaled(weights, treated)


def treated_weights(chance: Vector, treated: Vector) -> Vector:
    """Weights of the effect on the treated: 1 for these, the odds of treatment for the others."""
    chance = np.clip(chance, _LEAST, 1 - _LEAST)
    return _scaled(np.where(treated > 0.5, 1.0, chance / (1 - chance)), treated)


def _scaled(weights: Vector, treated: Vector) -> Vector:
    scaled = weights.copy()
    for group in (treated > 0.5, treated < 0.5):
        if group.any():
            scaled[group] *= group.sum() / weights[group].sum()
    return scaled


def effective(weights: Vector) -> float:
    """How many equal rows the weighted ones are worth: (Σw)² / Σw² (Kish 1965)."""
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def crump(chance: Vector) -> float:
    """The cutoff α below which, and above 1 - α, rows cost more certainty than they add (Crump,
    Hotz, Imbens & Mitnik 2009); 0 where all rows are worth keeping.

    α is the least for which 1/(α(1-α)) is at most twice the mean of 1/(e(1-e)) over rows within.
    """
    chance = np.clip(chance, _LEAST, 1 - _LEAST)
    cost = np.sort(1 / (chance * (1 - chance)))
    means = np.cumsum(cost) / np.arange(1, len(cost) + 1)
    if cost[-1] <= 2 * means[-1]:
        return 0.0
    within = np.flatnonzero(cost <= 2 * means)
    limit = float(2 * means[within[-1]])
    return float(0.5 - np.sqrt(max(0.25 - 1 / limit, 0.0)))


def common_support(chance: Vector, treated: Vector) -> npt.NDArray[np.bool_]:
    """Rows whose chance lies within what both groups reach (Dehejia & Wahba 1999)."""
    one, other = chance[treated > 0.5], chance[treated < 0.5]
    low, high = max(one.min(), other.min()), min(one.max(), other.max())
    return np.asarray((chance >= low) & (chance <= high))


def overlapping(chance: Vector, treated: Vector) -> float:
    """The overlapping coefficient of both groups' chances, 0 to 1 (Weitzman 1970), in 20 bins."""
    edges = np.linspace(0, 1, 21)
    shares = [
        np.histogram(chance[group], edges)[0] / group.sum()
        for group in (treated > 0.5, treated < 0.5)
    ]
    return float(np.minimum(*shares).sum())
