"""What of a result people are shown: dates that a calendar holds, and pseudonyms by their name."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.compute as pc

from mesh.policy import Policy
from services.executor.engines.arrow_types import TIMESTAMP
from services.executor.engines.masking import shown

_EDGES = {
    pa.date32(): (dt.date.min, dt.date.max),
    TIMESTAMP: (dt.datetime.min, dt.datetime.max),
}


def presentable(table: pa.Table, policy: Policy) -> tuple[pa.Table, list[str]]:
    """A table of the result types as it is shown, and notes on what is not in it as it was."""
    notes: list[str] = []
    if policy.blocked_patterns:
        table, cells = shown(table)
        if cells:
            notes.append(f"{_count(cells)} blocked by policy")
    table, cells = _within_calendar(table)
    if cells:
        notes.append(
            f"{_count(cells)} left empty: dates before the year 1 or after 9999, or infinite"
        )
    return table, notes


def _within_calendar(table: pa.Table) -> tuple[pa.Table, int]:
    """The table without dates and times that nothing outside a database can show."""
    cells = 0
    for position, field in enumerate(table.schema):
        if field.type not in _EDGES:
            continue
        column, (first, last) = table.column(position), _EDGES[field.type]
        outside = pc.or_(
            pc.less(column, pa.scalar(first, field.type)),
            pc.greater(column, pa.scalar(last, field.type)),
        )
        hits = pc.sum(outside).as_py() or 0
        if hits:
            cells += hits
            shown = pc.if_else(outside, pa.scalar(None, field.type), column)
            table = table.set_column(position, field, shown)
    return table, cells


def _count(cells: int) -> str:
    return f"{cells:,} {'cell' if cells == 1 else 'cells'}"
