"""The days of a metric: rows in each, and which days should have some."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from services.executor.metric.arguments import MetricRows, Period
from services.executor.metric.quality.found import Found, days_in_words, runs

Floats = npt.NDArray[np.float64]

_PRESENT = 0.8
"""Share of a weekday's other days that have rows, from which it should have some."""

_CHANCE = 0.001
"""Chance, over all days, of a day being empty by itself that is taken for none."""

_ENOUGH_DAYS = 10


@dataclass(frozen=True)
class Days:
    """Every day from `first` on, with figures by day: `rows` and whatever else was counted."""

    first: date
    rows: Floats
    figures: dict[str, Floats]

    @property
    def days(self) -> list[date]:
        """All of them, in order."""
        return [self.first + timedelta(days=n) for n in range(len(self.rows))]

    @property
    def weekdays(self) -> npt.NDArray[np.int64]:
        """Monday is 0."""
        return (np.arange(len(self.rows)) + self.first.weekday()) % 7

    def within(self, period: Period) -> npt.NDArray[np.bool_]:
        """Which days are of a period."""
        here = [period.start <= day <= period.end for day in self.days]
        return np.array(here, dtype=np.bool_)

    def usual(self, place: int) -> float:
        """Rows of the same weekday on other days that have some: the median, of all days where
        there are few of that weekday."""
        others = self.rows.copy()
        others[place] = 0
        same = others[(self.weekdays == self.weekdays[place]) & (others > 0)]
        same = same if len(same) >= 2 else others[others > 0]
        return float(np.median(same)) if len(same) else 0.0


def days_of(found: pa.Table, first: date, last: date) -> Days:
    """Days of a result with the columns day and n; days that it does not have are empty."""
    count = (last - first).days + 1
    places = np.array([(day - first).days for day in found["day"].to_pylist()], dtype=np.int64)
    figures = {}
    for name in found.column_names:
        if name != "day":
            spread = np.zeros(count)
            numbers = found[name].cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            spread[places] = np.nan_to_num(np.asarray(numbers, dtype=np.float64))
            figures[name] = spread
    return Days(first, figures["n"], figures)


def missing_days(days: Days, rows: MetricRows) -> list[Found]:
    """Days of the periods without rows that should have some, by their weekday.

    Where both periods lack some alike they are a doubt: what closes once a month, say.
    """
    inside = {name: days.within(getattr(rows, name)) for name in ("baseline", "comparison")}
    expected = [
        place
        for place in np.flatnonzero((days.rows == 0) & (inside["baseline"] | inside["comparison"]))
        if should_have(days, int(place))
    ]
    missing = {days.days[place] for place in expected}
    counts = {
        name: float(sum(days.days[p] in missing for p in np.flatnonzero(here)))
        for name, here in inside.items()
    }
    alike = 0 < max(counts.values()) < 3 * min(counts.values())
    last = days.days[int(np.flatnonzero(days.rows)[-1])]
    found = []
    for first, until in runs(sorted(missing), apart=_apart(days)):
        here = [day for day in missing if first <= day <= until]
        ends = first > last
        sure = (
            not alike
            and all(_surely(days, (day - days.first).days) for day in here)
            and not (len(here) <= 2 and any(_holiday(day) for day in here))
        )
        text = days_in_words(first, until, len(here))
        why = f"the data end on {last}" if ends else "days before and after have rows"
        found.append(
            Found(
                "missing_days",
                "fault" if sure else "doubt",
                f"no rows on {text}; {why}",
                counts["baseline"],
                counts["comparison"],
                column=rows.time,
                bucket=first,
                until=until,
                weight=sum(days.usual((day - days.first).days) for day in here),
            )
        )
    return found


def _apart(days: Days) -> int:
    """Gaps of days that are open count as one where only days lie between that are closed."""
    closed = [weekday for weekday in range(7) if not np.any(days.rows[days.weekdays == weekday])]
    return 1 + len(closed)


def should_have(days: Days, place: int, among: int = 1) -> bool:
    """Whether the weekday has rows elsewhere, and so many that none is no chance; `among` is how
    many segments are looked at."""
    same = np.flatnonzero(days.weekdays == days.weekdays[place])
    known = np.flatnonzero(days.rows)
    # Before the first row and after the last nothing is known of a weekday.
    same = same[(same != place) & (same >= known[0]) & (same <= known[-1])]
    if not len(same) or np.mean(days.rows[same] > 0) < _PRESENT:
        return False
    usual = float(np.median(days.rows[same][days.rows[same] > 0]))
    # A negative binomial: counts whose rate differs from day to day.
    beyond = max(_beyond_chance(days) - 1 / usual, 1e-6)
    return float((1 + beyond * usual) ** (-1 / beyond)) * len(days.rows) * among < _CHANCE


def _beyond_chance(days: Days) -> float:
    """How far days of one weekday differ: the squared coefficient of variation, robustly."""
    logs = np.full(len(days.rows), np.nan)
    for weekday in range(7):
        here = (days.weekdays == weekday) & (days.rows > 0)
        if here.any():
            logs[here] = np.log(days.rows[here] / np.median(days.rows[here]))
    spread = 1.4826 * float(np.nanmedian(np.abs(logs)))
    return float(np.expm1(spread**2))


def _surely(days: Days, place: int) -> bool:
    """Whether enough other days speak for it."""
    same = days.rows[days.weekdays == days.weekdays[place]]
    others = np.delete(days.rows, place)
    always = bool(np.all(others > 0)) and len(others) >= _ENOUGH_DAYS
    return int(np.sum(same > 0)) >= 2 or always


def _holiday(day: date) -> bool:
    """Days on which much is closed in many countries: such a gap may be none of the data."""
    fixed = {(1, 1), (5, 1), (7, 4), (12, 24), (12, 25), (12, 26), (12, 31)}
    easter = _easter(day.year)
    moving = {easter + timedelta(days=n) for n in (-2, -1, 0, 1, 39, 50)}
    november = date(day.year, 11, 1)
    thursday = november + timedelta(days=(3 - november.weekday()) % 7 + 21)
    return (day.month, day.day) in fixed or day in moving or day == thursday


def _easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (Butcher's algorithm)."""
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return date(year, f // 31, f % 31 + 1)
