"""A locked database in which the tables of a request's sources stand side by side.

Tables of databases that are asked where they are have a name here and no view.

A workspace is an in-memory DuckDB with the sources attached read-only and one view for each table.
The views are where policy is enforced: a column that is not allowed is not in them, and a text
cell that a blocked pattern matches is replaced by a pseudonym (`masking`; equal for equal values,
so that joins, groups and distinct counts stay right). A column of numbers whose digits are blocked
becomes one of text. After that, access to files is switched off and the configuration locked;
neither can be undone for the life of the database.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.policy import Policy
from services.executor.databases.live import live
from services.executor.engines.known import KnownTable
from services.executor.engines.masking import Masking
from services.executor.sources.digits import is_number, number_as_text
from services.executor.sources.manifest import StoredColumn, StoredTable
from services.executor.sources.partly import unread_cell
from services.executor.sources.prepared import PreparedSource
from services.executor.sources.sql import literal, quoted

if TYPE_CHECKING:
    import duckdb

_HIDDEN_NAME = "blocked"
"""What a table is called whose own name is personal data."""

_SUSPECTED, _BLOCKED = "assay_suspected", "assay_blocked"
# Sums of floating-point numbers depend on how rows are spread over threads: below this size one
# thread computes, at about twice the time, and equal queries give equal bits.
SINGLE_THREAD_ROWS = 20_000_000
_SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
}


@dataclass(frozen=True, slots=True)
class FlatTable:
    """A table under its name in the request; `columns` are those that policy leaves.

    Those whose digits policy blocks are text, whatever they are stored as, and `digits` of a column
    are the kinds that are blocked.
    """

    name: str
    source: PreparedSource
    stored: StoredTable
    columns: tuple[StoredColumn, ...]
    hidden: tuple[str, ...]

    @property
    def stored_types(self) -> dict[str, str]:
        """The types that columns are stored in, by their names."""
        return {column.name: column.type for column in self.stored.columns}

    @property
    def known(self) -> KnownTable:
        """What the guard needs to know of it."""
        return KnownTable(self.name, tuple(column.name for column in self.columns), self.hidden)


class Workspace:
    """The locked database of one set of sources under one policy; safe to share by threads."""

    def __init__(
        self,
        sources: Sequence[PreparedSource],
        policy: Policy,
        *,
        memory_limit: str,
        parallel: bool | None = None,
    ) -> None:
        import duckdb

        self.tables = flat_tables(sources, policy)
        self.policy = policy
        self.parallel = is_large(sources) if parallel is None else parallel
        config: dict[str, str | bool | int | float | list[str]]
        config = {**_SETTINGS, "memory_limit": memory_limit}
        if not self.parallel:
            config["threads"] = "1"
        self._connection = duckdb.connect(":memory:", config=config)
        try:
            self._attach(sources)
            if policy.blocked_patterns:
                self._add_masking(Masking(sources, policy))
            self._create_views()
            self._allow_files()
            self._connection.execute("SET enable_external_access = false")
            self._connection.execute("SET lock_configuration = true")
        except BaseException:
            self._connection.close()
            raise

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection of one's own, inside a read-only transaction."""
        cursor = self._connection.cursor()
        try:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            yield cursor
        finally:
            cursor.close()

    def table(self, name: str) -> FlatTable | None:
        """The table of that name, case ignored."""
        return next((t for t in self.tables if t.name.casefold() == name.casefold()), None)

    def _attach(self, sources: Sequence[PreparedSource]) -> None:
        for alias, source in _aliases(sources).values():
            if live(source) is not None:
                continue
            self._connection.execute(
                f"ATTACH {literal(str(source.database))} AS {alias} (READ_ONLY)"
            )

    def _allow_files(self) -> None:
        """The files of these tables stay readable when all others no longer are."""
        files = [file for table in self.tables if (file := table.source.file(table.stored))]
        paths = ", ".join(literal(str(file)) for file in files)
        self._connection.execute(f"SET allowed_paths = [{paths}]")

    def _create_views(self) -> None:
        import duckdb

        aliases = _aliases([table.source for table in self.tables])
        for table in self.tables:
            if live(table.source) is not None:
                continue
            alias, _ = aliases[table.source.digest]
            stored = table.stored_types
            columns = ", ".join(
                f"{self._cell(column, stored[column.name])} AS {quoted(column.name)}"
                for column in table.columns
            )
            try:
                self._connection.execute(
                    f"CREATE VIEW {quoted(table.name)} AS SELECT {columns} "
                    f"FROM {_relation(table, alias)}"
                )
            except duckdb.InvalidInputException as error:
                raise _bad_expression(error) from None

    def _add_masking(self, masking: Masking) -> None:
        """The functions that the views replace texts with; no statement can name them."""
        from duckdb.func import PythonUDFType
        from duckdb.sqltypes import VARCHAR

        functions: dict[str, Callable[..., Any]] = {
            _SUSPECTED: masking.suspected_column,
            _BLOCKED: masking.blocked_column,
            **{
                _digits(column.digits): partial(masking.digits_column, column.digits)
                for table in self.tables
                for column in table.columns
                if column.digits
            },
        }
        for name, function in functions.items():
            self._connection.create_function(
                name, function, [VARCHAR], VARCHAR, type=PythonUDFType.ARROW
            )

    def _cell(self, column: StoredColumn, stored_type: str) -> str:
        if not column.read:
            return unread_cell(column.name, stored_type)
        name = quoted(column.name)
        if column.digits:
            text = name if stored_type == "VARCHAR" else number_as_text(name, stored_type)
            return f"{_digits(column.digits)}({text})"
        if column.type != "VARCHAR" or not self.policy.blocked_patterns:
            return name
        suspect = literal(self.policy.suspect)
        masked = (
            f"WHEN regexp_matches({name}, {suspect}, 'i') THEN {_SUSPECTED}({name}) ELSE {name} END"
        )
        own = " OR ".join(
            f"regexp_matches({name}, {literal(expression)}, 'i')"
            for expression in self.policy.own_expressions
        )
        return f"CASE WHEN {own} THEN {_BLOCKED}({name}) {masked}" if own else f"CASE {masked}"


class WorkspacePool:
    """Keeps the workspaces used last, because opening one costs ten milliseconds."""

    def __init__(self, *, memory_limit: str = "4GB", size: int = 8) -> None:
        self._memory_limit = memory_limit
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, ...], Workspace] = OrderedDict()

    def get(
        self, sources: Sequence[PreparedSource], policy: Policy, parallel: bool | None = None
    ) -> Workspace:
        """The workspace of these sources under this policy, opened if need be.

        `parallel` says whether several threads compute; None leaves it to the number of rows.
        Raises AssayError(INVALID_ARGUMENT) for a pattern the database cannot evaluate.
        """
        parallel = is_large(sources) if parallel is None else parallel
        key = (policy.key, str(parallel), *(source.digest for source in sources))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            workspace = Workspace(
                sources, policy, memory_limit=self._memory_limit, parallel=parallel
            )
            self._kept[key] = workspace
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
            return workspace


def is_large(sources: Sequence[PreparedSource]) -> bool:
    """Whether one thread would take too long, whatever that does to the last digits of sums."""
    return sum(source.rows for source in sources) > SINGLE_THREAD_ROWS


def flat_tables(sources: Sequence[PreparedSource], policy: Policy) -> tuple[FlatTable, ...]:
    """All tables of all sources in one namespace; later ones of the same name get `_2`, `_3`.

    A table or a hidden column whose name is personal data has none that could be told.
    """
    taken: set[str] = set()
    result: list[FlatTable] = []
    for source in {source.digest: source for source in sources}.values():
        for stored in source.tables:
            plain = _HIDDEN_NAME if policy.is_personal(stored.name) else stored.name
            name, number = plain, 2
            while name.casefold() in taken:
                name, number = f"{plain}_{number}", number + 1
            taken.add(name.casefold())
            allowed = [
                _within(column, stored, policy)
                for column in stored.columns
                if policy.column_allowed(name, column.name)
            ]
            kept = {c.name for c in allowed}
            hidden = tuple(policy.masked(c.name) for c in stored.columns if c.name not in kept)
            if allowed:
                result.append(FlatTable(name, source, stored, tuple(allowed), hidden))
    return tuple(result)


def _digits(kinds: Sequence[str]) -> str:
    """The function that replaces cells of a column whose digits are of these kinds."""
    return "_".join(("assay_digits", *kinds))


def _within(column: StoredColumn, table: StoredTable, policy: Policy) -> StoredColumn:
    """The column as a request under this policy has it."""
    known = table.statistics.get(column.name)
    examples = (known.minimum, known.maximum, *known.samples) if known else ()
    blocked = policy.blocked_digits(column.digits, examples if is_number(column.type) else ())
    if not (blocked or column.digits):
        return column
    kind = "VARCHAR" if blocked else column.type
    return column.model_copy(update={"type": kind, "digits": blocked})


def _relation(table: FlatTable, alias: str) -> str:
    file = table.source.file(table.stored)
    if file is None:
        return f"{alias}.main.{quoted(table.stored.name)}"
    return f"read_parquet({literal(str(file))})"


def _aliases(sources: Sequence[PreparedSource]) -> dict[str, tuple[str, PreparedSource]]:
    unique = {source.digest: source for source in sources}
    return {d: (f"_source_{position}", s) for position, (d, s) in enumerate(unique.items())}


def _bad_expression(error: duckdb.Error) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"a blocked pattern cannot be used: {str(error).splitlines()[0]}.",
        hint="Patterns are RE2 expressions: no look-around and no back references.",
        fields={"policy.blocked_patterns": "not an RE2 expression"},
    )
