"""All segments of a cube up to a depth, as one sparse matrix of segments by leaves.

Depth by depth, as frequent sets are (Agrawal and Srikant 1994, Apriori): a segment is no larger
than any that it is part of, so what is too small at one depth is not divided at the next. What is
left out follows from sizes alone, never from how a segment moved, so that chance is not fed with
its own extremes. A segment's size bounds what it can add to a change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from services.executor.metric.cube import Chosen, Cube, Numbers, Whole
from services.executor.metric.margins import OTHER

MOST_SEGMENTS = 150_000
"""Segments looked at: times of 60 days that is 36 MB of sums. The smallest are left out beyond."""
ALWAYS = 3
"""Dimensions of a segment that are searched whatever they cost."""
MOST_MEMBERSHIPS = 30_000_000
"""Leaves of segments, counted once for each: what all combinations of three of twelve dimensions of
100,000 leaves have. Combinations of more than three dimensions are searched up to this."""
LEAST_ROWS = 20
"""Rows of a segment of more than three dimensions, from which on it is looked at: of fewer, even
one that is all new is no more than chance finds among thousands (√20 = 4.5 standard errors)."""
_DENSE = 1 << 22
_Small = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Segments:
    """Distinct sets of leaves; of equal sets the one with the fewest dimensions is kept (then the
    first by name).

    `members` is [segments × leaves] of ones; `place` says for each segment its cuboid (an index
    into `cuboids`, tuples of dimensions by number) and `leaf` one of its leaves; `depth` is how
    many dimensions it has; `among` how many segments its depth has. `reached` is the depth down to
    which all were searched, `stopped` whether deeper ones were too many; `left_out` counts the
    smallest that were not kept, none of which is larger than the share `too_small` of all leaves'
    size.
    """

    cube: Cube
    cuboids: tuple[tuple[int, ...], ...]
    members: sparse.csr_matrix
    place: Whole
    leaf: Whole
    depth: Whole
    among: Numbers
    reached: int
    stopped: bool
    left_out: int
    too_small: float

    def __len__(self) -> int:
        return len(self.place)

    def named(self, at: int) -> dict[str, str | None]:
        """A segment as values of dimensions."""
        cube, code = self.cube, self.cube.codes[self.leaf[at]]
        return {cube.dimensions[d]: cube.values[d][code[d]] for d in self.cuboids[self.place[at]]}

    def leaves(self, at: int) -> Whole:
        """The leaves of a segment."""
        start, end = self.members.indptr[at], self.members.indptr[at + 1]
        return np.sort(self.members.indices[start:end]).astype(np.int64)


def segments_of(
    cube: Cube,
    weight: Numbers,
    deepest: int | None = None,
    most: int = MOST_SEGMENTS,
    rows: Numbers | None = None,
) -> Segments:
    """The segments of every combination of at most `deepest` dimensions (None: of any number),
    without the whole, and without values folded together: which those are depends on how they
    moved.

    `weight` is the size of every leaf, by which the smallest segments are left out where there
    are too many; `rows` is how many rows each is made of, where that is known. A depth beyond
    ALWAYS that has more than MOST_MEMBERSHIPS is not searched.
    """
    levels = _Levels(cube, weight, max(min(most, MOST_SEGMENTS), 1), rows)
    wanted = min(deepest or len(cube.values), len(cube.values))
    for depth in range(1, wanted + 1):
        found = levels.next(depth, None if depth <= ALWAYS else MOST_MEMBERSHIPS)
        if found is None:
            return levels.gathered(depth - 1, stopped=True)
        if not found:  # nothing there can be divided any further
            break
    return levels.gathered(wanted)


@dataclass(frozen=True, eq=False)
class _Cuboid:
    """Segments of one combination of dimensions: [segments] a leaf of each, how many leaves it has,
    its size and its mark (equal for equal sets of leaves); [leaves of segments] which leaf, and
    which of the segments it is in."""

    dimensions: tuple[int, ...]
    first: Whole
    count: Whole
    size: Numbers
    mark: Numbers
    leaves: _Small
    within: _Small


class _Levels:
    """The cuboids found so far, depth by depth."""

    def __init__(self, cube: Cube, weight: Numbers, most: int, rows: Numbers | None) -> None:
        self.cube, self.weight, self.most, self.rows = cube, weight, most, rows
        self.cuboids: list[_Cuboid] = []
        self.memberships = 0
        count = len(cube.codes)
        # Sums of random whole numbers tell sets of leaves apart.
        marks = np.random.default_rng(0).integers(1, 1 << 40, (count, 2)).astype(np.float64)
        self._marks = marks[:, 0] * 3.0 + marks[:, 1]
        self._folded = _folded(cube)
        self._above: dict[tuple[int, ...], _Small] = {(): np.full(count, count, dtype=np.int32)}
        self._floor = 0.0

    def next(self, depth: int, limit: int | None) -> bool | None:
        """Adds all segments of a depth; whether there were any, None where there were more than
        `limit` allows and none was added."""
        found: list[_Cuboid] = []
        above: dict[tuple[int, ...], _Small] = {}
        seen = self.memberships
        for dimensions in combinations(range(len(self.cube.values)), depth):
            alive = self._alive(dimensions)
            seen += len(alive)
            if limit is not None and seen > limit:
                return None
            if not len(alive):
                continue
            cuboid, sized = self._divided(dimensions, alive)
            if len(cuboid.first):
                found.append(cuboid)
                above[dimensions] = sized
        self.memberships, self._above = seen, above
        self.cuboids += found
        self._raise_floor()
        return bool(found)

    def _alive(self, dimensions: tuple[int, ...]) -> Whole:
        """Leaves whose segments one dimension shorter are there and have more leaves than one."""
        alive = np.ones(len(self.cube.codes), dtype=bool)
        for parent in _parents(dimensions):
            if parent not in self._above:
                return np.zeros(0, dtype=np.int64)
            alive &= self._above[parent] > 1
        return np.flatnonzero(alive)

    def _divided(self, dimensions: tuple[int, ...], alive: Whole) -> tuple[_Cuboid, _Small]:
        """The segments of a cuboid that differ from those above, and of every leaf how many leaves
        its segment has (0 where it is in none)."""
        sizes = [len(values) for values in self.cube.values]
        group, first, count = _grouped(self.cube.codes[alive], dimensions, sizes)
        first = alive[first]
        size = np.asarray(np.bincount(group, self.weight[alive], len(first)), dtype=np.float64)
        new = (count < len(self.cube.codes)) & (size >= self._floor)
        if self.rows is not None and len(dimensions) > ALWAYS:
            new &= np.bincount(group, self.rows[alive], len(first)) >= LEAST_ROWS
        new &= ~self._folded[first][:, list(dimensions)].any(axis=1)
        for parent in _parents(dimensions):
            new &= self._above[parent][first] != count
        chosen = new[group]
        number = (np.cumsum(new) - 1)[group[chosen]].astype(np.int32)
        leaves = alive[chosen].astype(np.int32)
        sized = np.zeros(len(self.cube.codes), dtype=np.int32)
        sized[leaves] = count[new][number]
        marks = np.bincount(number, self._marks[leaves], int(new.sum()))
        mark = np.asarray(marks, dtype=np.float64)
        return _Cuboid(dimensions, first[new], count[new], size[new], mark, leaves, number), sized

    def _raise_floor(self) -> None:
        """The size below which no segment can be among the largest any more."""
        sizes = _joined([one.size for one in self.cuboids])[self._apart()]
        if len(sizes) > self.most:
            self._floor = float(np.partition(sizes, -self.most)[-self.most])

    def _apart(self) -> Whole:
        """Of segments with the same leaves the first."""
        _, first = np.unique(_joined([one.mark for one in self.cuboids]), return_index=True)
        return np.sort(first)

    def gathered(self, reached: int, stopped: bool = False) -> Segments:
        """The largest of all that were found."""
        kept = self._apart()
        size = _joined([one.size for one in self.cuboids])
        left_out = max(len(kept) - self.most, 0)
        if left_out:
            kept = np.sort(kept[np.argsort(-size[kept], kind="stable")[: self.most]])
        counts = np.array([len(one.first) for one in self.cuboids], dtype=np.int64)
        place = np.repeat(np.arange(len(counts)), counts)[kept]
        dimensions = tuple(one.dimensions for one in self.cuboids)
        depth = np.array([len(one) for one in dimensions], dtype=np.int64)[place]
        whole = float(self.weight.sum())
        return Segments(
            self.cube,
            dimensions,
            self._matrix(kept, counts),
            place,
            _joined([one.first for one in self.cuboids]).astype(np.int64)[kept],
            depth,
            np.bincount(depth, minlength=reached + 1).astype(np.float64),
            reached,
            stopped,
            left_out,
            float(size[kept].min()) / whole if left_out and whole > 0 else 0.0,
        )

    def _matrix(self, kept: Whole, counts: Whole) -> sparse.csr_matrix:
        leaves = len(self.cube.codes)
        if not len(kept):
            return sparse.csr_matrix((0, leaves), dtype=np.float64)
        number = np.full(int(counts.sum()), -1, dtype=np.int64)
        number[kept] = np.arange(len(kept))
        base, at, leaf = 0, [], []
        for one in self.cuboids:
            found = number[base : base + len(one.first)][one.within]
            at.append(found[found >= 0])
            leaf.append(one.leaves[found >= 0])
            base += len(one.first)
        rows, columns = np.concatenate(at), np.concatenate(leaf)
        order = np.argsort(rows, kind="stable")
        pointers = np.zeros(len(kept) + 1, dtype=np.int64)
        np.cumsum(np.bincount(rows, minlength=len(kept)), out=pointers[1:])
        ones = np.ones(len(rows))
        return sparse.csr_matrix((ones, columns[order], pointers), shape=(len(kept), leaves))


def _parents(dimensions: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for dropped in dimensions:
        yield tuple(d for d in dimensions if d != dropped)


def _folded(cube: Cube) -> Chosen:
    """Where a leaf has a value that stands for several [leaves × dimensions]."""
    places = [values.index(OTHER) if OTHER in values else -1 for values in cube.values]
    if cube.leaf_form:
        places = [-1] * len(places)
    return np.asarray(cube.codes == np.array(places, dtype=np.int64)[None, :])


def _grouped(codes: Whole, cuboid: tuple[int, ...], sizes: list[int]) -> tuple[Whole, Whole, Whole]:
    """For every leaf its segment in a cuboid; for every segment its first leaf and its size."""
    key, span = np.zeros(len(codes), dtype=np.int64), 1
    for d in cuboid:
        key, span = key * sizes[d] + codes[:, d], span * sizes[d]
        if span > 1 << 31:  # of many dimensions numbers would be too large
            key = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
            span = len(codes)
    if span > _DENSE or span > 8 * len(codes):
        _, first, group, members = np.unique(
            key, return_index=True, return_inverse=True, return_counts=True
        )
        return group.reshape(-1), first, members
    tally = np.bincount(key, minlength=span)
    there = tally > 0
    group = (np.cumsum(there) - 1)[key]
    first = np.zeros(int(there.sum()), dtype=np.int64)
    first[group[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return group, first, tally[there]


def _joined(parts: list[Chosen]) -> Chosen:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
