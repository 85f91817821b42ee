"""The hundred years in which the dates of a column lie."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, column_of, refused
from services.executor.sources.delimited.centuries import moved
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import quoted


def _mend(repair: Repair, table: StoredTable) -> Mended:
    column = column_of(repair, table)
    if column.type not in ("DATE", "TIMESTAMP"):
        raise refused(repair, f"{column.name} holds no dates")
    if not (len(repair.value) == 4 and repair.value.isdecimal()):
        raise refused(repair, "it takes the first of a hundred years, such as 1930")
    start = int(repair.value)
    cell = f"{moved(quoted(column.name), start)}::{column.type}"
    text = f"column {column.name} has years of {start} to {start + 99}; it changed {{}}"
    return Mended(text, {column.name: cell})


CENTURY = Kind(
    "century",
    "Dates of a column that had two digits for the year lie in these hundred years.",
    "the first of the hundred years",
    "century.born=1925",
    of_column=True,
    mend=_mend,
)
