"""Comparisons of the number that is asked for: "number of sales per investor if it is over 3"."""

from __future__ import annotations

from services.planner.domain.language.conditions.compared import Compared
from services.planner.domain.language.normalising.cues import BEING
from services.planner.domain.language.work import Work
from services.planner.domain.query.intent import Having

_PRONOUNS = frozenset("it they that this which".split())
_REACH = 3


def compared_as_it(work: Work, unplaced: list[Compared]) -> list[Compared]:
    """Turns such comparisons into conditions on groups; the others are left as they were."""
    measures = work.draft.measures
    if len(measures) != 1 or measures[0].aggregate is None:
        return unplaced
    left: list[Compared] = []
    for compared in unplaced:
        before = work.scene.words(compared.first - _REACH, compared.first)
        said = bool(before) and before[-1] in BEING and bool(_PRONOUNS & set(before[:-1]))
        if said and compared.numbers:
            work.draft.having.append(
                Having(measure=measures[0], operator=compared.operator, values=compared.numbers)
            )
        else:
            left.append(compared)
    return left
