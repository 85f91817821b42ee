"""Which units of time the data covers only in part: their numbers look smaller than they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from services.planner.domain.catalogue import Catalogue, Column
from services.planner.domain.query.calendar import STEPS, floor_of
from services.planner.domain.query.intent import (
    Aggregate,
    CohortView,
    Condition,
    Field,
    Filter,
    Grain,
    Group,
    Intent,
    Operator,
    Period,
)
from services.planner.domain.query.planning.period_sql import periods_of

_UNITS = (Grain.YEAR, Grain.QUARTER, Grain.MONTH, Grain.WEEK)
_USUAL_GAPS = 3
_ADDED_UP = (Aggregate.SUM, Aggregate.COUNT, Aggregate.COUNT_DISTINCT)


@dataclass(frozen=True, slots=True)
class Days:
    """From the first to the last day that the data holds, and how long it is usually silent."""

    first: date
    last: date
    usual: timedelta


def coverage_notes(intent: Intent, catalogue: Catalogue) -> tuple[str, ...]:
    """What begins before the data does, or ends after it, of that which is told by time.

    Days without an event are no gap: only where the data is silent three times as long as it is
    on average, a unit of time counts as cut off. Averages do not shrink with it, so only sums and
    counts are spoken of.
    """
    if not any(m.aggregate in _ADDED_UP for m in intent.measures):
        return ()
    periods = periods_of(intent)
    if periods:
        days = days_of(periods[0].dated, catalogue)
        notes = [_of_period(period, days) for period in periods] if days is not None else []
        return tuple(note for note in notes if note)
    timed = _timed(intent)
    days = days_of(timed[0], catalogue) if timed is not None else None
    if timed is None or days is None:
        return ()
    dated, grain = timed
    start, end = shown(intent.filters, dated)
    notes = []
    opens = floor(days.first, grain)
    cohorts = intent.cohort is not None and intent.cohort.view is CohortView.RETENTION
    if not cohorts and days.first - opens > days.usual and (start is None or start <= days.first):
        notes.append(
            f"the first {grain.value} begins on {_describe_day(days.first)}, where the data begins"
        )
    closes = floor(days.last, grain) + STEPS[grain.value]
    if closes - timedelta(days=1) - days.last > days.usual and (end is None or end > days.last):
        notes.append(
            f"the last {grain.value} ends on {_describe_day(days.last)}, where the data ends"
        )
    return tuple(notes)


def part_units(intent: Intent, catalogue: Catalogue) -> tuple[date, ...]:
    """The first days of the units of time, of those that sums are told by, that the data covers
    only in part: the first one, the last one, or both."""
    timed = _timed(intent) if any(m.aggregate in _ADDED_UP for m in intent.measures) else None
    days = days_of(timed[0], catalogue) if timed is not None else None
    if timed is None or days is None:
        return ()
    notes = coverage_notes(intent, catalogue)
    begins = any(note.startswith("the first ") for note in notes)
    ends = any(note.startswith("the last ") for note in notes)
    opens = [floor(days.first, timed[1])] if begins else []
    return (*opens, *([floor(days.last, timed[1])] if ends else []))


def outside(start: date | None, end: date | None, column: Column | None) -> str:
    """What to say of a span that a column of dates does not reach; nothing where it does."""
    first, last = _day(column, "minimum"), _day(column, "maximum")
    if last is not None and start is not None and start > last:
        return f"begins after {_describe_day(last)}, where the data ends"
    if first is not None and end is not None and end <= first:
        return f"ends before {_describe_day(first)}, where the data begins"
    return ""


def _timed(intent: Intent) -> tuple[Field, Grain] | None:
    """The date that the answer is told along, and by which unit."""
    cohort = intent.cohort
    if cohort is not None:
        along = cohort.view is not CohortView.RETURNED and intent.dimensions
        return (cohort.dated, cohort.grain) if along and cohort.grain in _UNITS else None
    for dimension in intent.dimensions:
        if dimension.grain in _UNITS and isinstance(dimension.expression, Field):
            return dimension.expression, dimension.grain
    return None


def _of_period(period: Period, days: Days) -> str:
    if period.start is not None and period.end is not None:
        if period.start <= days.first < period.end and days.first - period.start > days.usual:
            return f"{period.label} begins on {_describe_day(days.first)}, where the data begins"
        last = period.end - timedelta(days=1)
        if period.start <= days.last <= last and last - days.last > days.usual:
            return f"{period.label} ends on {_describe_day(days.last)}, where the data ends"
    return ""


def days_of(dated: Field, catalogue: Catalogue) -> Days | None:
    """What days a date of the data has; None where it has too few."""
    table = catalogue.table(dated.table)
    column = table.column(dated.column) if table is not None else None
    first, last = _day(column, "minimum"), _day(column, "maximum")
    if column is None or first is None or last is None or column.distinct < _USUAL_GAPS:
        return None
    different = min(column.distinct, (last - first).days + 1)
    usual = (last - first) / max(1, different - 1) * _USUAL_GAPS
    return Days(first, last, usual)


def _day(column: Column | None, end: str) -> date | None:
    try:
        return date.fromisoformat(str(getattr(column, end))[:10])
    except ValueError:
        return None


def shown(filters: Sequence[Filter], dated: Field) -> tuple[date | None, date | None]:
    """The first day and the day after the last that the conditions on that date leave."""
    spans = [_span(wanted, dated) for wanted in filters]
    starts = [start for start, _ in spans if start is not None]
    ends = [end for _, end in spans if end is not None]
    return max(starts, default=None), min(ends, default=None)


def _span(wanted: Filter, dated: Field) -> tuple[date | None, date | None]:
    """The widest span of time that one condition on that date leaves; None is open."""
    if isinstance(wanted, Group):
        spans = [_span(member, dated) for member in wanted.members]
        starts = [start for start, _ in spans if start is not None]
        ends = [end for _, end in spans if end is not None]
        if wanted.connective == "and":
            return max(starts, default=None), min(ends, default=None)
        return (
            min(starts) if len(starts) == len(spans) else None,
            max(ends) if len(ends) == len(spans) else None,
        )
    if not isinstance(wanted, Condition) or wanted.field != dated:
        return None, None
    days = [day for day in map(_as_day, wanted.values) if day is not None]
    if not days or len(days) != len(wanted.values):
        return None, None
    after = days[-1] + timedelta(days=1)  # a day that is compared with is all of it
    match wanted.operator:
        case Operator.BETWEEN | Operator.EQUAL:
            return days[0], after
        case Operator.AT_LEAST:
            return days[0], None
        case Operator.GREATER:
            return after, None
        case Operator.LESS:
            return None, days[0]
        case Operator.AT_MOST:
            return None, after
        case _:
            return None, None


def _as_day(value: object) -> date | None:
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


def floor(day: date, grain: Grain) -> date:
    """The first day of the unit of time that a day lies in."""
    return (
        day - timedelta(days=day.weekday()) if grain is Grain.WEEK else floor_of(day, grain.value)
    )


def _describe_day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
