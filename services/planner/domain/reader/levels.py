"""Levels over time: a balance is told as it stood on the last day, and never added over days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from services.planner.domain.catalogue import Catalogue, DataType, Table
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.calendar import STEPS
from services.planner.domain.query.dimensions.coverage import days_of, floor, shown
from services.planner.domain.query.filters import conditions_of
from services.planner.domain.query.intent import (
    Aggregate,
    Condition,
    Field,
    Grain,
    Intent,
    Measure,
    Operator,
    Understood,
)
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.semantics.kinds import Kind, kind_of

_UNITS = (Grain.YEAR, Grain.QUARTER, Grain.MONTH, Grain.WEEK)
_MOST_PERIODS = 400
_NOW = "current|currently|latest|present|closing|final|most recent|end"
_AT_END = (
    r"\s*,?\s*\b(?:at the (?:very )?end(?: of (?:the )?(?:data|period))?|right now|now)\s*"
    r"(?=[?.!]*$)"
)


def reword_levels(question: str, catalogue: Catalogue) -> str:
    """ "Current balance of cash" as "total balance of cash", which is told of the last day; only of
    levels that have days."""
    for name in sorted(_names(catalogue), key=len, reverse=True):
        level = re.escape(name) + "s?"
        before = rf"\b(?:{_NOW})\s+(?=(?:total\s+)?{level}\b)"
        found = re.sub(before, "", question, flags=re.IGNORECASE)
        if re.search(rf"\b{level}\b", question, re.IGNORECASE):
            found = re.sub(_AT_END, "", found, flags=re.IGNORECASE)
        if found != question:
            added = rf"(?<!total )(?<!average )(?<!mean )\b({level})\b"
            return re.sub(added, r"total \1", found, count=1, flags=re.IGNORECASE)
    return question


def on_last_days(found: Understood, catalogue: Catalogue) -> Understood:
    """The reading with sums of a level taken on the last day, or on the last one of each period.

    Which day that is the catalogue tells: the last one of all, and of periods where the data have
    every day. Elsewhere the reading stays, and check A02 says that days are added up.
    """
    intent = found.intent
    levels = [m for m in intent.measures if _is_level(m, catalogue)]
    if not levels or len({m.table for m in levels}) != 1:
        return found
    dated = _dated(catalogue.table(levels[0].table))
    days = _last_days(intent, dated, catalogue) if dated is not None else None
    if dated is None or days is None:
        return found
    last, each = days
    operator = Operator.IN if len(last) > 1 else Operator.EQUAL
    text = f"at the last day of each {each}" if each else f"on {last[0].day} {last[0]:%B %Y}"
    note = text if each else ""
    kept = Condition(field=dated, operator=operator, values=last, note=note)
    value = intent.model_copy(update={"filters": (*intent.filters, kept)})
    name = levels[0].label
    reason = f"{name} is a level, told as it stood {text}: its days are not added up"
    return found.model_copy(
        update={
            "intent": value,
            "summary": summarise(value, catalogue),
            "assumptions": (reason, *found.assumptions),
        }
    )


def _last_days(
    intent: Intent, dated: Field, catalogue: Catalogue
) -> tuple[tuple[date, ...], str] | None:
    """The last days that are asked for, and of each of which unit they are; None where every day
    is told by itself, or where they are not known."""
    days = days_of(dated, catalogue)
    along = [d for d in intent.dimensions if d.expression == dated]
    if days is None or any(d.grain not in _UNITS for d in along):
        return None
    if any(m.during is not None for m in intent.measures):
        return None
    on_days = [c for c in conditions_of(intent.filters) if c.field == dated]
    if any(c.operator not in (Operator.AT_LEAST, Operator.LESS, Operator.BETWEEN) for c in on_days):
        return None
    table = catalogue.table(dated.table)
    column = table.column(dated.column) if table is not None else None
    dense = column is not None and column.distinct == (days.last - days.first).days + 1
    start, end = _within(intent, dated)
    last = min(days.last, end - timedelta(days=1)) if end is not None else days.last
    if not along:
        return ((last,), "") if dense or last == days.last else None
    grain = max((d.grain for d in along if d.grain is not None), key=_UNITS.index)
    first = max(days.first, start) if start is not None else days.first
    each = tuple(_ends(first, last, grain))
    return (each, grain.value) if dense and 0 < len(each) <= _MOST_PERIODS else None


def _within(intent: Intent, dated: Field) -> tuple[date | None, date | None]:
    """The first day and the day after the last that the conditions on that date leave."""
    start, end = shown(intent.filters, dated)
    for one in intent.filters:
        if not isinstance(one, Condition) or one.field != dated or not one.values:
            continue
        days = [date.fromisoformat(str(value)[:10]) for value in one.values]
        opens = one.operator in (Operator.BETWEEN, Operator.AT_LEAST)
        closes = days[-1] + timedelta(days=one.operator is Operator.BETWEEN)
        if opens:
            start = max(days[0], start) if start is not None else days[0]
        if one.operator in (Operator.BETWEEN, Operator.LESS):
            end = min(closes, end) if end is not None else closes
    return start, end


def _ends(first: date, last: date, grain: Grain) -> Iterator[date]:
    """The last day of each unit between two days, these included."""
    opens = floor(first, grain)
    while opens <= last:
        opens = floor(opens + STEPS[grain.value], grain)
        yield min(opens - timedelta(days=1), last)


def _is_level(measure: Measure, catalogue: Catalogue) -> bool:
    table = catalogue.table(measure.table)
    target = measure.expression
    if measure.aggregate is not Aggregate.SUM or not isinstance(target, Field) or measure.per:
        return False
    column = table.column(target.column) if table is not None else None
    if table is None or column is None or target.table != measure.table:
        return False
    return kind_of(column, table) is Kind.LEVEL


def _dated(table: Table | None) -> Field | None:
    """The one date of a table's rows; None where there is none, or more than one."""
    found = [c for c in table.columns if c.data_type is DataType.DATE] if table is not None else []
    several = table is not None and any(c.data_type is DataType.DATETIME for c in table.columns)
    if table is None or len(found) != 1 or several or found[0].distinct < 2:
        return None
    return Field(table=table.name, column=found[0].name)


def _names(catalogue: Catalogue) -> set[str]:
    """What levels are called that are told by days."""
    return {
        readable(column.name)
        for table in catalogue.tables
        if _dated(table) is not None
        for column in table.columns
        if column.data_type in (DataType.INTEGER, DataType.FLOAT)
        and kind_of(column, table) is Kind.LEVEL
    }
