"""The number in sight, and the two periods between which it moved, for a question why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta

from dateutil.relativedelta import relativedelta

from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.investigation.metric_words import number_of
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.query.calendar import STEPS
from services.planner.domain.query.intent import (
    Aggregate,
    Condition,
    Dimension,
    Field,
    Filter,
    Grain,
    Group,
    Intent,
    Measure,
)
from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.fragments.parts import columns_compared

_DOWN = re.compile(r"\b(?:drop|fell|fall|declin|decreas|dip|down|lower|less|fewer|sank|sink)", re.I)
_UP = re.compile(r"\b(?:ris|rose|increas|grow|grew|jump|spik|up\b|higher|more\b)", re.I)
_UNITS = {
    Grain.YEAR: "year",
    Grain.QUARTER: "quarter",
    Grain.MONTH: "month",
    Grain.WEEK: "week",
    Grain.DAY: "day",
}


def metric_in_sight(intent: Intent, catalogue: Catalogue) -> str:
    """The number that a reading shows, as SQL with its conditions but those of time; empty where
    it shows none, or one that is worked out of others."""
    shown = [measure for measure in intent.measures if measure.shown]
    if len(shown) != 1 or intent.derived or intent.statistic is not None or intent.cohort:
        return ""
    kept = tuple(one for one in intent.filters if not _timely(one, catalogue))
    number = _counting(shown[0], catalogue) if len(catalogue.tables) > 1 else shown[0]
    if number is None:
        return ""
    alone = Intent(
        base=intent.base,
        measures=(number,),
        filters=kept,
        joins=intent.joins,
        defined=intent.defined,
        copies=intent.copies,
    )
    return number_of(alone, catalogue)


def _counting(measure: Measure, catalogue: Catalogue) -> Measure | None:
    """The number, of rows counted by a column that each has: SQL alone does not say of which table
    rows are counted. None where there is no such column."""
    if measure.aggregate is not Aggregate.COUNT or measure.expression is not None:
        return measure
    table = catalogue.table(measure.table)
    if table is None:
        return None
    keys = [column for column in table.stored if column.name in table.primary_key]
    full = [*keys, *(c for c in table.stored if not c.nulls and not c.nullable)]
    if not full:
        return None
    field = Field(table=table.name, column=full[0].name)
    return measure.model_copy(update={"expression": field})


def time_split(intent: Intent) -> tuple[int, Dimension] | None:
    """The dimension that is a calendar's unit of time, with its place; None where none is."""
    for place, one in enumerate(intent.dimensions):
        if one.grain in _UNITS and not one.periods:
            return place, one
    return None


def periods_of_filter(intent: Intent, catalogue: Catalogue) -> tuple[DateRange, DateRange] | None:
    """The time that a reading is of, and the one of the same length before it, first."""
    first: date | None = None
    end: date | None = None
    for one in _flat(intent.filters):
        if not isinstance(one, Condition) or not _timely(one, catalogue):
            continue
        days = [day_of(value) for value in one.values]
        if not days or None in days:
            return None
        start = days[0]
        if one.operator in (Operator.AT_LEAST, Operator.GREATER):
            first = start
        elif one.operator is Operator.LESS:
            end = start
        elif one.operator is Operator.BETWEEN and len(days) == 2 and days[1] is not None:
            first, end = start, days[1] + timedelta(days=1)
        else:
            return None
    if first is None or end is None or end <= first:
        return None
    return DateRange(start=period_before(first, end), end=first - timedelta(days=1)), DateRange(
        start=first, end=end - timedelta(days=1)
    )


def _flat(filters: Sequence[Filter]) -> Iterator[Filter]:
    """The conditions that all hold."""
    for one in filters:
        if isinstance(one, Group) and one.connective == "and":
            yield from _flat(one.members)
        else:
            yield one


def largest_move(
    rows: Sequence[tuple[date, float]], grain: Grain, words: str
) -> tuple[DateRange, DateRange] | None:
    """The neighbouring periods between which a number moved most, the way the words say, if any.

    `rows` are starts of periods, each with its number; what has several numbers is their sum.
    """
    sums: dict[date, float] = {}
    for day, value in rows:
        sums[day] = sums.get(day, 0.0) + value
    step = STEPS[_UNITS[grain]]
    way = bool(_UP.search(words)) - bool(_DOWN.search(words))
    moves = [(sums[day + step] - value, day) for day, value in sums.items() if day + step in sums]
    wanted = [(abs(move), day) for move, day in moves if move * way > 0 or (not way and move)]
    if not wanted:
        return None
    _, day = max(wanted)
    return _period(day, step), _period(day + step, step)


def moments(values: Sequence[object]) -> list[date | None]:
    """Cells of a time as days: dates, moments, or years."""
    return [day_of(value) for value in values]


def describe_periods(periods: tuple[DateRange, DateRange], how: str) -> str:
    """The periods for people."""
    return f"{how}: {periods[1]} against {periods[0]}"


def _period(start: date, step: relativedelta) -> DateRange:
    return DateRange(start=start, end=start + step - timedelta(days=1))


def period_before(first: date, end: date) -> date:
    """The start of the time before: as many whole months, where it is of whole months."""
    if first.day == 1 and end.day == 1:
        months = (end.year - first.year) * 12 + end.month - first.month
        return first - relativedelta(months=months)
    return first - (end - first)


def day_of(value: object) -> date | None:
    """A cell or a written value as the day that it is of or begins with; None where it is none."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, int) and 1000 <= value <= 9999:
        return date(value, 1, 1)
    if isinstance(value, str):
        try:
            return date.fromisoformat(value[:10])
        except ValueError:
            return None
    return None


def _timely(one: Filter, catalogue: Catalogue) -> bool:
    """Whether a condition is about dates alone."""
    fields = list(columns_compared(one))
    kinds = []
    for field in fields:
        table = catalogue.table(field.table)
        column = table.column(field.column) if table is not None else None
        kinds.append(column is not None and column.data_type in (DataType.DATE, DataType.DATETIME))
    return bool(kinds) and all(kinds)


def column_named(names: Sequence[str], label: str, formats: Mapping[str, str]) -> str:
    """The column of an answer's table that shows a time: by its label, else by how it reads."""
    same = [name for name in names if name.casefold() == label.casefold()]
    if same:
        return label if label in same else same[0]
    timely = [
        name for name in names if formats.get(name) in ("year", "quarter", "month", "week", "day")
    ]
    return timely[0] if len(timely) == 1 else ""
