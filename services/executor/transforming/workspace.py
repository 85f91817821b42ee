"""Where one call's steps run: a DuckDB connection, its temporary tables and the notes so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.transforming.database import connect
from services.executor.transforming.failure import tool_error
from services.executor.transforming.relation import Column, Relation, distinct_names, listed, quoted
from services.executor.transforming.watch import Watch

Parameters = Mapping[str, Any]

_BIGINT = "BETWEEN -9223372036854775808 AND 9223372036854775807"


@contextmanager
def workspace(context: ToolContext) -> Iterator[Workspace]:
    """A workspace that is gone, with all its tables, when the block ends.

    DuckDB's failures inside the block become ToolErrors.
    """
    import duckdb

    watch = Watch(context)
    watch.check()
    connection = connect()
    try:
        with watch.over(connection):
            yield Workspace(connection, context, watch)
    except duckdb.InterruptException as error:
        watch.check()
        raise ToolError(ErrorCategory.CANCELLED, "the call was interrupted") from error
    except duckdb.Error as error:
        raise tool_error(error) from error
    finally:
        connection.close()


class Workspace:
    """Runs statements made by the operations; no text of a person reaches SQL unquoted."""

    def __init__(self, connection: Any, context: ToolContext, watch: Watch) -> None:
        self._connection = connection
        self._context = context
        self._watch = watch
        self._tables = 0
        self.notes: list[str] = []

    def load(self, task: str) -> Relation:
        """The frame of an earlier step. Raises ToolError INVALID_ARGUMENTS for an unknown one."""
        inputs = self._context.inputs
        if task not in inputs:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f"there is no frame of a step {task!r}",
                hint=f"There are: {', '.join(sorted(inputs)) or 'none'}.",
                details={"input": task, "inputs": sorted(inputs)},
            )
        table = self._with_distinct_names(task, inputs[task])
        if not table.num_columns:
            raise ToolError(ErrorCategory.INVALID_ARGUMENTS, f"the frame {task!r} has no columns")
        return self.registered(table)

    def registered(self, table: pa.Table) -> Relation:
        """An Arrow table, whose names must be distinct, as a relation."""
        name = self._next_name()
        self._connection.register(name, _readable(table))
        return self.described(quoted(name))

    def table(self, query: str, parameters: Parameters | None = None) -> Relation:
        """Run a query and keep its rows, in their order, as a temporary table."""
        self._watch.check()
        name = quoted(self._next_name())
        self._connection.execute(f"CREATE TEMP TABLE {name} AS {query}", dict(parameters or {}))
        return self.described(name)

    def rows(self, query: str, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """All rows of a small query."""
        self._watch.check()
        found = self._connection.execute(query, dict(parameters or {})).fetchall()
        return [tuple(row) for row in found]

    def count(self, relation: Relation, where: str = "TRUE") -> int:
        """How many rows satisfy a condition."""
        return int(self.rows(f"SELECT count(*) FROM {relation.sql} WHERE {where}")[0][0])

    def described(self, sql: str) -> Relation:
        """The relation of that quoted name, with column names and types."""
        self._connection.execute(f"SELECT * FROM {sql} LIMIT 0")
        columns = tuple(Column(entry[0], str(entry[1])) for entry in self._connection.description)
        return Relation(sql, columns)

    def fetch(self, relation: Relation) -> pa.Table:
        """The relation as an Arrow table.

        128-bit integers become 64-bit where all fit, else floats, with a note. Raises ToolError
        RESOURCE_EXHAUSTED above the row limit.
        """
        limit = self._context.row_limit
        seen = self.count(relation)
        if seen > limit:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                f"the result has {seen:,} rows, more than the limit of {limit:,}",
                hint="Filter, aggregate or limit it, or raise the row limit.",
                details={"limit": limit, "seen": seen, "unit": "rows"},
            )
        wanted = listed(self._plain_column(relation, column) for column in relation.columns)
        table = self._connection.execute(f"SELECT {wanted} FROM {relation.sql}").to_arrow_table()
        return table.combine_chunks()

    def check_size(self, rows: int, what: str) -> None:
        """Refuse what would make more rows than the limit, before making them."""
        limit = self._context.row_limit
        if rows > limit:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                f"{what} would make {rows:,} rows, more than the limit of {limit:,}",
                hint="Choose a coarser grain, fewer groups, or raise the row limit.",
                details={"limit": limit, "seen": rows, "unit": "rows"},
            )

    def _plain_column(self, relation: Relation, column: Column) -> str:
        if column.type not in ("HUGEINT", "UHUGEINT"):
            return column.sql
        fits = self.rows(f"SELECT bool_and({column.sql} {_BIGINT}) FROM {relation.sql}")[0][0]
        if fits is False:
            self.notes.append(
                f"{column.name}: values beyond 64-bit integers are given as floats, about 16 digits"
            )
        return f"CAST({column.sql} AS {'DOUBLE' if fits is False else 'BIGINT'}) AS {column.sql}"

    def _with_distinct_names(self, task: str, table: pa.Table) -> pa.Table:
        names = distinct_names(table.column_names)
        for old, new in zip(table.column_names, names, strict=True):
            if old != new:
                self.notes.append(f"{task}: the column {old!r} that repeats is called {new!r}")
        return table.rename_columns(names)

    def _next_name(self) -> str:
        self._tables += 1
        return f"step_{self._tables}"


def _readable(table: pa.Table) -> pa.Table:
    """Arrow types that DuckDB lacks, in the nearest that it has; a null type becomes text."""
    for position, field in enumerate(table.schema):
        wanted = _nearest(field.type)
        if wanted is not None:
            column = table.column(position).cast(wanted)
            table = table.set_column(position, field.name, column)
    return table


def _nearest(kind: pa.DataType) -> pa.DataType | None:
    if pa.types.is_float16(kind):
        return pa.float32()
    if pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_decimal256(kind):
        return pa.decimal128(38, kind.scale) if kind.scale <= 38 else pa.float64()
    return None
