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
    content_digest,
    distinct_share,
    empty,
    multiset_digest,
    ordered_digest,
    row_codes,
)
from services.executor.probing.outcome import Cell, ColumnSeen, QueryOutcome, State

_MOST_COLUMNS, _LONGEST_TEXT = 64, 200
_FEWEST_GLIMPSED, _MOST_CELLS = 3, 5_000


def seen(
    table: pa.Table, rows: int, policy: Policy, glimpse: int = _FEWEST_GLIMPSED
) -> QueryOutcome:
    """The first `rows` of what a query gave, with at least one row more if there are more. Of the
    rows of a glimpse no more are shown than fit into 5,000 cells."""
    more = table.num_rows > rows
    kept = friendly(table.slice(0, rows))
    codes = [column_codes(column) for column in kept.columns]
    of_rows = row_codes(codes, kept.num_rows)
    fitting = max(_FEWEST_GLIMPSED, _MOST_CELLS // max(1, min(kept.num_columns, _MOST_COLUMNS)))
    shown = presentable(kept.slice(0, min(glimpse, fitting)), policy)[0]
    shown = shown.select(range(min(shown.num_columns, _MOST_COLUMNS)))
    return QueryOutcome(
        State.OK,
        rows=kept.num_rows,
        more=more,
        multiset_digest=multiset_digest(of_rows),
        ordered_digest=ordered_digest(of_rows),
        columns=tuple(
            ColumnSeen(
                name,
                empty(code) / max(kept.num_rows, 1),
                distinct_share(code),
                multiset_digest(code),
            )
            for name, code in zip(shown.column_names, codes, strict=False)
        ),
        glimpse=tuple(
            zip(*(map(cell, column.to_pylist()) for column in shown.columns), strict=True)
        ),
        distinct_share=distinct_share(of_rows),
        content_digest=content_digest(codes, kept.num_rows),
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
