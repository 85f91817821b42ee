"""Limits of rows, bytes and time, told in the same words by every engine."""

from __future__ import annotations

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.session import Interrupted


def collected(reader: pa.RecordBatchReader, row_limit: int, byte_limit: int) -> pa.Table:
    """All rows. Raises ToolError(RESOURCE_EXHAUSTED) as soon as there are too many."""
    batches: list[pa.RecordBatch] = []
    rows = held = 0
    for batch in reader:
        rows, held = rows + batch.num_rows, held + batch.nbytes
        if rows > row_limit:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                f"the query gives more than {row_limit:,} rows.",
                hint="Aggregate or filter, or raise the row limit.",
                details={"limit": row_limit, "seen": rows, "unit": "rows"},
            )
        if held > byte_limit:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                f"the query gives more than {byte_limit / 1e6:,.0f} MB.",
                hint="Aggregate or filter, or ask for fewer columns.",
                details={"limit": byte_limit, "seen": held, "unit": "bytes"},
            )
        batches.append(batch)
    return pa.Table.from_batches(batches, schema=reader.schema)


def stopped_by(stopped: Interrupted, seconds: float) -> ToolError:
    """What stopped a statement inside a server, as its caller is told."""
    if not stopped.late:
        return ToolError(ErrorCategory.CANCELLED, "the query was cancelled.")
    return ToolError(
        ErrorCategory.RESOURCE_EXHAUSTED,
        f"the query was stopped after {seconds:g} s.",
        hint="Raise the timeout, or ask for less.",
        details={"limit": seconds, "unit": "seconds"},
    )
