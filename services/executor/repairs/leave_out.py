"""Rows that are none: blank lines, totals, headings again; or those with a value of a column."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, column_of, refused
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import literal, quoted

OF_TEXTS = ("blank", "totals", "headings")


def _mend(repair: Repair, table: StoredTable) -> Mended:
    if not repair.column:
        raise refused(repair, f"without a column it takes {', '.join(OF_TEXTS)}")
    column = column_of(repair, table)
    if not repair.value:
        raise refused(repair, "it names no value")
    same = f"trim({quoted(column.name)}::VARCHAR) = {literal(repair.value)}"
    return Mended(
        f"{{}} in which {column.name} is {repair.value}: left out",
        kept=f"({same}) IS NOT TRUE",
    )


LEAVE_OUT = Kind(
    "leave-out",
    "Rows are left out: of a text or a sheet those that are blank, that add up others or repeat "
    "the headings; of any table those with a value of a column.",
    "`blank`, `totals` or `headings`; with a column the value as it stands in the file",
    "leave-out.region=Total",
    of_column=False,
    mend=_mend,
    read=OF_TEXTS,
)
