"""What takes the place of a phrase about time, and the column of days that it needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.language.timing.events import (
    Dated,
    date_called,
    holds_times,
    listed,
    own_words,
    start_for,
)
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.defining.terms import Computed, Definition, Reference


@dataclass(frozen=True, slots=True)
class Piece:
    """A question's characters, what stands in their place, and the column that needs it."""

    start: int
    end: int
    stands: str
    definition: Definition
    note: str = ""


def definition_of(start: Dated, end: Dated) -> Definition:
    """The days from one date to another as a column of their table."""
    words = [
        w for w in re.findall(r"[^\W_]+", end.said) if w not in ("date", "time", "datetime", "of")
    ]
    shared = own_words(end)
    told = [w for w in words if not shared & frozenset(name_words(w))] or words
    name = f"days_until_{'_'.join(told)}"
    if not start.opening:
        name = f"days_from_{'_'.join(start.said.split())}_to_{'_'.join(told)}"
    operands = (_reference(start), _reference(end))
    exact = holds_times(start) and holds_times(end)
    return Definition(
        table=end.table.name,
        column=name,
        text=f"days from {start.said} to {end.said}",
        term=Computed(function="elapsed" if exact else "days", operands=operands),
    )


def _reference(dated: Dated) -> Reference:
    return Reference(table=dated.table.name, column=dated.column.name)


def made_until(phrase: str, dates: Sequence[Dated], one: Dated | None = None) -> Definition | str:
    """The days until what a phrase speaks of, or why they cannot be told."""
    end = date_called(phrase, dates)
    if end is None:
        return untied(phrase, dates)
    start = one or start_for(end, dates)
    if start is None or not same_row(start, end):
        return f'It is not plain from which date on "{phrase}" counts: there are {listed(dates)}.'
    return definition_of(start, end)


def same_row(one: Dated, other: Dated) -> bool:
    """Whether two dates are different columns of one table."""
    return one.table.name == other.table.name and one.column.name != other.column.name


def averaged(start: int, end: int, made: Definition, question: str) -> Piece:
    """ "How long" of many is told as their average, and says so where the question does not."""
    rest = question[end:]
    said = re.search(r"\b(?:on average|average|mean|typically|usually)\b", question, re.IGNORECASE)
    later = re.match(r"\s*,?\s*on average\b", rest, re.IGNORECASE)
    end += later.end() if later is not None else 0
    each = re.match(r"\s+(?:an?|one|each)\s+(\w+)", question[end:], re.IGNORECASE)
    stands = f"average {made.column}"
    if each is not None:
        end, stands = end + each.end(), f"{stands} of {each.group(1)}"
    return Piece(
        start, end, stands, made, "" if said else "how long it takes is told as an average"
    )


def untied(phrase: str, dates: Sequence[Dated]) -> str:
    """Why a phrase is not read, with the dates that there are."""
    return f'"{phrase}" could not be tied to two dates of one table: there are {listed(dates)}.'
