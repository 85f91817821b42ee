"""Loads that came several times: rows that repeat as rows of this table never do by themselves.

Tables may have rows that are alike by nature. What tells a load that came twice is that whatever is
in it is there an even number of times, of one that came three times a multiple of three, and so on.
Of kinds of rows that repeat by themselves about half are even.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import pyarrow as pa

from services.executor.metric.arguments import MetricRows, Period
from services.executor.metric.margins_statement import place_of
from services.executor.metric.quality.days import Days
from services.executor.metric.quality.found import (
    Found,
    Severity,
    days_in_words,
    place_of_segment,
    runs,
)
from services.executor.metric.quality.repeats_of_few import even_stretches
from services.executor.metric.quality.statements import TIMES
from services.executor.metric.quality.unit_segments import of_fewest

LEAST_KINDS = 20
"""Kinds of rows from which evenness is no chance: one in a million where each is even by a half."""

_ALL_EVEN, _NOT_EVEN = 0.95, 0.7
"""Share of kinds there a multiple of so many times, in a load that came so often and on the usual
day."""

_UNIQUE, _MANY = 0.005, 0.1
"""Share of rows that repeat: on the usual day of a table whose rows do not, and of one that was
loaded twice in part."""

_JUST = 0.9
"""Of kinds that repeat, how many are there just so many times, where a load came so often."""

_WORDS = {2: "twice"}


_ALMOST = 0.9
"""Of the rows that repeat, how many are of a segment that is told instead of the whole."""


@dataclass(frozen=True)
class DayOfRows:
    """How the rows of one day, or of one segment of it, repeat."""

    day: date
    n: float
    kinds: float
    again: float
    multiples: Mapping[int, float]
    exactly: Mapping[int, float]
    times: int = 2

    @property
    def even(self) -> float:
        """Kinds that are there a multiple of `times` times."""
        return self.multiples[self.times]

    @property
    def repeated(self) -> float:
        """Share of rows that repeat another."""
        return 1 - self.kinds / self.n if self.n else 0.0

    @property
    def evenness(self) -> float:
        """Share of kinds that are there a multiple of `times` times."""
        return self.even / self.kinds if self.kinds else 0.0


def duplicate_loads(
    found: pa.Table, rows: MetricRows, columns: Sequence[str], days: Days, *, fine: bool
) -> list[Found]:
    """Days whose rows came several times, all, those of a segment, or a part.

    `fine` says that the relation tells rows apart: by a time of day, or by a key.
    """
    dimensions = [name for name in rows.dimensions if name in columns]
    several = len(dimensions)
    total = (1 << several) - 1 if several else 0
    parts: dict[tuple[str, str | None] | None, list[DayOfRows]] = {}
    for row in found.to_pylist():
        segment: tuple[str, str | None] | None = None
        if row["part"] != total:
            segment = (dimensions[place_of(int(row["part"]), several)], row["value"])
        n, kinds, again = (float(row[name] or 0) for name in ("n", "kinds", "again"))
        multiples = {m: float(row[f"by{m}"] or 0) for m in TIMES}
        exactly = {m: float(row[f"just{m}"] or 0) for m in TIMES}
        day = DayOfRows(row["day"], n, kinds, again, multiples, exactly)
        parts.setdefault(segment, []).append(day)
    found_of: list[tuple[int, Found]] = []
    for times in TIMES:
        counted = {
            segment: [replace(day, times=times) for day in its_days]
            for segment, its_days in parts.items()
        }
        found_of += [(times, one) for one in _loads(counted, rows, days, fine=fine)]
    return _by_times(found_of)


def _by_times(found: Sequence[tuple[int, Found]]) -> list[Found]:
    """Of what is told of the same rows for several numbers of times, the surest and the most: what
    is there four times is there an even number of times, too."""
    out: list[Found] = []
    for _, one in sorted(found, key=lambda f: (f[1].severity != "fault", -f[0], -f[1].weight)):
        if not any(_overlapping(one, o) and _same_rows(one, o) for o in out):
            out.append(one)
    return out


def _same_rows(one: Found, other: Found) -> bool:
    return one.segment is None or other.segment is None or one.segment == other.segment


def _loads(
    parts: dict[tuple[str, str | None] | None, list[DayOfRows]],
    rows: MetricRows,
    days: Days,
    *,
    fine: bool,
) -> list[Found]:
    """The loads that came so many times as the days are counted for."""
    whole = parts.pop(None, [])
    founds = _of_part(whole, rows, days, None, fine=fine)
    founds = _widest([*founds, *_of_few(whole, whole, rows, None, len(parts))])
    segments: list[Found] = []
    for segment, its_days in parts.items():
        # Few days of a segment alone do not tell what is usual there: those of the whole do.
        large = [day for day in its_days if day.kinds >= LEAST_KINDS]
        usual = its_days if len(large) >= LEAST_KINDS else whole
        by_day = _of_part(its_days, rows, days, segment, fine=False, usual=usual)
        segments += _widest([*by_day, *_of_few(its_days, whole, rows, segment, len(parts))])
    even = {day.day for day in whole if day.evenness >= _ALL_EVEN}
    return _each_once(founds, _by_time(segments), even.__contains__)


def _of_few(
    own: Sequence[DayOfRows],
    whole: Sequence[DayOfRows],
    rows: MetricRows,
    segment: tuple[str, str | None] | None,
    among: int,
) -> list[Found]:
    """Stretches of days that came several times, all of it."""
    inside = [day for day in own if _in(day.day, rows.baseline) or _in(day.day, rows.comparison)]
    shares = _period_share(own, rows.baseline), _period_share(own, rows.comparison)
    out = []
    for stretch in even_stretches(inside, whole, among * len(TIMES)):
        first, until = stretch.days[0], stretch.days[-1]
        where = f" of {segment[0]} {segment[1]}" if segment else ""
        detail = (
            f"all {stretch.n:,.0f} rows{where} are there {_often(own)} on "
            f"{days_in_words(first, until, len(stretch.days))}; usually "
            f"{stretch.usual:.1%} of its kinds of rows are"
        )
        found = Found(
            "duplicate_load",
            "fault",
            detail,
            *shares,
            segment=segment,
            bucket=first,
            until=until,
            weight=stretch.n - stretch.kinds,
        )
        out.append(found)
    return out


def _often(own: Sequence[DayOfRows]) -> str:
    times = own[0].times
    return _WORDS.get(times, f"{times} times")


def _widest(found: Sequence[Found]) -> list[Found]:
    """Of what is told of one segment by single days and by stretches, what has the most rows."""
    out: list[Found] = []
    for one in sorted(found, key=lambda f: (f.severity != "fault", -f.weight)):
        if not any(_overlapping(one, other) for other in out):
            out.append(one)
    return out


def _each_once(
    founds: Sequence[Found], segments: Sequence[Found], all_of_it: Callable[[date], bool]
) -> list[Found]:
    """What is of the whole, or of a segment where nearly all of it is there; not both."""
    found = []
    for one in founds:
        inside = [other for other in segments if _overlapping(one, other)]
        best = max(inside, key=lambda other: other.weight, default=None)
        alone = best is not None and best.weight >= _ALMOST * one.weight
        # Where every row of those days came twice, a segment that is there too is no news.
        every = one.bucket is not None and all_of_it(one.bucket)
        found.append(best if best is not None and alone and not every else one)
    found += [s for s in segments if not any(_overlapping(one, s) for one in founds)]
    return found


def _overlapping(one: Found, other: Found) -> bool:
    assert one.bucket is not None
    assert one.until is not None
    assert other.bucket is not None
    assert other.until is not None
    return one.bucket <= other.until and other.bucket <= one.until


def _of_part(
    own: Sequence[DayOfRows],
    rows: MetricRows,
    days: Days,
    segment: tuple[str, str | None] | None,
    *,
    fine: bool,
    usual: Sequence[DayOfRows] | None = None,
) -> list[Found]:
    inside = [day for day in own if _in(day.day, rows.baseline) or _in(day.day, rows.comparison)]
    reference = [day for day in (usual or own) if day.kinds >= LEAST_KINDS]
    if len(reference) < 3:
        return []
    even = float(np.quantile([day.evenness for day in reference], 0.25))
    repeated = float(np.quantile([day.repeated for day in reference], 0.25))
    chosen: dict[date, tuple[Severity, DayOfRows]] = {}
    for day in inside:
        judged = _judged(day, even, repeated, days, fine=fine)
        if judged is not None:
            chosen[day.day] = (judged, day)
    shares = _period_share(own, rows.baseline), _period_share(own, rows.comparison)
    found = []
    for first, until in runs(list(chosen), apart=3):
        here = [chosen[day] for day in chosen if first <= day <= until]
        sure = any(judged == "fault" for judged, _ in here)
        severity: Severity = "fault" if sure else "doubt"
        extra = sum(day.n - day.kinds for _, day in here)
        every = sum(day.n for _, day in here)
        where = f" of {segment[0]} {segment[1]}" if segment else ""
        detail = (
            f"{extra / every:.0%} of the rows{where} repeat another on "
            f"{days_in_words(first, until, len(here))}"
            f"{', as if loaded ' + _often(own) if sure else ''}; usually {repeated:.1%}"
        )
        found.append(
            Found(
                "duplicate_load",
                severity,
                detail,
                *shares,
                segment=segment,
                bucket=first,
                until=until,
                weight=extra,
            )
        )
    return found


def _judged(
    day: DayOfRows, even: float, repeated: float, days: Days, *, fine: bool
) -> Severity | None:
    """What is to be said of a day, beside the usual evenness and share of repeated rows."""
    if day.kinds >= LEAST_KINDS and day.evenness >= _ALL_EVEN and even <= _NOT_EVEN:
        return "fault"
    again = day.n - day.kinds
    if not fine or again < LEAST_KINDS or day.repeated < _MANY or repeated > _UNIQUE:
        return None
    just = day.exactly[day.times] / max(day.again, 1)
    place = (day.day - days.first).days
    usual = days.usual(place)
    # As many more rows as there are repeats, about: else rows became alike, and none were added.
    added = day.n >= usual * (1 + day.repeated / (1 - day.repeated) / 2) if usual else False
    return "fault" if just >= _JUST and added else "doubt"


def _period_share(own: Sequence[DayOfRows], period: Period) -> float | None:
    here = [day for day in own if _in(day.day, period)]
    every = sum(day.n for day in here)
    return 1 - sum(day.kinds for day in here) / every if every else None


def _in(day: date, period: Period) -> bool:
    return period.start <= day <= period.end


def _by_time(found: Sequence[Found]) -> list[Found]:
    """Of what is at the same time, those segments from which the others follow."""
    out: list[Found] = []
    together: list[Found] = []
    for one in sorted(found, key=lambda f: (f.bucket or date.min, place_of_segment(f))):
        if together and not any(_overlapping(one, other) for other in together):
            out += _main_ones(together)
            together = []
        together.append(one)
    return out + _main_ones(together)


def _main_ones(together: Sequence[Found]) -> list[Found]:
    sure = [one for one in together if one.severity == "fault"]
    return of_fewest(sure or together)
