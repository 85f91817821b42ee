"""Graphs by score: greedy equivalence search, which knowledge may restrict."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

import numpy as np

from services.executor.causal.discovery import marks as graph
from services.executor.causal.discovery.effort import Effort
from services.executor.causal.discovery.independence import LEAST_VARIANCE, residual_covariance
from services.executor.causal.discovery.knowledge import Knowledge
from services.executor.causal.discovery.matrix import Sample

MOST_TOGETHER = 4
"""Most neighbours that one step turns into parents, or from parents into children."""
EXTENDED = 0.5
"""How far the price of an edge grows with the columns among which it was chosen (gamma)."""
_Move = tuple[int, int, tuple[int, ...]]


def ges(sample: Sample, knowledge: Knowledge, alpha: float, effort: Effort) -> graph.Marks:
    """The pattern by GES (Chickering 2002) with the extended BIC (Foygel & Drton 2010).

    Categories and curves are blocks of numbers (Andrews, Ramsey & Cooper 2019). Knowledge keeps
    moves out and directs edges between moves. The weight of the penalty follows alpha as the
    critical value of a test does: 1 at 0.05. causal-learn's GES takes no knowledge and follows
    every path one by one, which dense graphs do not allow.
    """
    score = _Score(sample, alpha, effort)
    state = graph.pattern(knowledge.required.copy(), knowledge.forbidden)
    for moves, apply in ((_insertions, _inserted), (_deletions, _deleted)):
        while True:
            ranked = sorted(
                ((gain, move) for gain, move in moves(state, knowledge, score) if gain > 1e-9),
                key=lambda found: (-found[0], found[1]),
            )
            after = (_settled(apply(state, move), knowledge) for _, move in ranked)
            best = next((result for result in after if result is not None), None)
            if best is None:
                break
            state = best
    return state


class _Score:
    """Extended BIC of a column given parents, up to what all graphs share."""

    def __init__(self, sample: Sample, alpha: float, effort: Effort) -> None:
        from scipy.special import chdtri

        self._sample, self._effort = sample, effort
        discount = float(chdtri(1, alpha) / chdtri(1, 0.05))
        among = 4 * EXTENDED * np.log(len(sample.blocks))
        self._price = discount * (np.log(sample.rows) + among) / 2
        self._known: dict[tuple[int, frozenset[int]], float] = {}

    def gain(self, j: int, parents: frozenset[int], more: int) -> float:
        """What one more parent of j is worth beside these."""
        return self._of(j, parents | {more}) - self._of(j, parents)

    def _of(self, j: int, parents: frozenset[int]) -> float:
        key = (j, parents)
        if key not in self._known:
            self._effort.spend()
            blocks = self._sample.blocks
            given = np.concatenate([blocks[p] for p in sorted(parents)]) if parents else None
            rest = residual_covariance(self._sample.correlation, blocks[j], given)
            spread = np.linalg.slogdet(rest + LEAST_VARIANCE * np.eye(len(rest)))[1]
            numbers = 0 if given is None else len(given)
            fit = -self._sample.rows / 2 * spread
            self._known[key] = float(fit - self._price * numbers * len(blocks[j]))
        return self._known[key]


def _subsets(places: list[int]) -> Iterator[tuple[int, ...]]:
    sizes = range(min(len(places), MOST_TOGETHER) + 1)
    return chain.from_iterable(combinations(places, size) for size in sizes)


def _around(state: graph.Marks, i: int, j: int) -> tuple[set[int], set[int], frozenset[int]]:
    """Neighbours of j that are adjacent to i, those that are not, and j's parents."""
    near_i = state[i] != graph.NONE
    line = (state[j] == graph.TAIL) & (state[:, j] == graph.TAIL)
    parents = np.flatnonzero((state[:, j] == graph.ARROW) & (state[j] == graph.TAIL))
    shared = set(np.flatnonzero(line & near_i).tolist()) - {i}
    others = set(np.flatnonzero(line & ~near_i).tolist()) - {i}
    return shared, others, frozenset(parents.tolist()) - {i}


def _clique(state: graph.Marks, places: set[int]) -> bool:
    return all(state[a, b] != graph.NONE for a, b in combinations(sorted(places), 2))


def _insertions(
    state: graph.Marks, knowledge: Knowledge, score: _Score
) -> Iterator[tuple[float, _Move]]:
    apart = (state == graph.NONE) & ~knowledge.forbidden
    np.fill_diagonal(apart, False)
    for i, j in np.argwhere(apart).tolist():
        shared, others, parents = _around(state, i, j)
        for turned in _subsets(sorted(others)):
            together = shared | set(turned)
            if any(knowledge.forbidden[t, j] for t in turned) or not _clique(state, together):
                continue
            gain = score.gain(j, parents | together, i)
            if gain > 0 and not _reaches(state, j, i, together):
                yield gain, (i, j, turned)


def _reaches(state: graph.Marks, start: int, end: int, blocked: set[int]) -> bool:
    """Whether a path that no arrow opposes leads from start to end around the blocked."""
    seen, waiting = {start, *blocked}, [start]
    while waiting:
        here = waiting.pop()
        if here == end:
            return True
        onward = np.flatnonzero((state[here] != graph.NONE) & (state[:, here] == graph.TAIL))
        new = [k for k in onward.tolist() if k not in seen]
        seen.update(new)
        waiting.extend(new)
    return False


def _inserted(state: graph.Marks, move: _Move) -> graph.Marks:
    i, j, turned = move
    after = state.copy()
    for parent in (i, *turned):
        graph.orient(after, parent, j)
    return after


def _deletions(
    state: graph.Marks, knowledge: Knowledge, score: _Score
) -> Iterator[tuple[float, _Move]]:
    certain = knowledge.required | knowledge.required.T
    removable = (state != graph.NONE) & (state.T == graph.TAIL) & ~certain
    for i, j in np.argwhere(removable).tolist():
        shared, _, parents = _around(state, i, j)
        for turned in _subsets(sorted(shared)):
            kept = shared - set(turned)
            if _clique(state, kept):
                yield -score.gain(j, parents | kept, i), (i, j, turned)


def _deleted(state: graph.Marks, move: _Move) -> graph.Marks:
    i, j, turned = move
    after = state.copy()
    after[i, j] = after[j, i] = graph.NONE
    for child in turned:
        graph.orient(after, j, child)
        if after[i, child] == graph.TAIL and after[child, i] == graph.TAIL:
            graph.orient(after, i, child)
    return after


def _settled(after: graph.Marks, knowledge: Knowledge) -> graph.Marks | None:
    """The pattern of the graph that a move leads to, or None where it contradicts knowledge."""
    dag = graph.extension(after)
    if dag is None or (dag & knowledge.forbidden).any():
        return None
    return graph.pattern(dag, knowledge.forbidden)
