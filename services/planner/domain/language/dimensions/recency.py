"""The latest and the earliest of things: which date they go by.

People are the oldest by their birth, and the newest by when they came; all other things are as old
as the date on which they happened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.lexicon.normalise import name_words, stem
from services.planner.domain.lexicon.vocabulary import NUMBER_WORDS
from services.planner.domain.query.intent import Field
from services.planner.domain.reader.times.dates import own_date

# Whether the latest date comes first.
LATEST_FIRST = {
    "latest": True, "newest": True, "youngest": True, "earliest": False, "oldest": False,
}  # fmt: skip
_BY_BIRTH = frozenset(["oldest", "youngest"])
_BIRTH = frozenset([stem("birth"), stem("born"), "dob", "birthday"])
_DATES = (DataType.DATE, DataType.DATETIME)
_RECENT = re.compile(r"\b(?P<way>most|least)[ -]recent(?:ly)?\b", re.IGNORECASE)
_SELLING = re.compile(r"\b(?:top|best)-selling\b|\btop selling\b", re.IGNORECASE)
_NUMBERED = r"(?:\d+|" + "|".join(NUMBER_WORDS) + ")"
_ENDS = re.compile(
    rf"\b(?P<way>first|last)(?P<many> {_NUMBERED})? (?P<thing>[^\W\d]+)"
    r"(?! (?:date|time|day|month|year|name|id|number)\b)",
    re.IGNORECASE,
)
_OF_EACH = re.compile(r"\b(?:each|every|per|their|his|her|its|since|after|before)\b", re.IGNORECASE)


def recency_said(question: str, catalogue: Catalogue) -> str:
    """ "Most recent" and "the last order" as "latest": the words that the other stages know."""
    question = _SELLING.sub("best selling", question)
    said = _RECENT.sub(
        lambda found: "latest" if found["way"].lower() == "most" else "earliest", question
    )
    return said if _OF_EACH.search(said) else _ENDS.sub(_of_dated(catalogue), said)


def _of_dated(catalogue: Catalogue) -> _Replacement:
    return _Replacement({word for table in catalogue.tables for word in _called(table)})


class _Replacement:
    """Says "latest" for "last", and "earliest" for a single first, of things with a date."""

    def __init__(self, dated: set[str]) -> None:
        self._dated = dated

    def __call__(self, found: re.Match[str]) -> str:
        last, many = found["way"].lower() == "last", found["many"] or ""
        if stem(found["thing"].lower()) not in self._dated or (many and not last):
            return found.group()
        return f"{'latest' if last else 'earliest'}{many} {found['thing']}"


def _called(table: Table) -> Iterator[str]:
    """The last word of a table's name, where its rows have a date."""
    words = name_words(table.name)
    if words and any(column.data_type in _DATES for column in table.columns):
        yield words[-1]


def date_to_rank_by(table: Table, word: str, stems: list[str]) -> Field | None:
    """The date that the newest or the oldest of a table go by; None where it is not clear."""
    dates = [column for column in table.columns if column.data_type in _DATES]
    births = [column for column in dates if _is_birth(column)]
    if word in _BY_BIRTH and births:
        return Field(table=table.name, column=births[0].name) if len(births) == 1 else None
    others = [column for column in dates if column not in births]
    named = [c for c in others if set(name_words(c.name)) & set(stems)]
    if len(others) == 1 or len(named) == 1:
        return Field(table=table.name, column=(named or others)[0].name)
    return own_date(table.model_copy(update={"columns": tuple(others)}), stems) if others else None


def _is_birth(column: Column) -> bool:
    return bool(set(name_words(column.name)) & _BIRTH)
