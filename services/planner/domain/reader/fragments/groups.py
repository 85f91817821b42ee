"""The groups of a reading, changed by a fragment: those whose number is so large, or all as one."""

from __future__ import annotations

from services.planner.domain.language.intent import Having, Intent
from services.planner.domain.language.kinds import Aggregate
from services.planner.domain.language.planning.summary import having_text
from services.planner.domain.reader.fragments.fragment import EditError, Fragment

_ADDS_UP = (Aggregate.SUM, Aggregate.COUNT)


def limited(intent: Intent, fragment: Fragment) -> tuple[Intent, list[str]]:
    """The reading with the groups alone whose number compares so, and what was done in words.

    A comparison takes the place of an earlier one of the same number. Raises EditError.
    """
    if not fragment.limits:
        return intent, []
    shown = [measure for measure in intent.measures if measure.shown]
    if len(shown) != 1 or shown[0].aggregate is None or not intent.dimensions or intent.derived:
        raise EditError("no single number of groups is shown that it could be compared with")
    new = tuple(
        Having(measure=shown[0], operator=one.operator, values=tuple(float(v) for v in one.values))
        for one in fragment.limits
    )
    kept = tuple(one for one in intent.having if one.measure != shown[0])
    return intent.model_copy(update={"having": (*kept, *new)}), [having_text(one) for one in new]


def over_all(intent: Intent, fragment: Fragment) -> tuple[Intent, list[str]]:
    """The reading with its number over all groups, and what was done in words. Raises EditError
    where that is not what is in sight added up."""
    if not fragment.altogether:
        return intent, []
    if intent.limit or intent.having or intent.derived or intent.statistic:
        raise EditError(
            "some of the groups are shown alone, and what they come to together was not asked "
            "for; ask it anew in one question"
        )
    new = fragment.numbers or fragment.counts
    if not new and any(measure.aggregate not in _ADDS_UP for measure in intent.measures):
        raise EditError("what is shown does not add up; name the number that is meant")
    if not intent.dimensions:
        return intent, []
    update = {"dimensions": (), "order": (), "series": None, "distinct": False}
    return intent.model_copy(update=update), ["over all of them"]
