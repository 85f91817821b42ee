"""This year and the last one, where the data ended years ago: both go by the end of the data."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from services.planner.domain.query.calendar import STEPS, floor_of
from services.planner.domain.reader.times.times import TimeSpan


def by_the_data(span: TimeSpan, latest: date | None, column: str) -> tuple[TimeSpan, str]:
    """The span as the data knows it, and what to say of that; as it is where today will do.

    Data that reaches into the unit before today's is still alive: there this year is today's.
    """
    if span.calendar is None or span.start is None or latest is None:
        return span, ""
    unit, back = span.calendar
    current = span.start
    for _ in range(back):
        current += STEPS[unit]
    if latest >= current - STEPS[unit]:
        return span, ""
    first = floor_of(latest, unit)
    for _ in range(back):
        first -= STEPS[unit]
    end = first + STEPS[unit]
    known = replace(span, start=first, end=end, calendar=None, years=())
    text = f"{span.text} begins on {first.isoformat()}, as the data ends on {latest.isoformat()}"
    return known, f"{text}, the latest {column}"
