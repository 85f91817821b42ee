"""Moments as programs count them, in seconds or milliseconds from the beginning of 1970."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, column_of, refused
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import quoted

_MICROSECONDS = {"seconds": 1_000_000, "milliseconds": 1_000}


def _mend(repair: Repair, table: StoredTable) -> Mended:
    column = column_of(repair, table)
    if repair.value not in _MICROSECONDS:
        raise refused(repair, f"it takes {' or '.join(_MICROSECONDS)}")
    if column.type != "BIGINT":
        raise refused(repair, f"{column.name} holds no whole numbers")
    many = _MICROSECONDS[repair.value]
    return Mended(
        f"column {column.name} has {repair.value} since 1970 in {{}}, read as moments in UTC",
        {column.name: f"make_timestamp({quoted(column.name)} * {many})"},
    )


SINCE_1970 = Kind(
    "since-1970",
    "Whole numbers are read as moments in UTC, as programs count them from 1970.",
    "`seconds` or `milliseconds`",
    "since-1970.created_at=milliseconds",
    of_column=True,
    mend=_mend,
)
