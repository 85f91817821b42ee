"""Graphs as matrices of marks: [i, j] is the mark at j of the edge between i and j.

No edge is 0. What is tail at i and arrow at j is i -> j; circles (FCI) leave open what is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

NONE, TAIL, ARROW, CIRCLE = 0, 1, 2, 3
Marks = np.ndarray
"""Square matrix of the marks above, of int8."""


def empty(size: int) -> Marks:
    """A graph without edges."""
    return np.zeros((size, size), dtype=np.int8)


def from_library(graph: Any) -> Marks:
    """A graph of causal-learn, whose matrix has at [i, j] the mark at i (-1, 1, 2)."""
    given = np.asarray(graph).T
    marks = empty(len(given))
    for theirs, ours in ((-1, TAIL), (1, ARROW), (2, CIRCLE)):
        marks[given == theirs] = ours
    return marks


def directed(marks: Marks) -> np.ndarray:
    """[i, j] is whether i -> j."""
    result: np.ndarray = (marks == ARROW) & (marks.T == TAIL)
    return result


def undirected(marks: Marks) -> np.ndarray:
    """[i, j] is whether i - j."""
    result: np.ndarray = (marks == TAIL) & (marks.T == TAIL)
    return result


def orient(marks: Marks, i: int, j: int) -> None:
    """Make the edge between them i -> j."""
    marks[i, j], marks[j, i] = ARROW, TAIL


def from_edges(matrix: np.ndarray) -> Marks:
    """A graph of directed edges; [i, j] is whether i -> j."""
    marks = empty(len(matrix))
    for i, j in np.argwhere(matrix):
        orient(marks, int(i), int(j))
    return marks


def edges(marks: Marks) -> Iterator[tuple[int, int, str]]:
    """Each edge once, its ends in the order in which it is told, and its type."""
    for i in range(len(marks)):
        for j in range(i + 1, len(marks)):
            here, there = marks[j, i], marks[i, j]
            if not here:
                continue
            kinds = {here, there}
            if CIRCLE in kinds:
                forward = there == ARROW or here == TAIL or here == there == CIRCLE
                yield (i, j, "partial") if forward else (j, i, "partial")
            elif kinds == {TAIL}:
                yield i, j, "undirected"
            elif kinds == {ARROW}:
                yield i, j, "bidirected"
            else:
                yield (i, j, "directed") if there == ARROW else (j, i, "directed")


def has_cycle(matrix: np.ndarray) -> bool:
    """Whether directed edges ([i, j]: i -> j) run in a circle."""
    left = matrix.astype(bool).copy()
    alive = np.ones(len(left), dtype=bool)
    while alive.any():
        roots = alive & ~left.any(axis=0)
        if not roots.any():
            return True
        left[roots, :] = False
        alive &= ~roots
    return False


def close(marks: Marks, forbidden: np.ndarray | None = None) -> Marks:
    """Orient what follows: what is forbidden one way, and the four rules of Meek (1995).

    An orientation that would make a circle is left open.
    """
    marks = marks.copy()
    if forbidden is not None:
        for i, j in np.argwhere(undirected(marks) & forbidden & ~forbidden.T):
            _orient_if_acyclic(marks, int(j), int(i))
    while True:
        found = next((pair for pair in _implied(marks) if _orient_if_acyclic(marks, *pair)), None)
        if found is None:
            return marks


def _orient_if_acyclic(marks: Marks, i: int, j: int) -> bool:
    before = marks[i, j], marks[j, i]
    orient(marks, i, j)
    if has_cycle(directed(marks)):
        marks[i, j], marks[j, i] = before
        return False
    return True


def _implied(marks: Marks) -> Iterator[tuple[int, int]]:
    """Undirected edges b - c that a rule orients as b -> c, in a fixed order."""
    arrow, line, near = directed(marks), undirected(marks), marks != NONE
    for b, c in np.argwhere(line):
        into_b = arrow[:, b]
        apart = ~near[:, c] & (np.arange(len(marks)) != c)
        if (into_b & apart).any() or (arrow[b] & arrow[:, c]).any():
            yield int(b), int(c)
        else:
            middles = np.flatnonzero(line[b] & arrow[:, c])
            pairs = [(k, m) for k in middles for m in middles if k < m and not near[k, m]]
            # Rule 4: b - k -> m -> c with b near m, and k not near c.
            chains = any(
                line[b, k] and arrow[k, m] and arrow[m, c] and near[b, m] and not near[k, c]
                for m in np.flatnonzero(arrow[:, c])
                for k in np.flatnonzero(arrow[:, m])
            )
            if pairs or chains:
                yield int(b), int(c)


def extension(marks: Marks) -> np.ndarray | None:
    """Some directed acyclic graph with these edges and colliders (Dor & Tarsi 1992), or None.

    [i, j] of the result is whether i -> j.
    """
    arrow, line = directed(marks), undirected(marks)
    result = arrow.copy()
    left = np.ones(len(marks), dtype=bool)
    while left.any():
        sink = next(
            (x for x in np.flatnonzero(left).tolist() if _may_be_last(x, arrow, line, left)), None
        )
        if sink is None:
            return None
        into = line[:, sink] & left
        result[into, sink] = True
        left[sink] = False
    return result


def _may_be_last(x: int, arrow: np.ndarray, line: np.ndarray, left: np.ndarray) -> bool:
    if (arrow[x] & left).any():
        return False
    near = arrow | arrow.T | line
    around = near[x] & left
    return all(
        not (around & ~near[y] & (np.arange(len(left)) != y)).any()
        for y in np.flatnonzero(line[x] & left)
    )


def pattern(dag: np.ndarray, forbidden: np.ndarray | None = None) -> Marks:
    """All graphs that data cannot tell from this one: its edges, directed where all agree.

    What knowledge rules out counts too (Meek 1995; Perkovic, Kalisch & Maathuis 2017).
    """
    near = dag | dag.T
    marks = np.where(near, TAIL, NONE).astype(np.int8)
    for b in range(len(dag)):
        parents = np.flatnonzero(dag[:, b])
        for a in parents:
            if (~near[a, parents] & (parents != a)).any():
                orient(marks, int(a), b)
    return close(marks, forbidden)
