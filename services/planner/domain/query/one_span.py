"""Periods of two years of which the data covers one in part: both are taken to the same day."""

from __future__ import annotations

from datetime import date, timedelta

from services.planner.domain.query.dimensions.coverage import Days
from services.planner.domain.query.intent import Period

_SPARSE = timedelta(days=60)
"""The usual silence of data by the month, whose days are the first of each."""
Both = tuple[Period, Period]


def in_one_span(periods: Both, days: Days | None) -> Both:
    """The periods from and to the same day of the year, where the data begins within the earlier or
    ends within the later one; as they are where they are not the same part of two years."""
    first, last = periods
    if days is None or None in (first.start, first.end, last.start, last.end):
        return periods
    assert first.start and first.end and last.start and last.end
    years = last.start.year - first.start.year
    if (
        years < 1
        or _moved(first.start, years) != last.start
        or _moved(first.end, years) != last.end
    ):
        return periods
    begins, ends = first.start, last.end
    if first.start <= days.first < first.end and days.first - first.start > days.usual:
        begins = days.first
    if last.start <= days.last < last.end and last.end - timedelta(days=1) - days.last > days.usual:
        ends = days.last + timedelta(days=1)
    if (begins, ends) == (first.start, last.end) or ends <= _moved(begins, years):
        return periods
    part = _part(begins, first.start, ends, last.end, days)
    spans = ((begins, _moved(ends, -years)), (_moved(begins, years), ends))
    return (
        first.model_copy(
            update={"label": f"{first.label} {part}", "start": spans[0][0], "end": spans[0][1]}
        ),
        last.model_copy(
            update={"label": f"{last.label} {part}", "start": spans[1][0], "end": spans[1][1]}
        ),
    )


def describe_coverage(whole: Both, part: Both) -> str:
    """Which of two periods the data covers in part, and which part that is."""
    cut = part[0].label.removeprefix(whole[0].label).strip()
    begins = part[0].start != whole[0].start
    ends = part[1].end != whole[1].end
    why = [f"the data begins within {whole[0].label}"] if begins else []
    why += [f"the data ends within {whole[1].label}"] if ends else []
    return f"{cut}, as {' and '.join(why)}"


def _moved(day: date, years: int) -> date:
    """The same day of another year; the day after where it is 29 February and there is none."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, 3, 1)


def _part(begins: date, start: date, ends: date, end: date, days: Days) -> str:
    """From when and to when, in words; by the month where the data is."""
    monthly = days.usual > _SPARSE and days.first.day == days.last.day == 1
    words = []
    if begins != start:
        words.append(f"from {begins:%B}" if monthly else f"from {begins.day} {begins:%B}")
    if ends != end:
        last = ends - timedelta(days=1)
        words.append(f"to {last:%B}" if monthly else f"to {last.day} {last:%B}")
    return " ".join(words)
