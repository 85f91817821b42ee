"""Labels that stand once for several rows: each row gets the one above it."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, column_of, refused
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import quoted


def _mend(repair: Repair, table: StoredTable) -> Mended:
    if not repair.column:
        raise refused(repair, "without a column it takes merged")
    column = column_of(repair, table)
    if repair.value != "above":
        raise refused(repair, "it takes above")
    name = quoted(column.name)
    return Mended(
        f"column {column.name} is empty in {{}}, read as in the row above",
        {column.name: f"last_value({name} IGNORE NULLS) OVER (ORDER BY {quoted(ROW)})"},
    )


ROW = "_assay_row"
"""The number of a row in the file, which SQL of a repair may speak of."""

FILL_DOWN = Kind(
    "fill-down",
    "A label that stands once for several rows holds for each of them: of merged cells, or of the "
    "empty cells below it in a column.",
    "`merged`; with a column `above`",
    "fill-down.region=above",
    of_column=False,
    mend=_mend,
    read=("merged",),
)
