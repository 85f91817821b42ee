"""Columns of short codes, such as airports told by three letters, that a key of codes explains.

Where no name tells that one column refers to another, codes of one form whose values are all but
all among the values of a unique column do: "dest" refers to "faa".
"""

from __future__ import annotations

import re

from services.executor.sources.manifest import ColumnStatistics, StoredColumn

LIKENESS = 0.6
"""How surely equal codes tell a reference, where no name does."""

_CLOSED = re.compile(r"[^a-z0-9]")
_CODE = re.compile(r"[A-Z0-9]{2,6}")
_LEAST_CODES = 3
_ROW_NUMBERS = frozenset(
    (
        "rownames",
        "rowname",
        "rowid",
        "rownumber",
        "rownum",
        "row",
        "rows",
        "index",
        "unnamed0",
        "x1",
    )
)


def numbers_rows(name: str) -> bool:
    """Whether a column but counts the rows of its own table, so that nothing refers to it."""
    return _CLOSED.sub("", name.lower()) in _ROW_NUMBERS


def is_code(column: StoredColumn, found: ColumnStatistics) -> bool:
    """Whether values are short codes of capital letters, all of one length."""
    if column.type != "VARCHAR" or found.distinct < _LEAST_CODES:
        return False
    values = [*found.samples, found.minimum or "", found.maximum or ""]
    same = len({len(value) for value in values}) == 1
    letters = any(character.isalpha() for value in values for character in value)
    return same and letters and all(_CODE.fullmatch(value) for value in values)


def may_refer(referring: ColumnStatistics, key: ColumnStatistics) -> bool:
    """Whether codes of one column can be those of another: as long, and not many more."""
    alike = len(referring.minimum or "") == len(key.minimum or "")
    return alike and referring.distinct <= 2 * key.distinct
