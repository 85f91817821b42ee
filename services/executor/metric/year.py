"""The same two periods a year earlier, of the whole or of a segment: what a season makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from mesh.tool import ToolError
from services.executor.metric.amounts import amounts_of
from services.executor.metric.cube import Cube
from services.executor.metric.spans import Span, frame_of

YEAR = timedelta(days=364)
"""52 weeks: the same weekdays."""
_CLOSED = timedelta(days=2)
"""Days without rows before the first, that may be a weekend or a holiday."""


def year_earlier(
    cube: Cube, baseline: Span | None, comparison: Span | None, named: Mapping[str, str | None]
) -> tuple[float, float] | None:
    """The metric of a segment in both periods 52 weeks earlier, the first made comparable; None
    where the cube does not reach, or had no row of it."""
    if baseline is None or comparison is None or cube.leaf_form:
        return None
    named = {name: value for name, value in named.items() if name in cube.dimensions}
    days = [day for day in cube.buckets if isinstance(day, date)]
    earlier = [Span(start=s.start - YEAR, end=s.end - YEAR) for s in (baseline, comparison)]
    if min(span.start for span in earlier) + _CLOSED < days[0]:
        return None
    try:
        one = cube.kept([], named)
        return amounts_of(one, frame_of(one, *earlier)).totals
    except ToolError:
        return None
