"""Where all parts of a value moved alike, the value is the cause, and not its parts.

A pursuit takes what explains most at each step, and parts of a real cause never move by quite one
ratio: with many rows, one part may say more than the whole value by itself, and its other parts
look like exceptions. What a person would call one move is told as one.
"""

from __future__ import annotations

import numpy as np

from services.executor.metric.cube import Numbers, Whole
from services.executor.metric.fitting import FREE
from services.executor.metric.pursuit import Pursuit

ALIKE = 0.5
"""Parts move alike where they go one way, and the least by at least half of what the most does."""
_SURE = 3.0
"""Standard errors by which the rest of a value moved, to be called alike."""
_ROUNDS = 20


def gather(pursuit: Pursuit) -> None:
    """Changes what was taken: values for parts that moved alike, no exceptions that are none, and
    of two values that are all there is the one beside which the other stayed."""
    for _ in range(_ROUNDS):
        if not (_raised(pursuit) or _without_exceptions(pursuit)):
            break
    _turned(pursuit)


def _raised(pursuit: Pursuit) -> bool:
    """Whether a value took the place of its parts."""
    best: tuple[float, list[int]] | None = None
    for one in pursuit.taken:
        for parent in _parents(pursuit, one):
            if parent in pursuit.taken:
                continue
            leaves = pursuit.field.segments.leaves(parent)
            inside = [k for k in pursuit.taken if _is_within(pursuit, k, leaves)]
            others = [k for k in pursuit.taken if k not in inside]
            if not _moved_alike(pursuit, leaves, inside, others):
                continue
            statistic = abs(float(pursuit.statistics(others, np.array([parent]))[0]))
            allowed = pursuit.allowed is None or pursuit.allowed(np.array([parent]))[0] > 0
            if statistic < pursuit.threshold or not allowed:
                continue
            explained = pursuit.fitting.explained([*others, parent])
            if best is None or explained > best[0]:
                best = explained, [*others, parent]
    if best is None:
        return False
    pursuit.taken = best[1]
    return True


def _moved_alike(pursuit: Pursuit, leaves: Whole, inside: list[int], others: list[int]) -> bool:
    """Whether the parts taken, and the rest of these leaves, moved alike beside the others."""
    field = pursuit.field
    columns = [*others, *inside]
    moves = pursuit.fitting.moves(columns)[len(others) :]
    covered = np.unique(np.concatenate([field.segments.leaves(k) for k in inside]))
    rest = np.setdiff1d(leaves, covered)
    information = float(field.weight[rest] @ field.level[rest])
    if information <= 0:
        return len(inside) > 1 and _alike(moves)
    pull = float(field.weight[rest] @ pursuit.fitting.rest(columns)[rest])
    if abs(pull) < _SURE * np.sqrt(information * field.noise):
        return False
    return _alike(np.append(moves, pull / information))


def _alike(moves: Numbers) -> bool:
    sizes = np.abs(moves)
    return bool((np.sign(moves) == np.sign(moves[0])).all() and sizes.min() >= ALIKE * sizes.max())


def _without_exceptions(pursuit: Pursuit) -> bool:
    """Whether a part was dropped that moved as the value does that it is in."""
    moves = dict(zip(pursuit.taken, pursuit.fitting.moves(pursuit.taken), strict=True))
    for outer in pursuit.taken:
        leaves = pursuit.field.segments.leaves(outer)
        for one in pursuit.taken:
            if one == outer or not _is_within(pursuit, one, leaves):
                continue
            if _alike(np.array([moves[outer], moves[outer] + moves[one]])):
                pursuit.taken.remove(one)
                return True
    return False


def _turned(pursuit: Pursuit) -> None:
    """Where one of two values is said to have moved against all, the other moved alone: the same
    numbers, with one cause instead of two."""
    if pursuit.fitting.hold != FREE:
        return
    for one in list(pursuit.taken):
        other = _other_of_two(pursuit, one)
        if other is None or other in pursuit.taken:
            continue
        turned = [other if k == one else k for k in pursuit.taken]
        if pursuit.fitting.common(turned) < pursuit.fitting.common(pursuit.taken):
            pursuit.taken = turned


def _other_of_two(pursuit: Pursuit, one: int) -> int | None:
    """The other value of a dimension that has two; None for any other segment."""
    segments = pursuit.field.segments
    same = np.flatnonzero(segments.place == segments.place[one])
    if segments.depth[one] != 1 or len(same) != 2:
        return None
    other = int(same[same != one][0])
    count = len(segments.leaves(one)) + len(segments.leaves(other))
    return other if count == len(pursuit.field.level) else None


def _is_within(pursuit: Pursuit, one: int, leaves: Whole) -> bool:
    own = pursuit.field.segments.leaves(one)
    return len(own) < len(leaves) and bool(np.isin(own, leaves, assume_unique=True).all())


def _parents(pursuit: Pursuit, one: int) -> list[int]:
    """The segments of one dimension less that a segment is part of."""
    segments = pursuit.field.segments
    own = segments.cuboids[segments.place[one]]
    out = []
    for dropped in own:
        kept = tuple(d for d in own if d != dropped)
        if kept not in segments.cuboids:
            continue
        same = np.flatnonzero(segments.place == segments.cuboids.index(kept))
        codes = segments.cube.codes
        wanted = codes[segments.leaf[one], list(kept)]
        there = (codes[np.ix_(segments.leaf[same], list(kept))] == wanted).all(axis=1)
        out += [int(k) for k in same[there]]
    return out
