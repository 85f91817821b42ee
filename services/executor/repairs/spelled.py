"""Keys that are spelled in another way than those that they refer to."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, text_column_of
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import quoted


def _whole(repair: Repair, table: StoredTable) -> Mended:
    column = text_column_of(repair, table)
    name = quoted(column.name)
    number = f"try_cast(trim({name}) AS BIGINT)"
    text = f"column {column.name} is read as whole numbers"
    return Mended(text, {column.name: number}, retypes=True)


def _plain(repair: Repair, table: StoredTable) -> Mended:
    column = text_column_of(repair, table)
    text = f"column {column.name} is read without case, spaces and noughts in front, in {{}}"
    return Mended(text, {column.name: plain(quoted(column.name))})


def plain(sql: str) -> str:
    """SQL: a key without what its spellings differ by: case, spaces around it, noughts in front."""
    return f"ltrim(lower(trim(CAST({sql} AS VARCHAR))), '0')"


WHOLE = Kind(
    "whole",
    "A column of texts is read as whole numbers; what is none is read as no value.",
    "nothing",
    "whole.customer_id=",
    of_column=True,
    mend=_whole,
)
PLAIN = Kind(
    "plain",
    "A column of keys is read without case, spaces around it and noughts in front.",
    "nothing",
    "plain.customer_no=",
    of_column=True,
    mend=_plain,
)
