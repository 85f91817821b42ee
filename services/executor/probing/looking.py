"""What a probe tells of a table of rows."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pyarrow as pa

from mesh.policy import Policy
from services.executor.engines.arrow_types import friendly
from services.executor.engines.presenting import presentable
from services.executor.probing.digests import (
    column_codes,
    distinct_share,
    empty,
    multiset_digest,
    ordered_digest,
    row_codes,
)
from services.executor.probing.outcome import Cell, ColumnSeen, QueryOutcome, State

_MOST_COLUMNS, _MOST_GLIMPSED, _LONGEST_TEXT = 64, 3, 200


def seen(table: pa.Table, rows: int, policy: Policy) -> QueryOutcome:
    """The first `rows` of what a query gave, with at least one row more if there are more."""
    more = table.num_rows > rows
    kept = friendly(table.slice(0, rows))
    codes = [column_codes(column) for column in kept.columns]
    of_rows = row_codes(codes, kept.num_rows)
    shown = presentable(kept.slice(0, _MOST_GLIMPSED), policy)[0]
    shown = shown.select(range(min(shown.num_columns, _MOST_COLUMNS)))
    return QueryOutcome(
        State.OK,
        rows=kept.num_rows,
        more=more,
        multiset_digest=multiset_digest(of_rows),
        ordered_digest=ordered_digest(of_rows),
        columns=tuple(
            ColumnSeen(name, empty(code) / max(kept.num_rows, 1), distinct_share(code))
            for name, code in zip(shown.column_names, codes, strict=False)
        ),
        glimpse=tuple(
            zip(*(map(cell, column.to_pylist()) for column in shown.columns), strict=True)
        ),
        distinct_share=distinct_share(of_rows),
    )


def cell(value: Any) -> Cell:
    """A value of one of the result types."""
    if value is None:
        return Cell()
    if isinstance(value, bool):
        return Cell("truth", value)
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return Cell("whole", value)
    if isinstance(value, datetime):
        return Cell("moment", value.isoformat())
    if isinstance(value, date):
        return Cell("day", value.isoformat())
    if isinstance(value, str):
        return Cell("text", value[:_LONGEST_TEXT])
    return Cell("number", float(value))
