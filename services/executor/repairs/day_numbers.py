"""Days as workbooks count them, from the end of 1899."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, column_of, refused
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import quoted


def _mend(repair: Repair, table: StoredTable) -> Mended:
    if not repair.column:
        raise refused(repair, "without a column it takes dates")
    column = column_of(repair, table)
    if column.type not in ("BIGINT", "DOUBLE"):
        raise refused(repair, f"{column.name} holds no numbers")
    return Mended(
        f"column {column.name} has day numbers in {{}}, read as days",
        {column.name: f"DATE '1899-12-30' + {quoted(column.name)}::INTEGER"},
    )


DAY_NUMBERS = Kind(
    "day-numbers",
    "Numbers are read as the days that they count, as workbooks count them (45,292 is 1 January "
    "2024): those among days, or all of a column.",
    "`dates`",
    "day-numbers.shipped=dates",
    of_column=False,
    mend=_mend,
    read=("dates",),
)
