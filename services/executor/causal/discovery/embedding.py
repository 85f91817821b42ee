"""Columns as blocks of standardised numbers that Gaussian tests and scores can compare.

A number is one, by its normal scores where tails are heavy (Harris & Drton 2013); a category is
the dummies of its levels but one (the degenerate Gaussian embedding of Andrews, Ramsey & Cooper
2019); a number that others follow along a curve also has its second Legendre polynomial (the basis
functions of Ramsey, Andrews & Spirtes 2025).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from services.executor.causal.discovery.columns import Column

HEAVY_KURTOSIS = 10.0
CURVED_GAIN = 0.1
CURVED_Z = 5.0


def embed(columns: Sequence[Column]) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """The places of each column's numbers, and all numbers (rows x width), standardised."""
    plain = [_numbers(column) for column in columns]
    curves = _curves(columns, plain)
    blocks: list[np.ndarray] = []
    parts: list[np.ndarray] = []
    width = 0
    for place, numbers in enumerate(plain):
        whole = np.column_stack([numbers, curves[place]]) if place in curves else numbers
        parts.append(whole)
        blocks.append(np.arange(width, width + whole.shape[1]))
        width += whole.shape[1]
    return tuple(blocks), np.hstack(parts) if parts else np.empty((0, 0))


def integers_of(columns: Sequence[Column]) -> np.ndarray | None:
    """Levels of all columns (rows x columns), or None where one has many numbers."""
    if any(not len(column.levels) for column in columns):
        return None
    return np.column_stack([column.levels for column in columns])


def kurtosis(values: np.ndarray) -> float:
    """Excess kurtosis: 0 of a normal distribution."""
    centred = values - values.mean()
    spread = float((centred**2).mean())
    return float((centred**4).mean()) / spread**2 - 3 if spread > 0 else 0.0


def standardised(values: np.ndarray) -> np.ndarray:
    """Centred, with a standard deviation of one (of nothing but its mean: zero)."""
    centred = values - values.mean(axis=0)
    spread = np.asarray(centred.std(axis=0))
    result: np.ndarray = centred / np.where(spread > 0, spread, 1.0)
    return result


def _numbers(column: Column) -> np.ndarray:
    if column.kind == "categorical":
        dummies = column.levels[:, None] == np.arange(1, column.count)[None, :]
        return standardised(dummies.astype(float))
    values = column.values
    if column.kind == "numeric" and kurtosis(values) > HEAVY_KURTOSIS:
        from scipy.special import ndtri

        values = ndtri(_ranks(values))
    return standardised(values)[:, None]


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks between 0 and 1, ties alike."""
    from scipy.stats import rankdata

    ranks: np.ndarray = (rankdata(values) - 0.5) / len(values)
    return ranks


def _curves(columns: Sequence[Column], plain: Sequence[np.ndarray]) -> dict[int, np.ndarray]:
    """Second polynomials of the columns along whose curve some other column lies.

    A curve counts where it says more of another column than the line does, and more than chance
    gives: what the line says most of, linear tests see. (Backwards, skewed causes look curved too.)
    """
    places = [
        i for i, column in enumerate(columns) if column.kind == "numeric" and not column.count
    ]
    if not places:
        return {}
    straight = np.hstack([plain[i] for i in places])
    bent = np.column_stack([3 * (2 * _ranks(plain[i][:, 0]) - 1) ** 2 - 1 for i in places])
    bent = standardised(bent)
    slope = (bent * straight).mean(axis=0)
    bent = standardised(bent - straight * slope)
    everything = np.hstack(list(plain))
    owner = np.concatenate([np.full(block.shape[1], i) for i, block in enumerate(plain)])
    rows = len(everything)
    linear = straight.T @ everything / rows
    curved = bent.T @ everything / rows
    gain = curved**2 / np.maximum(1 - linear**2, 1e-6)
    gain[curved**2 < linear**2] = 0.0
    gain[np.asarray(places)[:, None] == owner[None, :]] = 0.0
    most = gain.max(axis=1)
    return {
        place: bent[:, k]
        for k, place in enumerate(places)
        if most[k] > CURVED_GAIN and most[k] * rows > CURVED_Z**2
    }
