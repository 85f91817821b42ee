"""Lists that are written in one text: a|b, a, b and ["a", "b"]."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, refused, text_column_of
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import literal, quoted

MARKS = {"bars": "|", "semicolons": ";", "commas": ",", "slashes": "/"}
"""What stands between the items of a list, by what it is called."""
BRACKETS = "brackets"


def items(sql: str, written: str) -> str:
    """SQL: the items of a list that is written so, without spaces around them and empty ones."""
    if written == BRACKETS:
        found = f"try_cast({sql} AS VARCHAR[])"
    else:
        found = f"string_split({sql}, {literal(MARKS[written])})"
    trimmed = f"list_transform({found}, lambda item: trim(item))"
    return f"list_filter({trimmed}, lambda item: item <> '')"


def _mend(repair: Repair, table: StoredTable) -> Mended:
    column = text_column_of(repair, table)
    if repair.value not in (*MARKS, BRACKETS):
        raise refused(repair, f"it takes {', '.join((*MARKS, BRACKETS))}")
    return Mended(
        f"the lists of {column.name}, in {{}}, are a table with a row for each item",
        lists={column.name: items(quoted(column.name), repair.value)},
    )


LISTS = Kind(
    "lists",
    "Lists in the texts of a column become a table of their own, a row for each item, with the key "
    "of the row that it is of.",
    "how they are written: bars, semicolons, commas, slashes or brackets",
    "lists.tags=bars",
    of_column=True,
    mend=_mend,
)
