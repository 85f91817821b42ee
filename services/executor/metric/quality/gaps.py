"""Days on which one segment has no rows, though others have: a feed that stopped, a closed shop."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
import pyarrow as pa

from services.executor.metric.arguments import MetricRows
from services.executor.metric.margins_statement import place_of
from services.executor.metric.quality.days import Days, should_have
from services.executor.metric.quality.found import Found, days_in_words, runs
from services.executor.metric.quality.unit_segments import of_fewest

OFTEN = 0.6
"""Part of the days with rows on which a segment has some, from which its gaps are looked for."""


def gaps_of_segments(counted: pa.Table, whole: Days, rows: MetricRows) -> list[Found]:
    """Gaps between a segment's first and last day, in doubt: the data may have them, or the
    business. `counted` has the columns day, part, value and n; days without any row are no news."""
    days: dict[tuple[str, str | None], dict[date, float]] = {}
    for row in counted.to_pylist():
        segment = rows.dimensions[place_of(int(row["part"]), len(rows.dimensions))], row["value"]
        days.setdefault(segment, {})[row["day"]] = float(row["n"])
    inside = whole.within(rows.baseline) | whole.within(rows.comparison)
    found: list[Found] = []
    for segment, own in days.items():
        count = np.array([own.get(day, 0.0) for day in whole.days])
        there = Days(whole.first, count, {"n": count})
        known = np.flatnonzero(count)
        missing = [
            int(place)
            for place in np.flatnonzero((count == 0) & (whole.rows > 0) & inside)
            if known[0] < place < known[-1] and should_have(there, int(place), len(days))
        ]
        found += _find_gaps(segment, there, whole, missing, rows)
    return of_fewest(found)


def _find_gaps(
    segment: tuple[str, str | None],
    there: Days,
    whole: Days,
    missing: Sequence[int],
    rows: MetricRows,
) -> list[Found]:
    days = {there.days[place] for place in missing}
    before, after = (
        float(sum(period.start <= day <= period.end for day in days))
        for period in (rows.baseline, rows.comparison)
    )
    if 0 < max(before, after) < 3 * min(before, after):  # so in both periods: it closes at times
        return []
    found = []
    for first, until in runs(sorted(days), apart=_step(whole)):
        here = [day for day in days if first <= day <= until]
        usual = sum(there.usual((day - there.first).days) for day in here)
        detail = (
            f"no rows of {segment[0]} {segment[1]} on {days_in_words(first, until, len(here))}; "
            f"about {usual:,.0f} are usual there, and other rows are there on these days"
        )
        found.append(
            Found(
                "missing_days",
                "doubt",
                detail,
                before,
                after,
                column=rows.time,
                segment=segment,
                bucket=first,
                until=until,
                weight=usual,
            )
        )
    return found


def _step(days: Days) -> int:
    """From one day that is open to the next, at most."""
    closed = [weekday for weekday in range(7) if not np.any(days.rows[days.weekdays == weekday])]
    return 1 + len(closed)
