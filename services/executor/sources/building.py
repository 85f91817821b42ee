"""A source on its way into its folder: what every reader shares."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping, Sized
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from services.executor.domain.doubt import Doubt
from services.executor.sources.limits import ReadingLimits
from services.executor.sources.manifest import (
    ColumnStatistics,
    Decision,
    ForeignKey,
    StoredColumn,
    StoredTable,
)
from services.executor.sources.sql import count, literal, quoted
from services.executor.sources.stored_types import in_stored_types
from services.executor.sources.watch import ReadingWatch

_WIDE = 500  # columns of a table from which planning a statement over all of them takes seconds


@dataclass(frozen=True)
class Unread:
    """Columns of the table of a file that are left where they are: their entries with statistics
    of `rows` rows, and the names of all columns in their order."""

    table: str
    columns: dict[str, StoredColumn]
    statistics: dict[str, ColumnStatistics]
    rows: int
    order: tuple[str, ...]


@dataclass
class Building:
    """A source on its way into its folder.

    `label` is what messages call the file at hand, `prefix` stands before its notes: the table's
    name and a colon, by which whoever asked of that table is told, where there are several. `raw`
    says that nothing is to be repaired that nobody asked for.
    """

    connection: duckdb.DuckDBPyConnection
    label: str
    folder: Path
    limits: ReadingLimits = field(default_factory=ReadingLimits)
    prefix: str = ""
    raw: bool = False
    unpacked_files: int = 0
    tables: list[StoredTable] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    note_columns: dict[str, str] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    watch: ReadingWatch = field(default_factory=ReadingWatch)
    asked: tuple[str, ...] = ()  # words by which it may be read in part; none: all is read
    unread: Unread | None = None
    made: set[str] = field(default_factory=set)  # repairs that readers made, as people write them

    def note(self, text: str, *, column: str = "") -> None:
        """Remember a fact about how the source was read; `column` is the one it speaks of."""
        text = text if text.startswith(self.prefix) else self.prefix + text
        if column:
            self.note_columns[text] = column
        self.notes[text] = None

    def decide(
        self,
        table: str,
        subject: str,
        value: str,
        *,
        column: str = "",
        because: str = "",
        certain: bool = True,
    ) -> None:
        """Remember a decision about how the source was read."""
        self.decisions.append(
            Decision(
                table=table,
                subject=subject,
                value=value,
                column=column,
                because=because,
                certain=certain,
            )
        )

    def rename(self, before: Collection[str], name: str) -> None:
        """Tell of tables by the one name of the table that they became."""
        self.decisions[:] = dict.fromkeys(
            one.model_copy(update={"table": name}) if one.table in before else one
            for one in self.decisions
        )
        doubts: dict[tuple[str, ...], Doubt] = {}
        for one in self.doubts:
            if one.table not in before:
                doubts[one.table, one.code, one.column, one.said] = one
                continue
            key = (name, one.code, one.column, "".join(r.option for r in one.repairs))
            first = doubts.get(key, one.model_copy(update={"table": name, "rows": 0}))
            doubts[key] = first.model_copy(update={"rows": first.rows + one.rows})
        self.doubts[:] = doubts.values()

    def scratch(self, name: str) -> Path:
        """A place for a file that is needed only while this source is read."""
        folder = self.folder / "scratch"
        folder.mkdir(exist_ok=True)
        return folder / name

    def clean(self) -> None:
        """Remove what was needed only meanwhile."""
        for name in ("scratch", "spill"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

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
        comment: str = "",
        comments: Mapping[str, str] | None = None,
    ) -> StoredTable:
        """Store the rows of `query` as a table, in the stored types, and enter it."""
        self.create(name, query)
        return self.register(
            name,
            primary_key=primary_key,
            foreign_keys=foreign_keys,
            comment=comment,
            comments=comments,
        )

    def create(self, name: str, query: str) -> None:
        """Store the rows of `query` as a table of the database, in the stored types."""
        self.connection.execute(
            f"CREATE TABLE {quoted(name)} AS {self.in_stored_types(name, query)}"
        )

    def add_file(
        self,
        name: str,
        query: str,
        *,
        rejected: int = 0,
        comments: Mapping[str, str] | None = None,
        primary_key: tuple[str, ...] = (),
        foreign_keys: tuple[ForeignKey, ...] = (),
    ) -> StoredTable:
        """Store the rows of `query` as a Parquet file, in the stored types, and enter it.

        Parquet takes half the time of a table of the database; the row order is that of the query.
        """
        file = self.free_file()
        self.write_parquet(self.in_stored_types(name, query), self.folder / file)
        return self.enter_file(
            name,
            file,
            rejected=rejected,
            comments=comments,
            primary_key=primary_key,
            foreign_keys=foreign_keys,
        )

    def free_file(self) -> str:
        """A name for a Parquet file that is not there yet."""
        number = len(self.tables)
        while (self.folder / f"{number}.parquet").exists():
            number += 1
        return f"{number}.parquet"

    def write_parquet(self, query: str, path: Path, *, rows: int = 0) -> None:
        """Write the rows of `query`, in their order; how many, where that is known by then."""
        with self.watch.copying(rows):
            self.connection.execute(
                f"COPY ({query}) TO {literal(str(path))} (FORMAT parquet, COMPRESSION snappy)"
            )

    def enter_file(
        self,
        name: str,
        file: str,
        *,
        rejected: int = 0,
        comments: Mapping[str, str] | None = None,
        primary_key: tuple[str, ...] = (),
        foreign_keys: tuple[ForeignKey, ...] = (),
    ) -> StoredTable:
        """Enter a Parquet file in the folder, whose columns have the stored types."""
        path = literal(str(self.folder / file))
        self.connection.execute(
            f"CREATE TEMP VIEW {quoted(name)} AS SELECT * FROM read_parquet({path})"
        )
        return self.register(
            name,
            rejected=rejected,
            file=file,
            comments=comments,
            primary_key=primary_key,
            foreign_keys=foreign_keys,
        )

    def in_stored_types(self, name: str, query: str) -> str:
        """The query with every column in one of the stored types, structs flattened."""
        return in_stored_types(self.connection, name, query, self.note, self.check_columns)

    def check_width(self, columns: int, *, some: bool) -> None:
        """As `ReadingLimits.check_width`, of this source."""
        self.limits.check_width(self.label, columns, some=some)
        self._plan_for(columns)

    def check_columns(self, columns: int | Sized) -> None:
        """Raise AssayError(RESOURCE_EXHAUSTED) for a table that is too wide."""
        self.limits.check_columns(self.label, columns)
        self._plan_for(columns if isinstance(columns, int) else len(columns))

    def _plan_for(self, columns: int) -> None:
        """Have the engine plan statements over so many columns within seconds.

        Looking for what expressions have in common takes time by the cube of their number: minutes
        for 10,000 columns, each of which is cast and compared with its text.
        """
        if columns > _WIDE:
            self.connection.execute("SET disabled_optimizers = 'common_subexpressions'")

    def again(self, table: StoredTable) -> StoredTable:
        """The entry of a table whose rows or columns were changed since."""
        relation = self.connection.sql(f"SELECT * FROM {quoted(table.name)}")
        known = {column.name: column for column in table.columns}
        columns = tuple(
            StoredColumn(
                name=name, type=str(kind), comment=known[name].comment if name in known else ""
            )
            for name, kind in zip(relation.columns, relation.types, strict=True)
        )
        rows = count(self.connection, f"SELECT count(*) FROM {quoted(table.name)}")
        return table.model_copy(update={"columns": columns, "rows": rows, "statistics": {}})

    def register(
        self,
        name: str,
        *,
        primary_key: tuple[str, ...] = (),
        foreign_keys: tuple[ForeignKey, ...] = (),
        rejected: int = 0,
        file: str = "",
        comment: str = "",
        comments: Mapping[str, str] | None = None,
    ) -> StoredTable:
        """Enter a table or view that exists in the connection into the manifest.

        `comment` is what its owner wrote about it, `comments` about columns, by name.
        """
        relation = self.connection.sql(f"SELECT * FROM {quoted(name)}")
        self.check_columns(relation.columns)
        table = StoredTable(
            name=name,
            rows=count(self.connection, f"SELECT count(*) FROM {quoted(name)}"),
            columns=tuple(
                StoredColumn(name=column, type=str(kind), comment=(comments or {}).get(column, ""))
                for column, kind in zip(relation.columns, relation.types, strict=True)
            ),
            primary_key=primary_key,
            foreign_keys=foreign_keys,
            rejected=rejected,
            file=file,
            comment=comment,
        )
        self.tables.append(table)
        return table
