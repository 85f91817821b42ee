"""What a word of business is over columns: a formula in SQL, and the same for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta
from sqlglot import exp

from services.planner.domain.business.lexicon import Entry, Form
from services.planner.domain.business.moments import Moment, written
from services.planner.domain.catalogue import Column, DataType
from services.planner.domain.lexicon.normalise import readable

_DAYS_A_YEAR = 365.25


@dataclass(frozen=True, slots=True)
class Definition:
    """A formula as a semantic model would write it, and what is told of it."""

    formula: str
    description: str


def define_word(
    entry: Entry, columns: Sequence[Column | None], moments: Sequence[Moment], today: date
) -> Definition:
    """What the word is over these columns, at the day or in the period that is said."""
    when = moments[0] if len(moments) == 1 else None
    made = _MADE[entry.form](entry, columns, when, today)
    return Definition(made.formula, f"{entry.name} = {made.description}")


def _lasting(
    entry: Entry, columns: Sequence[Column | None], when: Moment | None, today: date
) -> Definition:
    start, end = columns
    assert start is not None
    until = _literal(today)
    text = f"to {written(today)}"
    if end is not None:
        ended = f"to {readable(end.name)}"
        until, text = (
            (_day(end), ended)
            if entry.needs[1].required
            else (f"coalesce({_day(end)}, {until})", f"{ended}, or {text}")
        )
    # Who is to begin later has not lasted yet.
    days = f"CASE WHEN {_day(start)} <= {until} THEN date_diff('day', {_day(start)}, {until}) END"
    formula = f"({days}) / {_DAYS_A_YEAR}" if entry.unit == "years" else days
    return Definition(formula, f"{entry.unit} from {readable(start.name)} {text}")


def _standing(
    entry: Entry, columns: Sequence[Column | None], when: Moment | None, today: date
) -> Definition:
    start, end = columns
    assert start is not None
    day = when.day if when is not None else today
    text = f"rows with {readable(start.name)} on or before {written(day)}"
    if end is not None:
        text += f" and {readable(end.name)} not before"
    return Definition(_there(start, end, day), text)


def _leaving(
    entry: Entry, columns: Sequence[Column | None], when: Moment | None, today: date
) -> Definition:
    start, end = columns
    assert start is not None and end is not None
    period = (when.start, when.end) if when is not None else _last_year(columns, today)
    first, last = period[0], period[1] - timedelta(days=1)
    left = f"{_day(end)} >= {_literal(first)} AND {_day(end)} <= {_literal(last)}"
    text = (
        f"rows with {readable(end.name)} {_in_period(first, last, is_mentioned=when is not None)}"
    )
    before = _there(start, end, first, strictly=True)
    if entry.at_beginning:
        gone = f"count(*) FILTER (WHERE {left} AND {_day(start)} < {_literal(first)})"
        text += ", of those there were at the beginning, as a share of these"
        return Definition(f"{gone} / {before}", text)
    after = _there(start, end, period[1], strictly=True)
    text += ", as a share of the headcount (the average of that at the beginning and at the end)"
    return Definition(f"2.0 * count(*) FILTER (WHERE {left}) / ({before} + {after})", text)


def _margin(
    entry: Entry, columns: Sequence[Column | None], when: Moment | None, today: date
) -> Definition:
    taken, cost = (_quoted(column) for column in columns if column is not None)
    names = [f"total {readable(column.name)}" for column in columns if column is not None]
    return Definition(
        f"(sum({taken}) - sum({cost})) / sum({taken})",
        f"({names[0]} − {names[1]}) / {names[0]}",
    )


def _ratio(
    entry: Entry, columns: Sequence[Column | None], when: Moment | None, today: date
) -> Definition:
    used, there = (_quoted(column) for column in columns if column is not None)
    names = [f"total {readable(column.name)}" for column in columns if column is not None]
    return Definition(f"sum({used}) / sum({there})", f"{names[0]} / {names[1]}")


def _amount(
    entry: Entry, columns: Sequence[Column | None], when: Moment | None, today: date
) -> Definition:
    (column,) = columns
    assert column is not None
    return Definition(_quoted(column), readable(column.name))


_MADE = {
    Form.LASTING: _lasting,
    Form.STANDING: _standing,
    Form.LEAVING: _leaving,
    Form.MARGIN: _margin,
    Form.RATIO: _ratio,
    Form.AMOUNT: _amount,
}


def _there(start: Column, end: Column | None, day: date, *, strictly: bool = False) -> str:
    """How many had begun on a day, or before it, and were not over before it."""
    begun = f"{_day(start)} {'<' if strictly else '<='} {_literal(day)}"
    if end is None:
        return f"count(*) FILTER (WHERE {begun})"
    return (
        f"count(*) FILTER (WHERE {begun} AND ({_day(end)} IS NULL "
        f"OR {_day(end)} >= {_literal(day)}))"
    )


def _last_year(columns: Sequence[Column | None], today: date) -> tuple[date, date]:
    """The twelve months to the last day that the data tells of, or to this day."""
    known = [c.maximum[:10] for c in columns if c is not None and c.maximum]
    last = min(today, max(map(date.fromisoformat, known), default=today))
    end = last + timedelta(days=1)
    return end - relativedelta(years=1), end


def _in_period(first: date, last: date, *, is_mentioned: bool) -> str:
    if not is_mentioned:
        return f"in the 12 months to {written(last)}"
    if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31) and first.year == last.year:
        return f"in {first.year}"
    return f"from {written(first)} to {written(last)}"


def _quoted(column: Column) -> str:
    return exp.column(column.name, quoted=True).sql(dialect="duckdb")


def _day(column: Column) -> str:
    name = _quoted(column)
    return f"CAST({name} AS DATE)" if column.data_type is DataType.DATETIME else name


def _literal(day: date) -> str:
    return f"DATE '{day.isoformat()}'"
