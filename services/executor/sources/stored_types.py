"""The types that tables are stored in.

Stored columns have one of seven types: VARCHAR, BIGINT, DOUBLE, DECIMAL, BOOLEAN, DATE and
TIMESTAMP. Everything else becomes one of them here:

- structs are flattened into columns named `outer.inner`;
- maps, and lists that are no tables of their own (`child_tables`), become JSON text; columns of
  bytes are left out; both are noted;
- whole numbers are BIGINT, DECIMAL(38,0) where 64 bits do not hold them, and text, which is noted,
  where 38 digits do not;
- numbers in JSON are whole ones where all are;
- times with a zone are stored in UTC, times of day and everything else as text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import duckdb
from duckdb.sqltypes import DuckDBPyType

from services.executor.domain.description import DataType
from services.executor.sources.sql import count, literal, quoted, unique_names

_WHOLE = {"tinyint", "smallint", "integer", "utinyint", "usmallint", "uinteger", "bigint"}
_WIDE_FAMILIES = {"ubigint", "hugeint", "uhugeint", "bignum"}
WIDE = "DECIMAL(38,0)"
_SAME = {"boolean", "date", "varchar", "timestamp", "double", "decimal"}


def in_stored_types(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    query: str,
    note: Callable[[str], None],
    check_columns: Callable[[int], None],
) -> str:
    """The query with every column in one of the stored types, structs flattened.

    `check_columns` gets their number before any of them is looked at.
    """
    relation = connection.sql(query)
    check_columns(sum(map(leaves, relation.types)))
    typing = _Typing(connection, table, query, note)
    selected = [
        item
        for column, kind in zip(relation.columns, relation.types, strict=True)
        for item in typing.flattened(column, quoted(column), kind)
    ]
    names = unique_names((column for column, _ in selected), note)
    expressions = ", ".join(
        f"{sql} AS {quoted(column)}" for column, (_, sql) in zip(names, selected, strict=True)
    )
    return f"SELECT {expressions or 'NULL AS empty'} FROM ({query})"


def leaves(kind: DuckDBPyType) -> int:
    """How many columns a type becomes: several where it is a struct."""
    if kind.id != "struct":
        return 1
    return sum(leaves(inner) for _, inner in kind.children if isinstance(inner, DuckDBPyType))


@dataclass(frozen=True, slots=True)
class _Typing:
    """The columns of one query, as SQL in stored types."""

    connection: duckdb.DuckDBPyConnection
    table: str
    query: str
    note: Callable[[str], None]

    def flattened(self, column: str, sql: str, kind: DuckDBPyType) -> list[tuple[str, str]]:
        """Names and SQL of what a column becomes: several where it is a struct."""
        family = kind.id
        if family == "struct":
            return [
                pair
                for member, inner in kind.children
                if isinstance(inner, DuckDBPyType)
                for pair in self.flattened(
                    f"{column}.{member}",
                    f"struct_extract({sql}, {literal(str(member))})",
                    inner,
                )
            ]
        if family == "blob":
            self.note(f"{self.table}: binary column {column} is left out")
            return []
        if str(kind) == "JSON":
            return [(column, self._json(column, sql))]
        return [(column, self._scalar(column, sql, family))]

    def _scalar(self, column: str, sql: str, family: str) -> str:
        if family in _SAME:
            return sql
        if family in _WHOLE:
            return sql if family == "bigint" else f"{sql}::BIGINT"
        if family in _WIDE_FAMILIES:
            return self._whole(column, sql)
        if family == "float":
            return f"{sql}::DOUBLE"
        if family == "timestamp with time zone":
            self.note(f"{self.table}: times of {column} are shown in UTC")
            return f"({sql} AT TIME ZONE 'UTC')::TIMESTAMP"
        if family.startswith("timestamp"):
            return f"{sql}::TIMESTAMP"
        if family in {"list", "array", "map", "union"}:
            self.note(f"{self.table}: nested values of {column} are kept as JSON text")
            return f"to_json({sql})::VARCHAR"
        return f"{sql}::VARCHAR"

    def _whole(self, column: str, sql: str) -> str:
        """Whole numbers, which may be texts, in the type that holds them all."""
        for kind in ("BIGINT", WIDE):
            misfits = (
                f"SELECT count(*) FROM ({self.query}) WHERE {sql} IS NOT NULL "
                f"AND TRY_CAST({sql} AS {kind}) IS NULL"
            )
            if not count(self.connection, misfits):
                return f"{sql}::{kind}"
        self.note(f"column {column} holds whole numbers of more than 38 digits; kept as text")
        return f"{sql}::VARCHAR"

    def _json(self, column: str, sql: str) -> str:
        """Numbers, where all values are some, else text."""
        text = f"({sql} ->> '$')"
        row = self.connection.execute(
            f"SELECT bool_and(json_type({sql}) NOT IN ('VARCHAR', 'OBJECT', 'ARRAY', 'BOOLEAN')), "
            f"bool_and(regexp_full_match({text}, '-?[0-9]+')) FROM ({self.query}) "
            f"WHERE {text} IS NOT NULL"
        ).fetchone()
        numbers, whole = row or (False, False)
        if not numbers:
            return text
        return self._whole(column, text) if whole else f"{text}::DOUBLE"


def data_type(stored_type: str) -> DataType:
    """The logical type of a stored one."""
    if stored_type.startswith("DECIMAL"):
        return DataType.INTEGER if stored_type.endswith(",0)") else DataType.FLOAT
    return {
        "BIGINT": DataType.INTEGER,
        "DOUBLE": DataType.FLOAT,
        "BOOLEAN": DataType.BOOLEAN,
        "DATE": DataType.DATE,
        "TIMESTAMP": DataType.DATETIME,
    }.get(stored_type, DataType.STRING)
