"""When boards are asked for again: times of a zone, over changes of clocks and short months."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gateway.domain.board_schedule import OFF, Every, Schedule, checked_schedule
from mesh.errors import INVALID_ARGUMENT, AssayError

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def daily(hour: int, minute: int = 0, zone: str = "Europe/Berlin") -> Schedule:
    return checked_schedule(Schedule(Every.DAY, hour=hour, minute=minute, zone=zone))


def test_off_is_never_and_minutes_go_from_now() -> None:
    assert OFF.next_after(NOON) is None
    assert Schedule(Every.MINUTES, minutes=5).next_after(NOON) == at("2026-03-01 12:05")


def test_a_time_of_day_is_that_of_its_zone_in_summer_and_in_winter() -> None:
    assert daily(8).next_after(NOON) == at("2026-03-02 07:00")
    assert daily(8).next_after(at("2026-03-29 00:00")) == at("2026-03-29 06:00")
    assert daily(8).next_after(at("2026-03-29 06:00")) == at("2026-03-30 06:00"), "not the same"


def test_a_time_that_is_left_out_comes_later_and_one_that_is_twice_comes_once() -> None:
    left_out = daily(2, 30)
    assert left_out.next_after(at("2026-03-28 12:00")) == at("2026-03-29 01:30")
    assert left_out.next_after(at("2026-03-29 01:30")) == at("2026-03-30 00:30")
    assert left_out.next_after(at("2026-10-24 12:00")) == at("2026-10-25 00:30")
    assert left_out.next_after(at("2026-10-25 00:30")) == at("2026-10-26 01:30")


def test_days_ahead_of_utc_are_theirs() -> None:
    assert daily(1, zone="Pacific/Auckland").next_after(NOON) == at("2026-03-02 12:00")
    assert daily(1, zone="Pacific/Honolulu").next_after(NOON) == at("2026-03-02 11:00")


def test_weeks_and_months_have_their_day_and_short_months_their_last() -> None:
    week = checked_schedule(Schedule(Every.WEEK, hour=9, weekday=1))
    assert week.next_after(NOON) == at("2026-03-02 09:00")
    assert week.next_after(at("2026-03-02 09:00")) == at("2026-03-09 09:00")
    month = checked_schedule(Schedule(Every.MONTH, hour=0, day=31))
    assert month.next_after(at("2026-01-31 00:00")) == at("2026-02-28 00:00")
    assert month.next_after(at("2026-02-28 00:00")) == at("2026-03-31 00:00")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (Schedule(Every.MINUTES, minutes=4), "every_minutes"),
        (Schedule(Every.DAY, hour=24), "hour"),
        (Schedule(Every.DAY, minute=60), "minute"),
        (Schedule(Every.WEEK), "weekday"),
        (Schedule(Every.MONTH, day=32), "day"),
        (Schedule(Every.DAY, zone="Mars/Olympus"), "zone"),
        (Schedule(Every.DAY, zone="../../etc/passwd"), "zone"),
        (Schedule(Every.DAY, zone="Europe"), "zone"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(wrong: Schedule, field: str) -> None:
    with pytest.raises(AssayError) as refused:
        checked_schedule(wrong)
    assert refused.value.reason is INVALID_ARGUMENT
    assert list(refused.value.fields) == [f"schedule.{field}"]


def test_what_a_kind_does_not_use_is_not_kept() -> None:
    assert checked_schedule(Schedule(Every.OFF, minutes=7, hour=3)) == OFF
    kept = checked_schedule(Schedule(Every.DAY, minutes=7, hour=3, weekday=9, day=40, zone=""))
    assert kept == Schedule(Every.DAY, hour=3)
    assert kept.words() == "daily at 03:00 (UTC)"
