"""The usual rate of each leaf of a ratio, drawn to that of its like as far as it has few rows.

A leaf's own rate is no measure of what is usual where the leaf is one or two rows: it follows them,
so that nothing is left to see. The rate of a leaf is therefore a credibility estimate (Bühlmann
1967): between its own and what the values of its dimensions say of it together.
"""

from __future__ import annotations

import numpy as np

from services.executor.metric.cube import Cube, Numbers
from services.executor.metric.spread import bins_of

_PASSES = 30
_CLOSE = 1e-9
_BINS = 12


def usual_rates(cube: Cube, top: Numbers, base: Numbers) -> Numbers:
    """The rate of each leaf [leaves], of sums over both periods of numerator and denominator."""
    whole = float(base.sum())
    if whole == 0:
        return np.zeros(len(top))
    expected = _by_values(cube, top, base)
    credible = _credible(top, top - expected * base, base)
    own = np.where(base > 0, top / np.where(base > 0, base, 1.0), expected)
    part = base / np.maximum(base + credible, 1e-300) if np.isfinite(credible) else 0.0
    return np.asarray(expected + np.where(base > 0, part, 0.0) * (own - expected))


def _by_values(cube: Cube, top: Numbers, base: Numbers) -> Numbers:
    """What an additive model of the dimensions' values says: backfitting (Hastie and Tibshirani
    1990), with the denominators as weights; then no value of any dimension has a residual."""
    rate = float(top.sum() / base.sum())
    expected = np.full(len(top), rate)
    weight = np.maximum(base, 0.0)
    scale = float(np.abs(top).sum()) / float(np.abs(base).sum())
    for _ in range(_PASSES):
        furthest = 0.0
        for place, values in enumerate(cube.values):
            codes = cube.codes[:, place]
            sums = np.bincount(codes, weight, len(values))
            rest = np.bincount(codes, np.where(base > 0, top - expected * base, 0.0), len(values))
            step = np.where(sums > 0, rest / np.where(sums > 0, sums, 1.0), 0.0)
            expected += step[codes]
            furthest = max(furthest, float(np.abs(step).max(initial=0.0)))
        if furthest <= _CLOSE * scale:
            break
    return expected


def _credible(top: Numbers, rest: Numbers, base: Numbers) -> float:
    """The denominator of which a leaf's own rate counts as much as that of its like: the variance
    within leaves over that between their rates, by moments; infinite where rates do not differ."""
    there = base > 0
    if there.sum() < 3:
        return float("inf")
    groups = bins_of(np.log(base[there]), _BINS)
    count = np.bincount(groups)
    sizes = np.bincount(groups, base[there]) / count
    ratios = np.bincount(groups, rest[there] ** 2 / base[there]) / count
    largest = float(ratios.max())
    if len(sizes) < 2 or largest <= _CLOSE**2 * float((top[there] ** 2 / base[there]).max()):
        return float("inf")
    # rest² / base = within + between · base, each group weighted by how surely it is known.
    weight = np.sqrt(count) / np.maximum(ratios / largest, 1e-6)
    unit = float(sizes.mean())
    terms = np.stack([np.ones_like(sizes), sizes / unit], axis=1) * weight[:, None]
    [within, between] = np.linalg.lstsq(terms, ratios / largest * weight, rcond=None)[0]
    if between <= 0:
        return float("inf")
    return float(max(within, 0.0) / between) * unit
