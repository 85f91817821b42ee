"""Which days, months and years a column of times has rows of."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from itertools import pairwise

from services.executor.domain.description import DataType, TableDescription
from services.executor.domain.facts import Coverage, TimeFacts
from services.executor.facts.asking import Ask, rows_of
from services.executor.sources.sql import quoted

_MOST_TIMES = 6
_MOST_DAYS = 40_000
_EXAMPLES = 3
PATIENCE = 3.0
"""How many usual distances between days may lie between the data's end and a period's."""


def time_facts(table: TableDescription, ask: Ask) -> Iterator[TimeFacts]:
    """The coverage of a table's columns of times. Raises UnansweredError."""
    times = [c for c in table.columns if c.data_type in (DataType.DATE, DataType.DATETIME)]
    for column in times[:_MOST_TIMES]:
        name = quoted(column.name)
        rows = ask(
            f"SELECT DISTINCT CAST({name} AS DATE) AS day FROM {rows_of(table, sampled=True)} "
            f"WHERE {name} IS NOT NULL LIMIT {_MOST_DAYS + 1}",
            _MOST_DAYS + 1,
        )
        days = sorted(_day(value) for (value,) in rows)
        if days and len(days) <= _MOST_DAYS:
            yield _covered(column.name, days)


def _day(value: object) -> date:
    return value.date() if isinstance(value, datetime) else date.fromisoformat(str(value)[:10])


def _covered(column: str, days: Sequence[date]) -> TimeFacts:
    first, last = days[0], days[-1]
    allowed = PATIENCE * (last - first).days / max(len(days) - 1, 1)
    return TimeFacts(
        column=column,
        first=first.isoformat(),
        last=last.isoformat(),
        days=len(days),
        coverage=(
            _at("day", [day.toordinal() for day in days], _named_day),
            _at(
                "month",
                [day.year * 12 + day.month - 1 for day in days],
                _named_month,
                first_whole=first.day - 1 <= allowed,
                last_whole=_days_to_month_end(last) <= allowed,
            ),
            _at(
                "year",
                [day.year for day in days],
                str,
                first_whole=(first - date(first.year, 1, 1)).days <= allowed,
                last_whole=(date(last.year, 12, 31) - last).days <= allowed,
            ),
        ),
    )


def _at(
    grain: str,
    numbers: Sequence[int],
    named: Callable[[int], str],
    *,
    first_whole: bool = True,
    last_whole: bool = True,
) -> Coverage:
    """The coverage at one grain; periods are numbered in the order of time."""
    there = sorted(set(numbers))
    gaps = [
        number
        for one, other in pairwise(there)
        for number in range(one + 1, min(other, one + 1 + _EXAMPLES))
    ]
    return Coverage(
        grain=grain,
        periods=len(there),
        missing=there[-1] - there[0] + 1 - len(there),
        examples=tuple(named(number) for number in gaps[:_EXAMPLES]),
        first_whole=first_whole,
        last_whole=last_whole,
    )


def _named_day(number: int) -> str:
    return date.fromordinal(number).isoformat()


def _named_month(number: int) -> str:
    return f"{number // 12:04}-{number % 12 + 1:02}"


def _days_to_month_end(day: date) -> int:
    """How many days of its month come after a day, the last one that there is included."""
    return monthrange(day.year, day.month)[1] - day.day
