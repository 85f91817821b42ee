"""All segments of a cube up to a depth, as one sparse matrix of segments by leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse

from services.executor.metric.cube import Chosen, Cube, Numbers, Whole
from services.executor.metric.margins import OTHER

MOST_SEGMENTS = 150_000
"""Segments looked at: times of 60 days that is 36 MB of sums. The smallest are left out beyond."""
_DENSE = 1 << 22


@dataclass(frozen=True, eq=False)
class Segments:
    """Distinct sets of leaves; of equal sets the one with the fewest dimensions is kept (then the
    first by name).

    `members` is [segments × leaves] of ones; `place` says for each segment its cuboid (an index
    into `cuboids`, tuples of dimensions by number) and `leaf` one of its leaves; `depth` is how
    many dimensions it has; `among` how many segments its depth has.
    """

    cube: Cube
    cuboids: tuple[tuple[int, ...], ...]
    members: sparse.csr_matrix
    place: Whole
    leaf: Whole
    depth: Whole
    among: Numbers
    left_out: int

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


def segments_of(cube: Cube, weight: Numbers, deepest: int, most: int = MOST_SEGMENTS) -> Segments:
    """The segments of every combination of at most `deepest` dimensions, without the whole, and
    without values folded together: which those are depends on how they moved.

    `weight` is the size of every leaf, by which the smallest segments are left out where there
    are too many.
    """
    count = len(cube.codes)
    sizes = [len(values) for values in cube.values]
    cuboids: list[tuple[int, ...]] = []
    groups: dict[tuple[int, ...], tuple[Whole, Whole]] = {}
    firsts, places, counts, rows = [], [], [], []
    folded = _folded(cube)
    base = 0
    for cuboid in _cuboids(len(sizes), deepest):
        group, first, members = _grouped(cube.codes, cuboid, sizes)
        groups[cuboid] = group, members
        new = members < count
        new &= ~folded[first][:, list(cuboid)].any(axis=1)
        for dimension in cuboid:
            parent = tuple(d for d in cuboid if d != dimension)
            if parent:
                above, sized = groups[parent]
                new &= sized[above[first]] != members
        number = np.cumsum(new) - 1
        chosen = new[group]
        leaves = np.flatnonzero(chosen)
        rows.append((base + number[group[leaves]], leaves))
        firsts.append(first[new])
        places.append(np.full(int(new.sum()), len(cuboids)))
        counts.append(members[new])
        base += int(new.sum())
        cuboids.append(cuboid)
    matrix = _matrix(rows, base, count)
    leaf, place = _joined(firsts), _joined(places)
    kept = _without_twins(matrix, leaf, place)
    most = min(most, MOST_SEGMENTS)
    if len(kept) > most:
        size = matrix[kept] @ weight
        largest = np.argsort(-size, kind="stable")[:most]
        left_out, kept = len(kept) - most, kept[np.sort(largest)]
    else:
        left_out = 0
    depth = np.array([len(cuboid) for cuboid in cuboids], dtype=np.int64)[place[kept]]
    among = np.bincount(depth, minlength=deepest + 1).astype(np.float64)
    whole = matrix if len(kept) == base else matrix[kept]
    return Segments(cube, tuple(cuboids), whole, place[kept], leaf[kept], depth, among, left_out)


def _folded(cube: Cube) -> Chosen:
    """Where a leaf has a value that stands for several [leaves × dimensions]."""
    places = [values.index(OTHER) if OTHER in values else -1 for values in cube.values]
    if cube.leaf_form:
        places = [-1] * len(places)
    return np.asarray(cube.codes == np.array(places, dtype=np.int64)[None, :])


def _cuboids(dimensions: int, deepest: int) -> Iterator[tuple[int, ...]]:
    for depth in range(1, min(deepest, dimensions) + 1):
        yield from combinations(range(dimensions), depth)


def _grouped(codes: Whole, cuboid: tuple[int, ...], sizes: list[int]) -> tuple[Whole, Whole, Whole]:
    """For every leaf its segment in a cuboid; for every segment its first leaf and its size."""
    key, span = np.zeros(len(codes), dtype=np.int64), 1
    for d in cuboid:
        key, span = key * sizes[d] + codes[:, d], span * sizes[d]
    if span > _DENSE:
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


def _matrix(rows: list[tuple[Whole, Whole]], base: int, count: int) -> sparse.csr_matrix:
    if not base:
        return sparse.csr_matrix((0, count), dtype=np.float64)
    at, leaf = (np.concatenate(part) for part in zip(*rows, strict=True))
    order = np.argsort(at, kind="stable")
    pointers = np.zeros(base + 1, dtype=np.int64)
    np.cumsum(np.bincount(at, minlength=base), out=pointers[1:])
    ones = np.ones(len(at))
    return sparse.csr_matrix((ones, leaf[order].astype(np.int32), pointers), shape=(base, count))


def _joined(parts: list[Whole]) -> Whole:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _without_twins(matrix: sparse.csr_matrix, leaf: Whole, place: Whole) -> Whole:
    """Of segments with the same leaves the first, told by two sums of random numbers of leaves."""
    if not len(leaf):
        return leaf
    marks = np.random.default_rng(0).integers(1, 1 << 40, (matrix.shape[1], 2)).astype(np.float64)
    sums = matrix @ marks
    _, first = np.unique(sums[:, 0] * 3.0 + sums[:, 1], return_index=True)
    return np.sort(first)
