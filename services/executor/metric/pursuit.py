"""Which segments together say best how the leaves moved: matching pursuit with backward steps.

A segment is told by one ratio for all its leaves (the generalised ripple effect of Li et al. 2019,
"Generic and robust localization of multi-dimensional root causes"), beside a ratio that everything
shares. Its gain is what it explains, in nats, of the leaves' moves; the price is the logarithm of
how many segments of its depth there are. So a parent is taken where its children move alike, and a
child where it moves alone. What is taken must also stand out of the null.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as made

import numpy as np

from services.executor.metric.cube import Numbers, Whole
from services.executor.metric.field import Field
from services.executor.metric.fitting import FREE, POINTS, WHOLE, Fitting
from services.executor.metric.null import Test

_FIRST = 512
_ROUNDS = 3
_LIKE, _MOST_SIBLINGS = 0.35, 4
_HELD, _PRIOR = 1e6, 1.0
PRICE_OF_ALL, PRICE_OF_ALL_LEAVES = 10.0, 20.0
"""Nats that it costs to say that everything moved alike by more than chance: as much as three
single values of some thirty, so that a few causes which are most of the whole are told as such;
twice that where a forecast stands for the baseline: what moves all is mostly in it already."""


@dataclass(eq=False)
class Pursuit:
    """The segments taken so far, in the order in which they were.

    `threshold` is the |t| that stands out; `test` is None in leaf form, where |t| is the weighted
    move over its standard deviation as the leaves' variance has it.
    """

    field: Field
    test: Test | None
    threshold: float
    allowed: Callable[[Whole], Numbers] | None = None
    taken: list[int] = made(default_factory=list)
    reach: float | None = None
    fitting: Fitting = made(init=False)

    def __post_init__(self) -> None:
        self.fitting = Fitting(self.field)

    def run(self, most: int) -> list[int]:
        """The segments, at most so many: of the ways to begin the one that says more.

        With what everything shares held at nothing, several causes that together are most of the
        whole are found as such; with it free, few that did not take part in what moved all. Of a
        ratio all may also have moved by points.
        """
        if not len(self.field.information):
            return []
        ends = []
        ways: list[tuple[float, float, tuple[int, ...]]] = [
            (_HELD, _PRIOR, (WHOLE,)),
            (FREE, FREE, (WHOLE,)),
        ]
        if self.field.points is not None:
            ways.append((FREE, FREE, (WHOLE, POINTS)))
        for begin, end, shared in ways:
            self.taken, self.fitting.shared = [], shared
            self._grow(most, begin, end)
            self._mend()
            self._split()
            ends.append((self.explained_nats(), self.taken, end, shared))
        _, self.taken, self.fitting.hold, self.fitting.shared = max(ends, key=lambda end: end[0])
        return self.taken

    def _grow(self, most: int, begin: float, end: float) -> None:
        seen: set[frozenset[int]] = set()
        while len(self.taken) < most:
            self.fitting.hold = begin
            found = self._best(self.taken)
            self.fitting.hold = end
            if found is None:
                return
            self.taken.append(found)
            self._mend(found)
            now = frozenset(self.taken)
            if now in seen:
                return
            seen.add(now)

    def explained_nats(self) -> float:
        """Nats that all that is taken explains together, less its price."""
        price = sum(float(self._price(np.array([k]))[0]) for k in self.taken)
        if POINTS in self.fitting.shared:
            # As much as one value: several segments beside a factor for all are mostly what a
            # shift by points looks like, so that is the reading that has to be outdone.
            price += float(np.log(max(self.field.segments.among[1], 1.0)))
        elif self.fitting.hold == FREE:
            price += PRICE_OF_ALL if self.field.in_time else PRICE_OF_ALL_LEAVES
        return self.fitting.explained(self.taken) - price

    def _price(self, at: Whole | None) -> Numbers:
        depth = self.field.segments.depth if at is None else self.field.segments.depth[at]
        return np.asarray(np.log(np.maximum(self.field.segments.among[depth], 1.0)))

    def gains(self, others: list[int], at: Whole | None = None) -> Numbers:
        """Nats that each segment adds to the others, less its price."""
        information, pull = self.fitting.apart(others, at, ridge=True)
        return np.asarray(pull**2 / information / 2 / self.field.noise - self._price(at))

    def statistics(self, others: list[int], at: Whole) -> Numbers:
        """t of segments beside the others."""
        information, pull = self.fitting.apart(others, at, ridge=False)
        if self.test is None and self.reach is None:
            return np.asarray(pull / np.sqrt(information * self.field.noise))
        if self.test is None:
            return self._bounded(others, at, information)
        return self.test.statistics(self.field, at, self.fitting.beside(others, at), information)

    def _bounded(self, others: list[int], at: Whole, information: Numbers) -> Numbers:
        """z of segments with no leaf counting further than its reach."""
        assert self.reach is not None
        field = self.field
        weight = np.maximum(field.weight, 1e-300)
        bound = self.reach * np.sqrt(field.level / weight * field.noise)
        pulls = weight * np.clip(self.fitting.rest(others), -bound, bound)
        summed = np.array([pulls[field.segments.leaves(int(k))].sum() for k in at])
        return np.asarray(summed / np.sqrt(information * field.noise))

    def _best(self, others: list[int]) -> int | None:
        """The segment of the largest gain among those that stand out."""
        gains = self.gains(others)
        order = np.argsort(-gains, kind="stable")
        order = order[: int(np.searchsorted(-gains[order], 0.0))]
        for start in range(0, len(order), _FIRST):
            at = order[start : start + _FIRST]
            out = np.abs(self.statistics(others, at)) >= self.threshold
            if self.allowed is not None and out.any():
                out[out] &= self.allowed(at[out]) > 0
            if out.any():
                return int(at[np.argmax(out)])
        return None

    def _mend(self, newest: int | None = None) -> None:
        """Drops what is needed no more and exchanges what another segment says better; after one
        was added only among those that share leaves with it, for the others stand as they did."""
        for _ in range(_ROUNDS):
            before = list(self.taken)
            near = [k for k in before if newest is None or self.fitting.overlap(newest)[k] > 0]
            for one in near if len(before) > 1 else []:
                if one == newest:
                    continue
                others = [k for k in self.taken if k != one]
                better = self._best(others)
                if better is None:
                    self.taken = others
                elif better != one and better not in others:
                    gains = self.gains(others, np.array([better, one]))
                    if gains[0] > gains[1]:
                        self.taken[self.taken.index(one)] = better
            if self.taken == before:
                return

    def _split(self) -> None:
        """A segment with exceptions that did not move is told by its parts that did, where these
        are few: a cause that spares exactly some parts is rarer than a few causes."""
        cuboids, place = self.field.segments.cuboids, self.field.segments.place
        for one in list(self.taken):
            outer = set(cuboids[place[one]])
            inside = {
                int(place[k])
                for k in self.taken
                if outer < set(cuboids[place[k]]) and len(cuboids[place[k]]) == len(outer) + 1
            }
            for cuboid in sorted(inside):
                if one in self.taken:
                    self._split_one(one, cuboid)

    def _split_one(self, whole: int, cuboid: int) -> None:
        segments, codes = self.field.segments, self.field.segments.cube.codes
        kept = list(segments.cuboids[segments.place[whole]])
        same = np.flatnonzero(segments.place == cuboid)
        own = codes[segments.leaf[whole], kept]
        parts = same[(codes[np.ix_(segments.leaf[same], kept)] == own).all(axis=1)]
        moves = dict(zip(self.taken, self.fitting.moves(self.taken), strict=True))
        spared = [
            k for k in parts if abs(moves.get(k, 0.0) + moves[whole]) <= _LIKE * abs(moves[whole])
        ]
        moved = [int(k) for k in parts if k not in spared]
        covered = sum(len(segments.leaves(int(k))) for k in parts)
        if not spared or len(moved) > max(_MOST_SIBLINGS, len(spared) + 1):
            return
        if covered != len(segments.leaves(whole)):
            return
        others = [k for k in self.taken if k != whole and k not in parts]
        ready = [
            abs(float(self.statistics([*others, *(m for m in moved if m != k)], np.array([k]))[0]))
            for k in moved
        ]
        if min(ready, default=0.0) >= self.threshold:
            self.taken = others + moved
