"""Comparatives without "than": "7 % higher", "lower by 3", "fewer still"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mesh.prose.clauses import BoundValue, Clause
from mesh.prose.compared import difference_ends, numbers_of
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.vocabulary import LESS, MORE
from mesh.text.spelling import shown as as_shown

_EITHER = rf"(?P<more>{MORE})|(?P<less>{LESS})"
_BEHIND = re.compile(
    rf"\s*(?:(?:%|per cent|percent|points?|percentage points?|[^\W\d]\S*)\s+){{0,4}}?"
    rf"(?:{_EITHER})\b(?!\s+(?:than|on|as|of|or)\b)(?![^.;]*\bthan\b)",
    re.IGNORECASE,
)
_AGAIN = _EITHER.replace("<more>", "<more2>").replace("<less>", "<less2>")
_BY = re.compile(rf"\b(?:{_EITHER})\s+by\s+(?:about\s+|some\s+|a mere\s+)?$", re.IGNORECASE)
_STILL = re.compile(
    rf"\b(?:(?:{_EITHER})\s+(?:still|yet)|(?:even|still|slightly|somewhat|marginally"
    r"|a (?:shade|touch|little|bit)|considerably|rather|much|far)\s+"
    rf"(?:{_AGAIN}))\b(?![^.;]*\bthan\b)",
    re.IGNORECASE,
)


def find_wrong_bare(clause: Clause) -> Iterator[Failure]:
    """Comparatives beside a difference, or between two numbers, that say the opposite of them."""
    for one in numbers_of(clause):
        behind = clause.prose[one.bound.end - clause.start :]
        found = _BEHIND.match(behind) or _BY.search(clause.before(one.bound.start))
        ends = difference_ends(clause, one) if found else None
        if found and ends and (ends[0] > ends[1]) == (found["more"] is None):
            yield _failure(found["more"] or found["less"], ends, one)
    for found in _STILL.finditer(clause.prose):
        more, less = found["more"] or found["more2"], found["less"] or found["less2"]
        pair = _about(clause, clause.start + found.start())
        if pair is None or pair[0].value.value == pair[1].value.value:
            continue
        ends = float(pair[1].value.value), float(pair[0].value.value)
        if (ends[0] > ends[1]) == (more is None):
            yield _failure(more or less, ends, pair[1])


def _about(clause: Clause, place: int) -> tuple[BoundValue, BoundValue] | None:
    """The number before a place and the one behind it, where they are of one column."""
    numbers = numbers_of(clause)
    earlier = [one for one in clause.earlier if isinstance(one.value.value, int | float)]
    before = [*earlier, *(one for one in numbers if one.bound.end <= place)]
    behind = [one for one in numbers if one.bound.start >= place]
    if not before or not behind:
        return None
    pair = before[-1], behind[0]
    columns = [{cell.column for cell in one.value.cells} for one in pair]
    return pair if columns[0] == columns[1] and len(columns[0]) == 1 else None


def _failure(claimed: str, ends: tuple[float, float], one: BoundValue) -> Failure:
    found = f"{as_shown(ends[0])} is {'more' if ends[0] > ends[1] else 'no more'} than "
    span = (one.bound.start, one.bound.end)
    return Failure(
        FailureCode.WORD_WRONG, claimed, found + as_shown(ends[1]), "turn the comparison", *span
    )
