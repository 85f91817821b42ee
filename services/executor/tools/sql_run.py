"""The tool `sql.run`: one read-only query over the sources of the request."""

from __future__ import annotations

import json
from datetime import date, datetime

import pyarrow as pa
from pydantic import Field

from mesh.tool import ErrorCategory, ToolArguments, ToolContext, ToolError, ToolResult, tool

_NOTES_KEY, _ENGINE_KEY = b"assay.notes", b"assay.engine"


class SqlRunArguments(ToolArguments):
    """One SELECT in DuckDB's dialect; `?` in it stands for the next of `params`."""

    query: str = Field(min_length=1, max_length=50_000, description="one SELECT (DuckDB dialect)")
    params: list[str | int | float | bool | date | datetime | None] = Field(
        default_factory=list, max_length=1_000, description="values for the question marks"
    )
    timeout: int | None = Field(default=None, ge=1, le=180, description="seconds")
    row_limit: int | None = Field(default=None, ge=1, le=200_000, description="most rows")


@tool("sql.run", SqlRunArguments)
def sql_run(arguments: SqlRunArguments, context: ToolContext) -> ToolResult:
    """Run one SELECT over the tables of the request and return its rows.

    Tables are named as the catalogue names them, without a schema. Rows come in a fixed order: as
    ORDER BY says with ties broken by the other columns, in the source's order for a plain scan of
    one table, ordered by all columns otherwise. More rows than the limit are an error, not a cut.
    """
    seconds = context.seconds_left
    if arguments.timeout is not None:
        seconds = min(seconds, arguments.timeout)
    if seconds <= 0:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            "no time is left for the query.",
            details={"limit": 0, "unit": "seconds"},
        )
    row_limit = min(context.row_limit, arguments.row_limit or context.row_limit)
    context.progress("querying")
    table = context.query(arguments.query, list(arguments.params), row_limit, seconds)
    frame, notes = _without_notes(table)
    rows, columns = frame.num_rows, frame.num_columns
    summary = (
        f"{rows:,} {'row' if rows == 1 else 'rows'}, "
        f"{columns:,} {'column' if columns == 1 else 'columns'}{_where(table)}"
    )
    return ToolResult(frame=frame, summary=summary, notes=notes)


def _without_notes(table: pa.Table) -> tuple[pa.Table, tuple[str, ...]]:
    metadata = table.schema.metadata or {}
    notes = json.loads(metadata[_NOTES_KEY]) if _NOTES_KEY in metadata else []
    return table.replace_schema_metadata(None), tuple(notes)


def _where(table: pa.Table) -> str:
    """Which engine ran the query, where it is not the embedded one."""
    engine = (table.schema.metadata or {}).get(_ENGINE_KEY, b"duckdb").decode()
    return "" if engine == "duckdb" else f" ({engine})"
