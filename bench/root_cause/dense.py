"""Leaves as the literature has them: every combination there, many rows behind each, a forecast.

After the synthetic data of RiskLoc (Kalander 2022, section 5.1) and Squeeze's (Li et al. 2019):
sizes of leaves by a Weibull law, some empty, forecasts with relative noise; one to three causes,
each of one to three elements of one cuboid that move by one ratio (the generalised ripple effect).
"""

from __future__ import annotations

import zlib
from itertools import product

import numpy as np
import pyarrow as pa

from bench.root_cause.cases import Case, Leaves, Numbers, Segment, Span, Whole
from bench.root_cause.generator import FIRST_DAY
from bench.root_cause.planting import Mask, text_of

DENSE_KINDS = ("dense, one cause", "dense, several causes", "dense, none")

_NAMES = ("region", "channel", "device", "product", "segment")
_NOISES = (0.0, 0.05, 0.15)
_MOST_LEAVES = 20_000
_LEAST_SHARE, _MOST_SHARE = 0.01, 0.4
_TRIES = 500


def make_dense(kind: str, seed: int) -> Case:
    """A case in leaf form alone; its rows are an empty table."""
    random = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    names, sizes = _sizes(random)
    codes = np.array(list(product(*(range(size) for size in sizes))), dtype=np.int64)
    predicted = 100 * random.weibull(random.uniform(0.5, 1.0), len(codes))
    predicted *= random.random(len(codes)) >= random.uniform(0, 0.25)
    count = {"dense, one cause": 1, "dense, none": 0}.get(kind, int(random.integers(2, 4)))
    level = int(random.integers(len(_NOISES)))
    factor, truth = _causes(names, codes, predicted, count, random)
    noise = np.clip(random.normal(0, _NOISES[level], len(codes)), -0.5, 0.5)
    real = np.where(factor == 1, predicted * (1 + noise), predicted * factor)
    texts = tuple(
        tuple(text_of(name, code) for code in range(size))
        for name, size in zip(names, sizes, strict=True)
    )
    day = Span(FIRST_DAY, FIRST_DAY)
    return Case(
        name=f"{kind} {seed}",
        kind=kind,
        metric="sum",
        noise="forecast",
        level=level,
        seed=seed,
        dimensions=names,
        determines={},
        history_start=FIRST_DAY,
        baseline=day,
        comparison=day,
        rows=pa.table({}),
        leaves=Leaves(names, texts, codes, predicted, real),
        truth=truth,
        strength=0.0,
        form="leaves",
    )


def _sizes(random: np.random.Generator) -> tuple[tuple[str, ...], list[int]]:
    while True:
        count = int(random.integers(3, 6))
        sizes = [int(size) for size in random.choice([4, 5, 8, 10, 12, 20, 30], count)]
        if 200 <= np.prod(sizes) <= _MOST_LEAVES:
            return _NAMES[:count], sizes


def _causes(
    names: tuple[str, ...],
    codes: Whole,
    predicted: Numbers,
    count: int,
    random: np.random.Generator,
) -> tuple[Numbers, tuple[Segment, ...]]:
    """Each leaf's factor, and the elements of all causes. All causes go in one direction, as in the
    literature, and no element is in another."""
    factor, truth = np.ones(len(codes)), []
    falls = random.random() < 0.5
    for _ in range(count):
        for _ in range(_TRIES):
            depth = int(random.integers(1, len(names)))
            places = np.sort(random.choice(len(names), depth, replace=False))
            some = random.integers(0, len(codes), int(random.integers(1, 4)))
            elements = np.unique(codes[some][:, places], axis=0)
            owns = [(codes[:, places] == one).all(axis=1) for one in elements]
            if _fit(codes, predicted, places, elements, owns, factor != 1):
                break
        else:
            continue
        severity = random.uniform(0.25, 1.0)
        for one, own in zip(elements, owns, strict=True):
            spread = random.normal(0, random.uniform(0, 0.1), int(own.sum()))
            moved = np.clip(severity + spread, 0.1, 1.0)
            factor[own] = 1 - moved if falls else 1 + moved
            texts = [(names[p], text_of(names[p], c)) for p, c in zip(places, one, strict=True)]
            truth.append(frozenset(texts))
    return factor, tuple(truth)


def _fit(
    codes: Whole, predicted: Numbers, places: Whole, elements: Whole, owns: list[Mask], taken: Mask
) -> bool:
    """Whether elements are large enough, apart from other causes, and no parent by themselves."""
    together = np.any(owns, axis=0)
    share = predicted[together].sum() / max(predicted.sum(), 1e-9)
    if (together & taken).any() or not _LEAST_SHARE <= share <= _MOST_SHARE:
        return False
    for left in range(len(places)):
        others = np.delete(places, left)
        for one in np.delete(elements, left, axis=1):
            wider = (codes[:, others] == one).all(axis=1)
            if together[wider].mean() > 0.6:
                return False
    return all(predicted[own].sum() > 0 for own in owns)
