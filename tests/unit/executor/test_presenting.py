"""What of a result is shown."""

from __future__ import annotations

import pyarrow as pa

from mesh.policy import Policy
from services.executor.engines.presenting import presentable


def test_a_date_that_no_calendar_holds_is_left_empty_and_told() -> None:
    """DuckDB and PostgreSQL keep infinity in a date, and years before the first."""
    days = pa.array([0, 2**31 - 1, -(2**31) + 1, -735_525, None], pa.int32())
    moments = pa.array([0, 2**63 - 1, 1, 2, 3], pa.int64())
    table = pa.table({"d": days.view(pa.date32()), "t": moments.view(pa.timestamp("us"))})

    shown, notes = presentable(table, Policy())

    assert [value is None for value in shown["d"].to_pylist()] == [False, True, True, True, True]
    assert [value is None for value in shown["t"].to_pylist()] == [False, True, False, False, False]
    assert notes == ["4 cells left empty: dates before the year 1 or after 9999, or infinite"]
    assert presentable(shown, Policy()) == (shown, [])
