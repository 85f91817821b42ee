"""Moments that were written with offsets from UTC: in whose day do they count?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenTable
from services.executor.facts.asking import Ask

_LIKELY = (
    "Europe/London",
    "Europe/Berlin",
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "Europe/Helsinki",
    "Europe/Istanbul",
    "Africa/Johannesburg",
    "Africa/Lagos",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Asia/Dubai",
    "Asia/Singapore",
    "Australia/Sydney",
    "America/Sao_Paulo",
    "America/Mexico_City",
)
_OFFERED = 2


@dataclass(frozen=True, slots=True)
class Written:
    """Moments of one day that were written with one offset: how many, and one of them in UTC."""

    offset: timedelta
    moment: datetime
    rows: int


def zone_doubt(table: str, column: str, written: Sequence[Written]) -> Doubt | None:
    """The doubt about a column whose moments were written so; None where all are in UTC."""
    offsets = sorted({one.offset for one in written})
    if offsets in ([], [timedelta()]):
        return None
    rows = sum(one.rows for one in written)
    moved = sum(
        one.rows for one in written if (one.moment + one.offset).date() != one.moment.date()
    )
    text = " and ".join(map(_spelled, offsets[:3])) + (" and others" if len(offsets) > 3 else "")
    local = [Repair(kind="zone", column=column, value="as-written")]
    named = [Repair(kind="zone", column=column, value=zone) for zone in zones_of(written)]
    return Doubt(
        code="zone",
        table=table,
        column=column,
        rows=rows,
        share=1.0,
        examples=tuple(map(_spelled, offsets[:3])),
        said=f"days and hours of {column} are counted in UTC, and it was written at {text}",
        changes="rows near midnight count on another day than where they happened"
        if moved
        else "hours are others than where they happened",
        repairs=(*named, *local),
        uses=(Use.GROUPED, Use.FILTERED),
        weight=0.6 if len(offsets) > 1 or moved else 0.5,
    )


def zones_of(written: Sequence[Written]) -> list[str]:
    """Zones whose clocks show all of these offsets at these moments, the likeliest first: few."""
    found: list[str] = []
    known = available_timezones()
    rest = sorted(z for z in known if "/" in z and not z.startswith(("Etc/", "SystemV/")))
    for zone in (*(zone for zone in _LIKELY if zone in known), *rest):
        if zone not in found and _explains(zone, written):
            found.append(zone)
            if len(found) == _OFFERED:
                break
    return found


def _explains(zone: str, written: Iterable[Written]) -> bool:
    clock = ZoneInfo(zone)
    moments = ((one.moment.replace(tzinfo=UTC), one.offset) for one in written)
    return all(moment.astimezone(clock).utcoffset() == offset for moment, offset in moments)


def _spelled(offset: timedelta) -> str:
    minutes = int(offset.total_seconds()) // 60
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    """Nothing: what was written is seen while a file is read, and gone from its table."""
    yield from ()


ZONES = Kind(
    "zone",
    "moments of other zones",
    "A moment written as 2024-11-02T23:30-04:00 is 3 November in UTC. Moments are kept as such, "
    "and days, hours and weekdays are counted in UTC until a zone is named: one that explains "
    "every offset is offered, and the clock as it was written. Durations between wall clocks are "
    "an hour off where clocks change.",
    _find,
)
