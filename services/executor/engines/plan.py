"""A statement that was checked and bound, ready to be run by an engine or translated for one.

Binding happens in the twin: an in-memory DuckDB with the tables of the request and no rows. It
gives the names and types of the result exactly as DuckDB would, and DuckDB's own errors, so that
every engine answers a wrong statement with the same words.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from mesh.policy import Policy
from mesh.tool import ToolError
from services.executor.engines.arrow_types import friendly
from services.executor.engines.binding import bound
from services.executor.engines.dialect import TRANSLATED, Faithful
from services.executor.engines.duckdb.errors import as_tool_error
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.guard import guard
from services.executor.engines.masked_statement import statement_within
from services.executor.engines.typed_tree import typed
from services.executor.engines.workspace import FlatTable, flat_tables
from services.executor.sources.prepared import PreparedSource
from services.executor.sources.sql import quoted

log = logging.getLogger(__name__)
_KEPT = 16


@dataclass(frozen=True)
class Plan:
    """A checked statement.

    `text` is the guarded query in DuckDB's dialect with its parameters as literals, in a fixed
    order, cut one row above the row limit. `used` are the tables it reads. `types` are DuckDB's
    names of the result's types, `schema` the result's schema after `arrow_types.friendly`.
    """

    text: str
    tables: tuple[FlatTable, ...]
    used: tuple[FlatTable, ...]
    types: tuple[str, ...]
    schema: pa.Schema

    def tree(self) -> exp.Query:
        """The query as sqlglot understands it, for translating. Raises NotExpressible."""
        try:
            tree = sqlglot.parse_one(self.text, dialect=TRANSLATED)
        except (SqlglotError, RecursionError):
            raise NotExpressible("a statement of this form") from None
        if not isinstance(tree, exp.Query):
            raise NotExpressible("a statement of this form")
        return tree

    def columns_read(self) -> frozenset[str]:
        """The names, in lower case, of all columns it reads. Raises NotExpressible."""
        with translating():
            spelled_out = typed(self.tree(), self.tables)
            return frozenset(column.name.casefold() for column in spelled_out.find_all(exp.Column))


@contextmanager
def translating() -> Iterator[None]:
    """Whatever sqlglot fails with while it translates is NotExpressible: DuckDB computes instead.

    Its checks of its own trees raise AssertionError, KeyError and others besides SqlglotError.
    """
    try:
        yield
    except (NotExpressible, ToolError):
        raise
    except Exception as error:
        log.info("A statement cannot be translated: %s", type(error).__name__)
        raise NotExpressible("a statement of this form") from None


class Twins:
    """Empty databases with the tables of requests, one for each set of tables."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Any, ...], duckdb.DuckDBPyConnection] = OrderedDict()

    def cursor(self, tables: Sequence[FlatTable]) -> duckdb.DuckDBPyConnection:
        """A connection to the empty database of these tables."""
        key = tuple((t.name, tuple((c.name, c.type) for c in t.columns)) for t in tables)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = _twin(tables)
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key].cursor()


def planned(
    sources: Sequence[PreparedSource],
    sql: str,
    parameters: Sequence[Any],
    *,
    policy: Policy,
    row_limit: int,
    twins: Twins,
) -> Plan:
    """The statement, guarded and bound. Raises ToolError as `Engine` says."""
    sql, parameters = statement_within(sql, parameters, policy)
    tables = flat_tables(sources, policy)
    known = [table.known for table in tables]
    statement = bound(guard(sql, known, row_limit), parameters)
    tree = sqlglot.parse_one(statement, dialect=Faithful)
    names = {node.name.casefold() for node in tree.find_all(exp.Table)}
    used = tuple(table for table in tables if table.name.casefold() in names)
    cursor = twins.cursor(tables)
    try:
        described = cursor.execute(f"DESCRIBE {statement}").fetchall()
        # Not the statement itself: an endless one would not end here either.
        nothing = ", ".join(f"NULL::{row[1]}" for row in described if str(row[1]) != '"NULL"')
        empty = cursor.execute(f"SELECT {nothing or 1} LIMIT 0").to_arrow_table()
    except duckdb.Error as error:
        raise as_tool_error(error, statement, [table.known for table in used] or known) from None
    finally:
        cursor.close()
    kinds = iter(empty.schema.types)
    fields = [
        (str(row[0]), pa.null() if str(row[1]) == '"NULL"' else next(kinds)) for row in described
    ]
    arrays = [pa.array([], kind) for _, kind in fields]
    table = pa.Table.from_arrays(arrays, names=[name for name, _ in fields])
    return Plan(
        statement, tables, used, tuple(str(row[1]) for row in described), friendly(table).schema
    )


def _twin(tables: Sequence[FlatTable]) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",
        "memory_limit": "256MB",
        "temp_directory": "",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",
    }
    connection = duckdb.connect(":memory:", config=config)
    for table in tables:
        columns = ", ".join(f"{quoted(column.name)} {column.type}" for column in table.columns)
        connection.execute(f"CREATE TABLE {quoted(table.name)} ({columns})")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection
