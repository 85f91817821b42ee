"""Values that are named one after the other to be told apart: "in Sales and in IT"."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from services.planner.domain.language.normalising.cues import AGGREGATE_WORDS
from services.planner.domain.language.scene import Scene
from services.planner.domain.query.intent import Condition

_LEADING = frozenset("in of for from at by to".split())
_AVERAGES = frozenset(["avg", "median"])
_TOGETHER = frozenset("both together combined overall altogether or either".split())


def are_told_apart(scene: Scene, conditions: Sequence[Condition]) -> bool:
    """Whether each of the values is to have its own number.

    The word before the first is said again before the others; or an average is asked for, which no
    two of them have together: "average salary of Sales and IT".
    """
    values = {value for condition in conditions for value in condition.values}
    named = [
        mention
        for index, mention in enumerate(scene.mentions)
        if scene.roles.get(index) == "condition" and mention.chosen.value in values
    ]
    if len(named) < 2 or _TOGETHER & {token.lower for token in scene.tokens}:
        return False
    before = [scene.words(mention.first - 1, mention.first) for mention in named]
    gaps = [scene.words(a.last, b.first) for a, b in itertools.pairwise(named)]
    if "and" not in gaps[-1] or not set(before[0]) & _LEADING:
        return False
    again = all(said == before[0] for said in before[1:])
    listed = all(set(gap) <= {"and", ",", *before[0]} for gap in gaps)
    return listed and (again or _of_average(scene, named[0].first))


def _of_average(scene: Scene, before: int) -> bool:
    said = scene.tokens[:before]
    return any(AGGREGATE_WORDS.get(token.lower) in _AVERAGES for token in said)
