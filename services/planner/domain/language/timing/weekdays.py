"""Days by what day of the week they are: "orders on weekends", "revenue on Mondays"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.catalogue import Table
from services.planner.domain.language.timing.pieces import Piece
from services.planner.domain.lexicon.moments import MONTH
from services.planner.domain.lexicon.normalise import readable, tokenise
from services.planner.domain.lexicon.vocabulary import MAIN_DATE_WORDS
from services.planner.domain.query.defining.terms import (
    Branch,
    Choice,
    Computed,
    Constant,
    Definition,
    Reference,
)
from services.planner.domain.reader.times.dates import own_date

_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKEND = ("Saturday", "Sunday")
_SAID = re.compile(
    r"\b(?P<negated>not )?(?:on|at|during|over) (?:a |the |every )?"
    rf"(?P<day>weekends?|week ?days?|work(?:ing )?days?|(?:{'|'.join(_NAMES)})s?)\b"
    rf"(?!,? (?:and|or|to|the|\d|{'|'.join(_NAMES)}|{MONTH}))",
    re.IGNORECASE,
)


def next_weekday(question: str, tables: Sequence[Table]) -> Piece | str | None:
    """The first day of the week that rows are kept by, or why it cannot be told."""
    match = _SAID.search(question)
    if match is None:
        return None
    said = match.group("day").lower().replace(" ", "")
    if match.group("negated"):
        return f'Say on which days instead of "{match.group().strip()}".'
    dated = _dated(question, tables)
    if dated is None:
        return f'It is not plain which date "{match.group("day")}" is about: name the table of it.'
    table, column = dated
    kind = "weekend" if said.startswith("weekend") else "working day"
    named = next((name for name in _NAMES if said.startswith(name.lower())), None)
    made = _day_name(table, column) if named else _day_kind(table, column)
    return Piece(match.start(), match.end(), f"that are {named or kind}", made)


def _dated(question: str, tables: Sequence[Table]) -> tuple[str, str] | None:
    """The date that rows happened on, of the one table that is plainly meant."""
    stems = [token.stem for token in tokenise(question)]
    dates = [(table, found) for table in tables if (found := own_date(table, stems)) is not None]
    if len(dates) > 1:
        dates = [d for d in dates if set(_stems(d[1].column)) & set(MAIN_DATE_WORDS)]
    return (dates[0][0].name, dates[0][1].column) if len(dates) == 1 else None


def _stems(name: str) -> list[str]:
    return [token.stem for token in tokenise(readable(name))]


def _weekday(table: str, column: str) -> Computed:
    return Computed(function="weekday", operands=(Reference(table=table, column=column),))


def _day_name(table: str, column: str) -> Definition:
    branches = tuple(_branch(table, column, (name,), name) for name in _NAMES)
    return Definition(
        table=table,
        column="day_of_the_week",
        text=f"of the {readable(column)}",
        term=Choice(branches=branches),
    )


def _day_kind(table: str, column: str) -> Definition:
    working = tuple(name for name in _NAMES if name not in _WEEKEND)
    branches = (
        _branch(table, column, _WEEKEND, "weekend"),
        _branch(table, column, working, "working day"),
    )
    return Definition(
        table=table,
        column="kind_of_day",
        text=f"weekend where the {readable(column)} is a Saturday or Sunday",
        term=Choice(branches=branches),
    )


def _branch(table: str, column: str, names: Sequence[str], called: str) -> Branch:
    day = _weekday(table, column)
    same = tuple(Computed(function="==", operands=(day, Constant(value=name))) for name in names)
    when = same[0] if len(same) == 1 else Computed(function="or", operands=same)
    return Branch(when=when, then=Constant(value=called))
