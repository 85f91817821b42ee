"""How strongly one column goes with another, also among rows that are alike in a third."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from services.executor.causal.profiling.columns import Column, Vector
from services.executor.profiling.numbers import ranks

Matrix = npt.NDArray[np.float64]

MOST_ROWS = 20_000
_MOST_DUMMIES = 20
_MOST_CATEGORIES = 5


@dataclass(frozen=True)
class Strength:
    """`size` is the square root of the part of the variance explained, 0 to 1; `p` its p-value."""

    size: float
    p: float

    @property
    def clear(self) -> bool:
        """Whether it is neither chance nor too small to matter."""
        return self.p < 0.01 and self.size >= 0.05


NOTHING = Strength(0.0, 1.0)


def strength(of: Column, by: Column, given: Sequence[Column] = ()) -> Strength:
    """How much better `by` tells `of` than `given` alone: the partial F-test of nested linear
    models (Fisher 1922) over ranks of numbers and shares of levels, on rows that have all values.

    Of levels the one told best counts, its p-value times how many were looked at.
    """
    present = ~(of.missing | by.missing)
    for column in given:
        present &= ~column.missing
    rows = np.flatnonzero(present)
    if len(rows) > MOST_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.int64)]
    if len(rows) < 10:
        return NOTHING
    held = np.column_stack([np.ones(len(rows)), *(design(column, rows) for column in given)])
    added = design(by, rows)
    targets = _targets(of, rows)
    found = _nested(targets, held, added)
    best = min(found, key=lambda one: (one.p, -one.size), default=NOTHING)
    return Strength(best.size, min(1.0, best.p * len(found)))


def design(column: Column, rows: npt.NDArray[np.int64]) -> Matrix:
    """Numbers as values and ranks (so that bent relations show), levels as shares of their own."""
    if column.codes is not None and column.kind != "ordinal":
        return dummies(column, rows)
    assert column.numbers is not None
    values = column.numbers[rows]
    return np.column_stack([standardised(values), standardised(ranks(values))])


def dummies(column: Column, rows: npt.NDArray[np.int64]) -> Matrix:
    """A column of 0 and 1 for each frequent level but the first; rare ones count together."""
    assert column.codes is not None
    codes = column.codes[rows]
    counts = np.bincount(codes, minlength=len(column.levels))
    frequent = sorted(np.argsort(-counts, kind="stable")[:_MOST_DUMMIES].tolist())
    kept = [place for place in frequent if counts[place]]
    return np.column_stack([np.zeros(len(rows)), *(codes == p for p in kept[1:])])[:, 1:]


def standardised(values: Vector) -> Vector:
    """Mean 0 and spread 1; all 0 where nothing varies."""
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)


def _targets(of: Column, rows: npt.NDArray[np.int64]) -> list[Vector]:
    if of.kind in ("numeric", "ordinal"):
        assert of.numbers is not None
        return [standardised(ranks(of.numbers[rows]))]
    assert of.codes is not None
    codes = of.codes[rows]
    if of.kind == "binary":
        return [codes.astype(np.float64)]
    counts = np.bincount(codes, minlength=len(of.levels))
    frequent = np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]
    return [(codes == place).astype(np.float64) for place in frequent if counts[place]]


def _nested(targets: list[Vector], held: Matrix, added: Matrix) -> list[Strength]:
    from scipy.stats import f

    count = len(held)
    base, _ = np.linalg.qr(held)
    rest = added - base @ (base.T @ added)
    free = count - int(np.linalg.matrix_rank(base.T @ held))
    found = []
    for target in targets:
        residual = target - base @ (base.T @ target)
        whole = float(residual @ residual)
        value, rank = explained(rest, residual)
        if whole <= 1e-9 * count or not rank or free <= rank:
            found.append(NOTHING)
            continue
        ratio = (value / rank) / max((whole - value) / (free - rank), 1e-300)
        size = float(np.sqrt(value / whole))
        found.append(Strength(size, float(f.sf(ratio, rank, free - rank))))
    return found


def explained(matrix: Matrix, target: Vector) -> tuple[float, int]:
    """The part of the target's sum of squares that the columns explain, and how many of them are
    independent of one another."""
    values, vectors = np.linalg.eigh(matrix.T @ matrix)
    kept = values > max(1e-9 * float(values.max(initial=0.0)), 1e-9 * len(matrix))
    part = vectors[:, kept].T @ (matrix.T @ target)
    value = float(np.sum(part**2 / values[kept]))
    return min(value, float(target @ target)), int(kept.sum())
