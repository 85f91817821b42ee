"""Periods of days, and how two of them are made comparable (seed 002, DateRange)."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Self

from mesh.errors import INVALID_DATE_RANGE, AssayError
from mesh.text.periods import days_of
from services.planner.domain.catalogue import Frozen


class DateRange(Frozen):
    """Days from `start` to `end`, both of them included."""

    start: date
    end: date

    @property
    def days(self) -> int:
        """How many days it has."""
        return (self.end - self.start).days + 1

    @property
    def year_before(self) -> DateRange:
        """The same days of the calendar a year earlier; to the end of its month where it is so
        here."""
        whole = (self.end + timedelta(days=1)).day == 1
        end = (_earlier(self.end + timedelta(days=1)) - timedelta(days=1)) if whole else None
        return DateRange(start=_earlier(self.start), end=end or _earlier(self.end))

    def __str__(self) -> str:
        return f"{self.start.isoformat()} to {self.end.isoformat()}"

    def overlaps(self, other: Self) -> bool:
        """Whether a day belongs to both."""
        return self.start <= other.end and other.start <= self.end

    def validated(self, name: str) -> Self:
        """The range itself. Raises AssayError(INVALID_DATE_RANGE) for one that ends too early."""
        if self.end < self.start:
            raise AssayError(
                INVALID_DATE_RANGE,
                f"the {name.replace('_', ' ')} ends on {self.end} before it begins on {self.start}",
                fields={f"investigation.{name}.end": f"must not be before {self.start}"},
            )
        return self

    @classmethod
    def read(cls, text: str, name: str) -> Self:
        """The range that "2024-01-01..2024-01-31" tells; a single day, month or year is one too.

        Raises AssayError(INVALID_DATE_RANGE).
        """
        try:
            start, end = days_of(text)
        except ValueError as error:
            raise AssayError(
                INVALID_DATE_RANGE,
                f"{text!r} is no {name.replace('_', ' ')}: {error}",
                hint="Write 2024-01-01..2024-01-31, or a month (2024-01) or a year alone.",
                fields={f"investigation.{name}": "must be START..END, a day, a month or a year"},
            ) from error
        return cls(start=start, end=end)


def _earlier(day: date) -> date:
    leap = (day.month, day.day) == (2, 29)
    return day.replace(year=day.year - 1, day=28 if leap else day.day)
