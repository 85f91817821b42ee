"""What a check found, and the frame of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

import pyarrow as pa

Severity = Literal["fault", "doubt", "note"]
"""A fault is one of the data, beyond what a business does; a doubt may be; a note is none."""

_ORDER = {"fault": 0, "doubt": 1, "note": 2}

SCHEMA = pa.schema(
    [
        ("check", pa.string()),
        ("column", pa.string()),
        ("segment_dimension", pa.string()),
        ("segment_value", pa.string()),
        ("bucket", pa.date32()),
        ("baseline", pa.float64()),
        ("comparison", pa.float64()),
        ("severity", pa.string()),
        ("until", pa.date32()),
        ("detail", pa.string()),
    ]
)


@dataclass(frozen=True)
class Found:
    """One thing that a check found, in days from `bucket` to `until` (None: over a whole period).

    `baseline` and `comparison` are the figure that the check looks at, in both periods. `weight`
    orders what is equally severe: about how many rows it is of.
    """

    check: str
    severity: Severity
    detail: str
    baseline: float | None
    comparison: float | None
    column: str = ""
    segment: tuple[str, str | None] | None = None
    bucket: date | None = None
    until: date | None = None
    weight: float = 0.0


def place_of_segment(found: Found) -> tuple[str, bool, str]:
    """Where a segment comes in order; a missing value after all others."""
    name, value = found.segment or ("", "")
    return name, value is None, value or ""


def frame_of(found: Sequence[Found]) -> pa.Table:
    """The most severe first, and of these what is of the most rows."""
    ordered = sorted(
        found,
        key=lambda f: (
            _ORDER[f.severity],
            -f.weight,
            f.check,
            f.column,
            place_of_segment(f),
            f.bucket or date.min,
        ),
    )
    rows = [
        {
            "check": f.check,
            "column": f.column,
            "segment_dimension": f.segment[0] if f.segment else "",
            "segment_value": f.segment[1] if f.segment else None,
            "bucket": f.bucket,
            "baseline": f.baseline,
            "comparison": f.comparison,
            "severity": f.severity,
            "until": f.until,
            "detail": f.detail,
        }
        for f in ordered
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def runs(days: Sequence[date], apart: int = 1) -> list[tuple[date, date]]:
    """Days put together where at most `apart` lie from one to the next: first and last of each."""
    found: list[tuple[date, date]] = []
    for day in sorted(days):
        if found and day - found[-1][1] <= timedelta(days=apart):
            found[-1] = (found[-1][0], day)
        else:
            found.append((day, day))
    return found


def days_in_words(first: date, last: date, count: int) -> str:
    """From when to when, and how many days."""
    if first == last:
        return str(first)
    return f"{count} days from {first} to {last}"
