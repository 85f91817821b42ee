"""What words mean that follow another question: its reading, changed by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from mesh.errors import NOTHING_TO_FOLLOW, NOTHING_UNDERSTOOD
from services.planner.domain.analysis.adapting import restored
from services.planner.domain.analysis.planning import PlanningInput
from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.confidence.thresholds import LIKELY
from services.planner.domain.failure import Failure
from services.planner.domain.lexicon.cues import Form, form_of
from services.planner.domain.query.intent import Intent, Understood
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.fragments.corrected import changed
from services.planner.domain.reader.fragments.parts import fields_of
from services.planner.domain.reader.multiplied import each_once, with_repeat_notes

_HINT = "Say the whole question, or change it like “by country”, “only 1997”, “top 5”."


@dataclass(frozen=True)
class Followed:
    """The changed reading, and for people what was changed: "as before, but by country"."""

    understood: Understood
    edit: str


async def followed(before: Mapping[str, Any], given: PlanningInput) -> Followed | Failure:
    """The reading `before`, as JSON, changed by the words of the request; or why it is not.

    Every word that is not idle must have a part in the change.
    """
    if not before:
        return Failure(
            reason=NOTHING_TO_FOLLOW.code,
            message="what was asked before was not read as one question that words can change",
            hint=NOTHING_TO_FOLLOW.remedy,
        )
    intent = Intent.model_validate(restored(dict(before), given.catalogue))
    if lost := _lost(intent, given.catalogue):
        return Failure(
            reason=NOTHING_TO_FOLLOW.code,
            message=f"what was asked before is of {lost}, which this data does not have",
            hint=NOTHING_TO_FOLLOW.remedy,
        )
    found = await followed_by(
        intent, given.request.intent, given.catalogue, given.lookup, given.today
    )
    if isinstance(found, str):
        return Failure(reason=NOTHING_UNDERSTOOD.code, message=found, hint=_HINT)
    return found


async def followed_by(
    before: Intent, words: str, catalogue: Catalogue, lookup: ValueLookup, today: date
) -> Followed | str:
    """The reading `before` changed by the words that follow it; or, for people, why it is not."""
    found = await changed(before, words, catalogue, lookup, today, called="follow-up")
    if isinstance(found, str):
        return found
    edit = "as before, but " + ", ".join(found.changes)
    own = form_of(words)[0] in (Form.QUESTION, Form.WHOLE)
    doubts = (f"“{words.strip()}” is taken as a change of what was asked before",) if own else ()
    read = Understood(
        intent=found.intent,
        summary=summarise(found.intent, catalogue),
        confidence=min(found.confidence, LIKELY) if own else found.confidence,
        measured=True,
        assumptions=(edit, *doubts, *found.notes),
    )
    return Followed(with_repeat_notes(each_once(read, catalogue), catalogue), edit)


def _lost(intent: Intent, catalogue: Catalogue) -> str:
    """A column that the reading uses and the data does not have; empty where there is none."""
    own = {(one.table, one.column) for one in intent.defined}
    copies = {copy.name: copy.table for copy in intent.copies}
    for field in sorted(fields_of(intent), key=str):
        name = copies.get(field.table, field.table)
        table = catalogue.table(name)
        known = table is not None and table.column(field.column) is not None
        if not known and (field.table, field.column) not in own:
            return f"{field.table}.{field.column}"
    return "" if catalogue.table(intent.base) is not None else intent.base
