"""A value of a column that stands for no value: -200, 9999, 1900-01-01, "unknown"."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, column_of, refused
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import literal, quoted


def _mend(repair: Repair, table: StoredTable) -> Mended:
    column = column_of(repair, table)
    if not repair.value:
        raise refused(repair, "it names no value")
    name = quoted(column.name)
    if column.type in ("BIGINT", "DOUBLE") or column.type.startswith("DECIMAL"):
        try:
            float(repair.value)
        except ValueError:
            raise refused(repair, f"{column.name} holds numbers") from None
        same = f"{name} = {literal(repair.value)}::DOUBLE"
    elif column.type in ("DATE", "TIMESTAMP"):
        same = f"{name}::DATE = try_cast({literal(repair.value)} AS DATE)"
    else:
        same = f"{name} = {literal(repair.value)}"
    return Mended(
        f"column {column.name} has {repair.value} in {{}}, read as no value",
        {column.name: f"CASE WHEN {same} THEN NULL ELSE {name} END"},
    )


NOTHING = Kind(
    "nothing",
    "A value of a column is read as no value: it is in no mean, sum, smallest or largest.",
    "the value as it stands in the file",
    "nothing.CO=-200",
    of_column=True,
    mend=_mend,
)
