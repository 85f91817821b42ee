"""What every reader shares: the table being built, and the types tables are stored in.

Stored columns have one of seven types: VARCHAR, BIGINT, DOUBLE, DECIMAL, BOOLEAN, DATE and
TIMESTAMP. Everything else becomes one of them here:

- structs are flattened into columns named `outer.inner`;
- lists and maps become JSON text; columns of bytes are left out; both are noted;
- whole numbers are BIGINT, DOUBLE where 64 bits do not hold them;
- times with a zone are stored in UTC, times of day and everything else as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
from duckdb.sqltypes import DuckDBPyType

from services.executor.sources.manifest import ForeignKey, StoredColumn, StoredTable

_WHOLE = {"tinyint", "smallint", "integer", "utinyint", "usmallint", "uinteger", "bigint"}
_WIDE = {"ubigint", "hugeint", "uhugeint", "bignum"}
_SAME = {"boolean", "date", "varchar", "timestamp", "double", "decimal"}


def quoted(name: str) -> str:
    """The name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """The text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def table_name(stem: str) -> str:
    """A table name from a file name: letters, digits and underscores, no digit in front."""
    name = re.sub(r"\W+", "_", stem).strip("_") or "data"
    return f"t_{name}" if name[0].isdigit() else name


def unique_names(names: Iterable[str], notes: Callable[[str], None]) -> list[str]:
    """Column names with blanks and repetitions resolved; every change is told to `notes`."""
    given = [name.strip() for name in names]
    taken: set[str] = set()
    reserved = {name.casefold() for name in given if name}
    result: list[str] = []
    for position, name in enumerate(given, start=1):
        chosen = name or f"column_{position}"
        number = 2
        while chosen.casefold() in taken or (chosen != name and chosen.casefold() in reserved):
            chosen = f"{name or f'column_{position}'}_{number}"
            number += 1
        if not name:
            notes(f"column {position} has no name; it is called {chosen}")
        elif chosen != name:
            notes(f'column name "{name}" appears twice; the later one is called {chosen}')
        taken.add(chosen.casefold())
        result.append(chosen)
    return result


@dataclass
class Building:
    """A source on its way into its database; `folder` is for files needed meanwhile.

    `unpacked_limit` is the most bytes a compressed file may unpack to.
    """

    connection: duckdb.DuckDBPyConnection
    label: str
    folder: Path
    tables: list[StoredTable] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unpacked_limit: int = 16 << 30

    def note(self, text: str) -> None:
        """Remember a fact about how the source was read."""
        if text not in self.notes:
            self.notes.append(text)

    def free_name(self, wanted: str) -> str:
        """A table name that is not taken yet, case ignored."""
        taken = {table.name.casefold() for table in self.tables}
        name, number = wanted, 2
        while name.casefold() in taken:
            name, number = f"{wanted}_{number}", number + 1
        return name

    def add(
        self,
        name: str,
        query: str,
        *,
        primary_key: tuple[str, ...] = (),
        foreign_keys: tuple[ForeignKey, ...] = (),
    ) -> StoredTable:
        """Store the rows of `query` as a table, in the stored types, and enter it."""
        self.create(name, query)
        return self.register(name, primary_key=primary_key, foreign_keys=foreign_keys)

    def create(self, name: str, query: str) -> None:
        """Store the rows of `query` as a table, in the stored types."""
        relation = self.connection.sql(query)
        pairs = list(zip(relation.columns, relation.types, strict=True))
        selected = [
            item
            for column, kind in pairs
            for item in self._flattened(name, column, quoted(column), kind, query)
        ]
        expressions = ", ".join(f"{sql} AS {quoted(column)}" for column, sql in selected)
        self.connection.execute(
            f"CREATE TABLE {quoted(name)} AS SELECT {expressions or 'NULL AS empty'} FROM ({query})"
        )

    def register(
        self,
        name: str,
        *,
        primary_key: tuple[str, ...] = (),
        foreign_keys: tuple[ForeignKey, ...] = (),
        rejected: int = 0,
    ) -> StoredTable:
        """Enter a table that exists in the database into the manifest."""
        relation = self.connection.sql(f"SELECT * FROM {quoted(name)}")
        table = StoredTable(
            name=name,
            rows=count(self.connection, f"SELECT count(*) FROM {quoted(name)}"),
            columns=tuple(
                StoredColumn(name=column, type=str(kind))
                for column, kind in zip(relation.columns, relation.types, strict=True)
            ),
            primary_key=primary_key,
            foreign_keys=foreign_keys,
            rejected=rejected,
        )
        self.tables.append(table)
        return table

    def _flattened(
        self, table: str, column: str, sql: str, kind: DuckDBPyType, query: str
    ) -> list[tuple[str, str]]:
        family = kind.id
        if family == "struct":
            return [
                pair
                for member, inner in kind.children
                if isinstance(inner, DuckDBPyType)
                for pair in self._flattened(
                    table,
                    f"{column}.{member}",
                    f"struct_extract({sql}, {literal(str(member))})",
                    inner,
                    query,
                )
            ]
        if family == "blob":
            self.note(f"{table}: binary column {column} is left out")
            return []
        if str(kind) == "JSON":
            return [(column, f"({sql} ->> '$')")]
        return [(column, self._scalar(table, column, sql, family, query))]

    def _scalar(self, table: str, column: str, sql: str, family: str, query: str) -> str:
        if family in _SAME:
            return sql
        if family in _WHOLE:
            return sql if family == "bigint" else f"{sql}::BIGINT"
        if family in _WIDE:
            fits = (
                count(
                    self.connection,
                    f"SELECT count(*) FROM ({query}) WHERE {sql} IS NOT NULL "
                    f"AND TRY_CAST({sql} AS BIGINT) IS NULL",
                )
                == 0
            )
            return f"{sql}::BIGINT" if fits else f"{sql}::DOUBLE"
        if family == "float":
            return f"{sql}::DOUBLE"
        if family == "timestamp with time zone":
            self.note(f"{table}: times of {column} are shown in UTC")
            return f"({sql} AT TIME ZONE 'UTC')::TIMESTAMP"
        if family.startswith("timestamp"):
            return f"{sql}::TIMESTAMP"
        if family in {"list", "array", "map", "union"}:
            self.note(f"{table}: nested values of {column} are kept as JSON text")
            return f"to_json({sql})::VARCHAR"
        return f"{sql}::VARCHAR"


def count(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    """The single number that a query gives."""
    row = connection.execute(query).fetchone()
    return int(row[0]) if row and row[0] is not None else 0
