"""Units of the calendar: where they begin, and how far they reach."""

from __future__ import annotations

from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

STEPS = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "quarter": relativedelta(months=3),
    "year": relativedelta(years=1),
}


def floor_of(day: date, unit: str) -> date:
    """The first day of the year, quarter or month that a day lies in; the day itself otherwise."""
    if unit == "year":
        return day.replace(month=1, day=1)
    if unit == "quarter":
        return day.replace(month=3 * ((day.month - 1) // 3) + 1, day=1)
    return day.replace(day=1) if unit == "month" else day


def last_range(count: int, unit: str, latest: date) -> tuple[date, date]:
    """The `count` units that end with the day `latest`: whole calendar units from months up."""
    if unit in ("day", "week"):
        end = latest + timedelta(days=1)
        return end - timedelta(days=count * (7 if unit == "week" else 1)), end
    end = floor_of(latest, unit) + STEPS[unit]
    start = end
    for _ in range(count):
        start -= STEPS[unit]
    return start, end
