"""The groups of a reading, changed by a fragment: those whose number is so large, or all as one."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import Dimension, Having, Intent
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.query.labels import count_of_rows
from services.planner.domain.query.planning.summary import having_text
from services.planner.domain.reader.fragments.fragment import EditError, Fragment
from services.planner.domain.reader.fragments.parts import columns_compared
from services.planner.domain.reader.links.naming import names_of
from services.planner.domain.reader.links.schema import schema_of

_UNSPLIT: dict[str, object] = {"dimensions": (), "order": (), "series": None, "distinct": False}
_ADDS_UP = (Aggregate.SUM, Aggregate.COUNT)


def limited(intent: Intent, fragment: Fragment) -> tuple[Intent, list[str]]:
    """The reading with the groups alone whose number compares so, and what was done in words.

    A comparison takes the place of an earlier one of the same number. Raises EditError.
    """
    if fragment.every:
        return intent.model_copy(update={"limit": None, "having": ()}), ["for all of them"]
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
    if not intent.measures and not new:
        return _number_of_rows(intent)
    if not new and any(measure.aggregate not in _ADDS_UP for measure in intent.measures):
        raise EditError("what is shown does not add up; name the number that is meant")
    if not intent.dimensions:
        return intent, []
    return intent.model_copy(update=_UNSPLIT), ["over all of them"]


def listed(intent: Intent, fragment: Fragment, catalogue: Catalogue) -> tuple[Intent, list[str]]:
    """The reading with the rows that it counts, by name and what conditions are on. Raises
    EditError where something else than rows of one table was counted."""
    if not fragment.listed:
        return intent, []
    [*measures] = intent.measures
    counted = [m for m in measures if m.aggregate is Aggregate.COUNT and m.expression is None]
    named = names_of(schema_of(catalogue), intent.base)
    if measures != counted or len(counted) != 1 or not named or intent.derived:
        raise EditError("what is in sight counts no rows that could be listed")
    compared = [f for one in intent.filters for f in columns_compared(one)]
    fields = list(dict.fromkeys((*(place.field for place in named), *compared)))
    fields = [f for f in fields if f.table == intent.base]
    shown = tuple(Dimension(expression=f, label=readable(f.column)) for f in fields)
    update = {**_UNSPLIT, "measures": (), "dimensions": shown, "having": (), "limit": None}
    return intent.model_copy(update=update), ["the rows themselves"]


def _number_of_rows(intent: Intent) -> tuple[Intent, list[str]]:
    if intent.distinct or intent.joins:
        raise EditError("how many of what is listed was not asked for; ask it in one question")
    counted = (count_of_rows(intent.base),)
    return intent.model_copy(update={**_UNSPLIT, "measures": counted}), ["how many there are"]
