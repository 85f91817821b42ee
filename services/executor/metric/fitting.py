"""How segments share the leaves' moves among them: weighted least squares over sums of leaves.

Beside the segments stand columns that all leaves share: all moved by one factor (WHOLE) and, of a
ratio, by as many points (POINTS); both together are any change that is linear in the rate, such as
a part of all that said no now saying yes.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as made

import numpy as np

from services.executor.metric.cube import Numbers, Whole
from services.executor.metric.field import Field, leaves_marked

WHOLE, POINTS = -1, -2
FREE = 0.0
_LEAST_LEFT = 1e-6


@dataclass(eq=False)
class Fitting:
    """`shared` are the columns of all leaves that are fitted beside the segments; `hold` is how
    firmly they are held at nothing: at FREE not at all, at 1 as far as days say."""

    field: Field
    shared: tuple[int, ...] = (WHOLE,)
    hold: float = 1.0
    _overlaps: dict[int, Numbers] = made(default_factory=dict)
    _inverses: dict[tuple[tuple[int, ...], float], Numbers] = made(default_factory=dict)

    def explained(self, columns: list[int]) -> float:
        """Nats that the shared and these columns explain together."""
        pulls = self._pulls(columns)
        inverse = np.linalg.pinv(self._gram(columns, True), rcond=1e-10)
        return float(pulls @ inverse @ pulls) / 2 / self.field.noise

    def moves(self, columns: list[int]) -> Numbers:
        """The relative move of each segment, fitted together with the shared columns."""
        return self._all_moves(columns)[len(self.shared) :]

    def common(self, columns: list[int]) -> float:
        """How far what is shared moves all leaves, fitted together with these segments: a sum of
        absolute amounts."""
        moves = self._all_moves(columns)[: len(self.shared)]
        shared = [move * self._leaves(k) for k, move in zip(self.shared, moves, strict=True)]
        return float(np.abs(np.sum(shared, axis=0)).sum())

    def rest(self, columns: list[int]) -> Numbers:
        """How far each leaf moved beside the shared columns and these segments."""
        moves = self._all_moves(columns)
        out = self.field.moved.copy()
        for k, move in zip(self._names(columns), moves, strict=True):
            if k < 0:
                out -= move * self._leaves(k)
            else:
                inside = self.field.segments.leaves(k)
                out[inside] -= move * self.field.level[inside]
        return np.asarray(out)

    def apart(self, others: list[int], at: Whole | None, ridge: bool) -> tuple[Numbers, Numbers]:
        """Information and pull of segments that are left beside the others and what is shared."""
        chosen: Whole | slice = slice(None) if at is None else at
        factors = self.factors(others, at, ridge)
        overlaps = np.stack([self.overlap(k)[chosen] for k in self._names(others)], axis=1)
        own, pull = self.field.information[chosen], self.field.pull[chosen]
        left = own - np.einsum("sk,sk->s", overlaps, factors)
        there = left > own * _LEAST_LEFT
        moved = np.where(there, pull - factors @ self._pulls(others), 0.0)
        return np.where(there, left, np.maximum(own * _LEAST_LEFT, 1e-300)), moved

    def beside(self, others: list[int], at: Whole) -> Numbers:
        """Series of segments with those of the others, and of what is shared, taken out."""
        assert self.field.series is not None
        columns = np.stack([self._series(k) for k in self._names(others)])
        factors = self.factors(others, at, ridge=False)
        return np.asarray(self.field.series[at] - (factors @ columns).astype(np.float32))

    def factors(self, others: list[int], at: Whole | None, ridge: bool) -> Numbers:
        """How much of each column is in each segment."""
        chosen: Whole | slice = slice(None) if at is None else at
        names = self._names(others)
        overlaps = np.stack([self.overlap(k)[chosen] for k in names], axis=0)
        key = (tuple(names), self.hold if ridge else FREE)
        if key not in self._inverses:
            inverse = np.linalg.pinv(self._gram(others, ridge), rcond=1e-10)
            self._inverses[key] = np.asarray(inverse, dtype=np.float64)
        return np.asarray((self._inverses[key] @ overlaps).T)

    def overlap(self, k: int) -> Numbers:
        """Information that each segment shares with column k."""
        if k == WHOLE:
            return self.field.information
        if k not in self._overlaps:
            marked = (
                self.field.weight * self._leaves(k)
                if k == POINTS
                else leaves_marked(self.field, self.field.segments.leaves(k))
            )
            self._overlaps[k] = np.asarray(self.field.segments.members @ marked)
        return self._overlaps[k]

    def _names(self, others: list[int]) -> list[int]:
        return [*self.shared, *others]

    def _all_moves(self, columns: list[int]) -> Numbers:
        gram, pulls = self._gram(columns, True), self._pulls(columns)
        return np.asarray(np.linalg.lstsq(gram, pulls, rcond=1e-10)[0])

    def _gram(self, others: list[int], ridge: bool) -> Numbers:
        names, first = self._names(others), len(self.shared)
        at = np.array(others, dtype=np.int64)
        out = np.empty((len(names), len(names)))
        for row, k in enumerate(names):
            found = self.overlap(k)
            out[row, first:] = found[at]
            out[first:, row] = found[at]
        for row, k in enumerate(self.shared):
            for column, other in enumerate(self.shared):
                out[row, column] = self._between(k, other)
        if ridge:
            held = self.field.noise / self.field.common * self.hold
            out[np.arange(first), np.arange(first)] += held
        return out

    def _between(self, k: int, other: int) -> float:
        if WHOLE in (k, other):
            return float(self.field.weight @ self._leaves(min(k, other)))
        return float((self.field.weight * self._parts()) @ self._leaves(k))

    def _leaves(self, k: int) -> Numbers:
        if k == WHOLE:
            return self.field.level
        assert self.field.points is not None
        return self.field.points

    def _parts(self) -> Numbers:
        """A move by points over one by a factor [leaves]."""
        level = self.field.level
        return np.asarray(self._leaves(POINTS) / np.where(level > 0, level, 1.0))

    def _pulls(self, others: list[int]) -> Numbers:
        weighted = self.field.weight * self.field.moved
        shared = [weighted.sum() if k == WHOLE else weighted @ self._parts() for k in self.shared]
        return np.array([*shared, *(self.field.pull[k] for k in others)], dtype=np.float64)

    def _series(self, k: int) -> Numbers:
        if k == WHOLE:
            return self.field.whole_series
        if k == POINTS:
            return np.asarray(self._parts() @ self.field.weighted)
        assert self.field.series is not None
        return np.asarray(self.field.series[k], dtype=np.float64)
