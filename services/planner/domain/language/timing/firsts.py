"""The first and the last by a date: "when was the last order", "who was hired first"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.catalogue import Table
from services.planner.domain.language.timing.events import Dated, date_called
from services.planner.domain.lexicon.normalise import name_words, readable, stem
from services.planner.domain.reader.times.dates import own_date

_PLACE = r"(?P<place>first|earliest|last|latest|most recent)"
_WHEN = re.compile(
    rf"\bwhen (?:was|is|did) (?:the |our )?{_PLACE} (?P<thing>\w+)(?: (?P<event>\w+ed))?"
    r"\s*(?=[?.!]*$)",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"^\W*(?:which|what|who)(?: (?P<thing>\w+))? (?:was|were|got|has been)"
    r" (?P<event>\w+ed) (?P<place>first|earliest|last|latest|most recently)\b",
    re.IGNORECASE,
)


_ALONE = re.compile(
    rf"^\W*(?:(?:what|when) (?:is|was) |show |find )?(?:the )?{_PLACE} (?P<date>\w+(?: \w+)?)"
    r"(?=\W*$| (?:by|of|for|per) )",
    re.IGNORECASE,
)


def by_date(question: str, tables: Sequence[Table], dates: Sequence[Dated]) -> str:
    """The question as one for the earliest or latest date, or for the rows that have it."""
    when = _WHEN.search(question)
    if when is not None:
        date = _date_of(when.group("thing"), when.group("event"), tables, dates)
        if date:
            aggregate = "minimum" if _is_first(when) else "maximum"
            said = f"{aggregate} {date} of {when.group('thing')}s"
            return f"{question[: when.start()]}{said}{question[when.end() :]}"
    alone = _ALONE.search(question)
    named = [d for d in dates if alone is not None and d.said == alone.group("date").lower()]
    if alone is not None and named:
        aggregate = "minimum" if _is_first(alone) else "maximum"
        return f"{aggregate} {named[0].said}{question[alone.end() :]}"
    which = _WHICH.search(question)
    found = date_called(which.group("event"), dates) if which is not None else None
    if which is None or found is None:
        return question
    thing = which.group("thing") or readable(found.table.name)
    way = "earliest" if _is_first(which) else "latest"
    said = f"{thing} with the {way} {found.said}"
    return f"{said}{question[which.end() :]}"


def _is_first(match: re.Match[str]) -> bool:
    return match.group("place").lower() in ("first", "earliest")


def _date_of(thing: str, event: str | None, tables: Sequence[Table], dates: Sequence[Dated]) -> str:
    """The name of the date when such a thing happened, or when that was done to it."""
    own = [t for t in tables if stem(thing.lower()) in name_words(t.name)]
    if len(own) != 1:
        return ""
    if event:
        found = date_called(event, [d for d in dates if d.table.name == own[0].name])
        return found.said if found is not None else ""
    happened = own_date(own[0], ())
    return readable(happened.column) if happened is not None else ""
