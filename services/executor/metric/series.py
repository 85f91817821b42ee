"""A metric along time, from its cube."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.metric.cube import cube_of
from services.executor.metric.spans import Span, width_of

SCHEMA = pa.schema([("bucket", pa.date32()), ("value", pa.float64())])
_LEAST_BEFORE = 56
"""Days before the earlier period that are shown at least: eight weeks show what a week is like."""


def series_of(
    frame: pa.Table, periods: Sequence[Span], within: Mapping[str, str | None]
) -> pa.Table:
    """One row a bucket. Raises ToolError for what is no cube of days, weeks or months."""
    cube = cube_of(frame).kept([], within)
    days = [bucket for bucket in cube.buckets if isinstance(bucket, date)]
    if len(days) < len(cube.buckets):
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "The cube has no time: a real and a forecast value are no series.",
        )
    values = cube.numerator.sum(axis=0)
    if cube.denominator is not None:
        below = cube.denominator.sum(axis=0)
        values = np.where(below != 0, values / np.where(below != 0, below, 1.0), np.nan)
    contents = dict(zip(days, values.tolist(), strict=True))
    if cube.denominator is None and width_of(days) == 1:  # a day without rows adds nothing
        every = (days[-1] - days[0]).days + 1
        contents = {
            day: contents.get(day, 0.0) for day in (days[0] + timedelta(n) for n in range(every))
        }
    shown = _around(periods)
    rows = [
        {"bucket": day, "value": None if value != value else value}
        for day, value in sorted(contents.items())
        if shown is None or shown[0] <= day <= shown[1]
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _around(periods: Sequence[Span]) -> tuple[date, date] | None:
    """The days that are shown around the periods; all where there is none."""
    if not periods:
        return None
    first, last = min(p.start for p in periods), max(p.end for p in periods)
    before = max(sum(p.days for p in periods), _LEAST_BEFORE)
    return first - timedelta(days=before), last
