"""A table inside the workspace, its columns, and how they are spoken of in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mesh.tool import ErrorCategory, ToolError


class Family(StrEnum):
    """What can be done with a column's values."""

    NUMBER = "number"
    TEXT = "text"
    TIME = "time"  # dates and timestamps
    BOOLEAN = "boolean"
    OTHER = "other"  # lists, structs, binary, intervals, times of day


_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_NUMBERS = frozenset({*_INTEGERS, *(f"U{name}" for name in _INTEGERS), "FLOAT", "DOUBLE"})
_TEXTS = frozenset({"VARCHAR", "UUID"})
_ORDERLESS = ("STRUCT", "MAP", "UNION")


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and DuckDB type."""

    name: str
    type: str

    @property
    def family(self) -> Family:
        """What can be done with the values."""
        if self.type.endswith("]"):
            return Family.OTHER
        if self.type in _NUMBERS or self.type.startswith("DECIMAL"):
            return Family.NUMBER
        if self.type in _TEXTS or self.type.startswith("ENUM"):
            return Family.TEXT
        if self.type == "DATE" or self.type.startswith("TIMESTAMP"):
            return Family.TIME
        return Family.BOOLEAN if self.type == "BOOLEAN" else Family.OTHER

    @property
    def sql(self) -> str:
        """The name as a quoted identifier."""
        return quoted(self.name)


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view of the workspace: `sql` is its quoted name."""

    sql: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """Column names in order."""
        return [column.name for column in self.columns]

    def column(self, name: str) -> Column:
        """The column of exactly that name. Raises ToolError MISSING_COLUMN with candidates."""
        for column in self.columns:
            if column.name == name:
                return column
        raise missing_column(name, self.names)

    def picked(self, names: Iterable[str]) -> list[Column]:
        """Several columns, in the order asked for."""
        return [self.column(name) for name in names]

    def of_family(self, name: str, families: Sequence[Family], operation: str) -> Column:
        """A column that `operation` can work on. Raises ToolError TYPE_MISMATCH."""
        column = self.column(name)
        if column.family not in families:
            wanted = " or ".join(family.value for family in families)
            raise type_mismatch(column, operation, f"it needs a {wanted} column")
        return column


def quoted(name: str) -> str:
    """A name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def listed(parts: Iterable[str]) -> str:
    """SQL fragments with commas between them."""
    return ", ".join(parts)


def fresh_name(taken: Iterable[str], wish: str) -> str:
    """A name that differs from all taken ones, whatever their case."""
    lowered = {name.lower() for name in taken}
    name, number = wish, 2
    while name.lower() in lowered:
        name, number = f"{wish}_{number}", number + 1
    return name


def distinct_names(names: Sequence[str]) -> list[str]:
    """The names, with a number added to later ones that repeat; an empty name becomes "column".

    Names that differ in case alone count as repeated: DuckDB cannot tell them apart.
    """
    given: list[str] = []
    used: set[str] = set()
    for name in names:
        wish = name or "column"
        if not name or name.lower() in used:
            wish = fresh_name([*given, *names], wish)
        used.add(wish.lower())
        given.append(wish)
    return given


def check_distinct(names: Iterable[str], operation: str) -> None:
    """Raise ToolError INVALID_ARGUMENTS when two result columns would share a name.

    Names that differ in case alone count as one: DuckDB cannot tell them apart.
    """
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f"{operation} would make two columns called {name!r}",
                hint="Give one of them another name.",
                details={"column": name, "clashes_with": seen[name.lower()]},
            )
        seen[name.lower()] = name


def missing_column(name: str, names: Sequence[str]) -> ToolError:
    """MISSING_COLUMN, with the names that come closest."""
    from rapidfuzz import process, utils

    closest = process.extract(
        name, list(names), processor=utils.default_process, limit=3, score_cutoff=60
    )
    candidates = [match for match, _, _ in closest]
    shown = listed(repr(known) for known in (candidates or names[:10]))
    return ToolError(
        ErrorCategory.MISSING_COLUMN,
        f"there is no column {name!r}",
        hint=f"Closest: {shown}." if candidates else f"There are: {shown}.",
        details={"column": name, "candidates": candidates},
    )


def type_mismatch(column: Column, operation: str, why: str, **more: Any) -> ToolError:
    """TYPE_MISMATCH of a column with what is asked of it."""
    return ToolError(
        ErrorCategory.TYPE_MISMATCH,
        f"{operation} cannot work on column {column.name!r} of type {column.type}: {why}",
        hint="Choose another column, or derive one with cast(... as ...) first.",
        details={"column": column.name, "type": column.type, "operation": operation, **more},
    )


def order_terms(keys: Iterable[tuple[Column, bool, str]]) -> list[str]:
    """ORDER BY terms of (column, descending, "first" | "last" for nulls)."""
    return [
        f"{column.sql} {'DESC' if descending else 'ASC'} NULLS {nulls.upper()}"
        for column, descending, nulls in keys
    ]


def tie_breakers(columns: Iterable[Column], used: Iterable[str]) -> list[str]:
    """ORDER BY terms of the columns not in `used`, so that equal keys have one order."""
    spent = set(used)
    return [
        f"{column.sql} ASC NULLS LAST"
        for column in columns
        if column.name not in spent and not column.type.startswith(_ORDERLESS)
    ]
