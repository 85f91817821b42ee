"""Segments that moved, and that always do: a season, a level that wanders.

They are no news, and still they are where the metric moved. Unless they are held beside it, what
they moved looks like a move of everything else, or of all alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from services.executor.metric.cube import Numbers
from services.executor.metric.gathering import gather
from services.executor.metric.pursuit import Pursuit

_SAME = 0.5
"""Of a segment's information, what it may share with a cause that was found already."""


def habits_of(pursuit: Pursuit, most: int, unrest: Callable[[list[int]], Numbers]) -> list[int]:
    """The segments that stand out of the days of both periods and not of earlier pairs of periods,
    the furthest first, taken into the pursuit.

    Of what the same pursuit finds by the days alone, those are news that stand out of earlier pairs
    once the others are held beside them, now and then; of what was found before, those stay that
    stand out beside them. `unrest` gives by how much t of some segments is divided, each beside the
    others.
    """
    test = pursuit.test
    assert test is not None and test.unrest is not None
    bare = Pursuit(pursuit.field, replace(test, unrest=None), pursuit.threshold, pursuit.allowed)
    bare.run(most)
    gather(bare)
    usual = [k for k in bare.taken if not _is_known_segment(pursuit, k)]
    if not usual:
        return []
    own = test.unrest.copy()
    if len(usual) > 1 or pursuit.taken:
        together = [*pursuit.taken, *usual]
        beside = unrest(together)
        own[together] = np.minimum(own[together], beside)
        pursuit.test = replace(test, unrest=own)
    pursuit.taken = [k for k in pursuit.taken if _size(pursuit, k, usual) >= pursuit.threshold]
    sizes = {k: _size(pursuit, k, usual) for k in usual}
    news = [k for k in usual if sizes[k] >= pursuit.threshold]
    usual = sorted((k for k in usual if k not in news), key=lambda k: (-sizes[k], k))
    pursuit.taken = [*pursuit.taken, *news, *usual]
    return usual


def _is_known_segment(pursuit: Pursuit, k: int) -> bool:
    """Whether a segment is, for the most part, one that was found."""
    own = float(pursuit.field.information[k])
    return any(
        max(
            float(pursuit.fitting.overlap(one)[k]) / max(own, 1e-300),
            float(pursuit.fitting.overlap(one)[k])
            / max(float(pursuit.field.information[one]), 1e-300),
        )
        > _SAME
        for one in pursuit.taken
    )


def _size(pursuit: Pursuit, k: int, usual: list[int]) -> float:
    """|t| of a segment beside all others that were found or are usual."""
    others = [one for one in dict.fromkeys([*pursuit.taken, *usual]) if one != k]
    return abs(float(pursuit.statistics(others, np.array([k]))[0]))
