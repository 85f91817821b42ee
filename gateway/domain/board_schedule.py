"""When a board is asked for again."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from mesh.errors import INVALID_ARGUMENT, AssayError

LEAST_MINUTES, MOST_MINUTES = 5, 44_640


class Every(StrEnum):
    """How often."""

    OFF = "off"
    MINUTES = "minutes"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often, and at what time of which zone; `weekday` is 1 for Monday, `day` of the month."""

    every: Every = Every.OFF
    minutes: int = 0
    hour: int = 0
    minute: int = 0
    weekday: int = 0
    day: int = 0
    zone: str = "UTC"

    def next_after(self, now: datetime) -> datetime | None:
        """The first moment after `now`, in UTC; None where there is none."""
        if self.every is Every.OFF:
            return None
        if self.every is Every.MINUTES:
            return now + timedelta(minutes=self.minutes)
        zone = ZoneInfo(self.zone)
        today = now.astimezone(zone).date()
        # A day is looked at before and after: a change of clocks moves a moment past midnight.
        for ahead in range(-1, 64):
            on = today + timedelta(days=ahead)
            if not self._is_on(on):
                continue
            # Of a time that comes twice the first is meant (fold=0); one that clocks leave out is
            # read with the offset before the change, so it is as much later.
            moment = datetime.combine(on, time(self.hour, self.minute), zone).astimezone(UTC)
            if moment > now:
                return moment
        raise AssertionError("a month has at most 31 days")

    def words(self) -> str:
        """For people."""
        at = f"at {self.hour:02}:{self.minute:02} ({self.zone})"
        return {
            Every.OFF: "off",
            Every.MINUTES: f"every {self.minutes} minutes",
            Every.DAY: f"daily {at}",
            Every.WEEK: f"{calendar.day_name[(self.weekday - 1) % 7]}s {at}",
            Every.MONTH: f"monthly on day {self.day} {at}",
        }[self.every]

    def _is_on(self, on: date) -> bool:
        if self.every is Every.WEEK:
            return on.isoweekday() == self.weekday
        if self.every is Every.MONTH:
            last = calendar.monthrange(on.year, on.month)[1]
            return on.day == min(self.day, last)
        return True


OFF = Schedule()


def checked_schedule(given: Schedule) -> Schedule:
    """A schedule with nothing that its kind does not use. Raises AssayError(INVALID_ARGUMENT)."""
    every = given.every
    if every is Every.OFF:
        return OFF
    if every is Every.MINUTES:
        _check("every_minutes", given.minutes, LEAST_MINUTES, MOST_MINUTES)
        return Schedule(every, minutes=given.minutes)
    _check("hour", given.hour, 0, 23)
    _check("minute", given.minute, 0, 59)
    weekday = day = 0
    if every is Every.WEEK:
        weekday = _check("weekday", given.weekday, 1, 7)
    if every is Every.MONTH:
        day = _check("day", given.day, 1, 31)
    zone = _zone(given.zone or "UTC")
    return Schedule(every, 0, given.hour, given.minute, weekday, day, zone)


def _check(field: str, value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise AssayError(
            INVALID_ARGUMENT,
            f"invalid schedule: {field.replace('_', ' ')} must be between {least} and {most:,}",
            fields={f"schedule.{field}": f"must lie between {least} and {most}"},
        )
    return value


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such zone, a path out of their folder, a folder
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no time zone {name[:60]!r}",
            hint='Zones are named as in the IANA database, such as "Europe/Berlin".',
            fields={"schedule.zone": "no such time zone"},
        ) from None
    return name
