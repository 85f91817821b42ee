"""How old people are, by their dates of birth: "the average age", "older than 40"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from services.planner.domain.catalogue import Catalogue, Column, Table
from services.planner.domain.language.timing.events import DATE_TYPES, dates_of
from services.planner.domain.lexicon.normalise import name_words, readable, stem
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.defining.terms import (
    Computed,
    Constant,
    Definition,
    Reference,
)

COLUMN = "age"
# Not "oldest" and "youngest": these go by the date itself, to the day.
_SAID = re.compile(r"\b(?:ages?|aged|old|older|young|younger|years old)\b", re.IGNORECASE)
_BIRTH = frozenset(stem(word) for word in ("birth", "born", "birthday", "dob", "birthdate"))
_OLDER = re.compile(
    r"\b(?P<way>older|younger) than(?= \d+)|\b(?P<over>over|under|above|below) (?P<limit>\d+)"
    r" years (?:old|of age)\b",
    re.IGNORECASE,
)

# Ages of people, not other numbers: "employees over 50", but not "customers over 50 orders".
_LIMIT = (
    r"(?P<over>over|under|above|below) (?P<limit>1?\d{1,2})(?! years)"
    r"(?=\s*(?:[,.?;]|$|(?:does|do|did|are|is|were|was|has|have|had|in|by|per|with|who|that|and|or"
    r"|from|at|for|died|\w{3,}ed)\b))"
)

# Rows of people are seldom called after the file they are in.
_PEOPLE = (
    "people|persons|passengers?|patients?|customers?|clients?|employees?|workers?|students?|users?"
    "|members?|participants?|respondents?|adults|men|women|males?|females?"
)


def ages(
    question: str, tables: Sequence[Table], catalogue: Catalogue, today: date
) -> list[Definition]:
    """Ages of the people in those tables, where they are asked for and not told already."""
    if not _SAID.search(question) and people_over(question, catalogue.tables) == question:
        return []
    born = [
        (table, column)
        for table in tables
        if table.column(COLUMN) is None and (column := _birth(table)) is not None
    ]
    day = _latest(catalogue, today)
    return [_age(table, column, day) for table, column in born]


def people_over(question: str, tables: Sequence[Table]) -> str:
    """ "Patients over 65" with the age said, where no other thing is counted after the number."""
    for table in tables:
        if _birth(table) is None and not _tells_age(table):
            continue
        name = re.escape(readable(table.name).removesuffix("s")) + "s?"
        people = f"{name}|{_PEOPLE}" if len(tables) == 1 else name
        over = rf"\b(?P<who>(?:{people})(?: (?:who|that))?(?: (?:are|is|were|was))?) {_LIMIT}"
        question = re.sub(over, _with_age, question, flags=re.IGNORECASE)
    return question


def _with_age(match: re.Match[str]) -> str:
    sign = "above" if match.group("over").lower() in ("over", "above") else "below"
    return f"{match.group('who')} with age {sign} {match.group('limit')}"


def in_ages(question: str) -> str:
    """The question with what it says of age put in the words of a column: "age above 50"."""
    question = re.sub(r"\bhow old (?:is|are|was|were)\b", "age of", question, flags=re.IGNORECASE)
    question = _OLDER.sub(_compared, question)
    return re.sub(r"(?<=\d) years(?: (?:old|of age))?\b", "", question, flags=re.IGNORECASE)


def _compared(match: re.Match[str]) -> str:
    if match.group("way"):
        sign = "above" if match.group("way").lower() == "older" else "below"
        return f"with age {sign}"
    sign = "above" if match.group("over").lower() in ("over", "above") else "below"
    return f"with age {sign} {match.group('limit')}"


def _birth(table: Table) -> Column | None:
    found = [
        column
        for column in table.columns
        if column.data_type in DATE_TYPES and set(name_words(column.name)) & _BIRTH
    ]
    return found[0] if len(found) == 1 and not _tells_age(table) else None


def _tells_age(table: Table) -> bool:
    named = (c for c in table.columns if COLUMN in re.findall(r"[a-z]+", readable(c.name)))
    return any(numeric(column.data_type) for column in named)


def _age(table: Table, column: Column, day: date) -> Definition:
    born = Reference(table=table.name, column=column.name)
    return Definition(
        table=table.name,
        column=COLUMN,
        text=f"full years from {readable(column.name)} to {day.isoformat()}",
        term=Computed(function="years", operands=(born, Constant(value=day.isoformat()))),
    )


def _latest(catalogue: Catalogue, today: date) -> date:
    """The last day at which something is told to have happened; today where there is none."""
    found = [
        day
        for table in catalogue.tables
        for dated in dates_of(table)
        if not dated.planned and (day := _day(dated.column.maximum)) is not None and day <= today
    ]
    return max(found, default=today)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None
