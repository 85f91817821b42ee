"""Conditions on days and parts of dates as people say them: "2024", "March 2024", "4 July 2013"."""

from __future__ import annotations

from calendar import month_name, monthrange
from datetime import date, datetime

from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.intent import Condition, Operator

_WHOLE_YEAR = ((1, 1), (12, 31))
_MONTHS_OF_A_QUARTER = 3
_IS = {Operator.EQUAL: "is", Operator.NOT_EQUAL: "is not", Operator.IN: "is"}


def describe_span(condition: Condition) -> str:
    """A span of days in words, where a condition is one; empty for every other."""
    days = [_day(value) for value in condition.values]
    if condition.operator is Operator.EQUAL and len(days) == 1 and days[0] is not None:
        return _spelled(days[0])
    if condition.operator is not Operator.BETWEEN or len(days) != 2:
        return ""
    first, last = days
    return _between(first, last) if first is not None and last is not None else ""


def describe_months(condition: Condition) -> str:
    """The names of months that a condition picks by number; empty for every other."""
    words = name_words(condition.field.column)
    if not words or words[-1] not in ("month", "months") or condition.operator not in _IS:
        return ""
    numbers = [_number(value) for value in condition.values]
    if not numbers or not all(number in range(1, 13) for number in numbers):
        return ""
    return " or ".join(month_name[number] for number in numbers)


def _between(first: date, last: date) -> str:
    ends = ((first.month, first.day), (last.month, last.day))
    if ends == _WHOLE_YEAR:
        return str(first.year) if first.year == last.year else f"{first.year} to {last.year}"
    whole = first.day == 1 and last.day == monthrange(last.year, last.month)[1]
    if not whole:
        return _spelled(first) if first == last else f"{_spelled(first)} to {_spelled(last)}"
    if (first.year, first.month) == (last.year, last.month):
        return f"{first:%B} {first.year}"
    months = last.month - first.month + 1
    quarterly = first.month % _MONTHS_OF_A_QUARTER == 1 and months == _MONTHS_OF_A_QUARTER
    if first.year == last.year and quarterly:
        return f"Q{last.month // _MONTHS_OF_A_QUARTER} {first.year}"
    return f"{first:%B} {first.year} to {last:%B} {last.year}"


def _spelled(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


def _day(value: object) -> date | None:
    """A day that is given as one, or as text of one in ISO form; None for moments and the rest."""
    if isinstance(value, datetime):
        return None
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return None
    return value if isinstance(value, date) else None


def _number(value: object) -> int:
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
    return int(value) if whole and isinstance(value, int | float) else 0
