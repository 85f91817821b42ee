"""The tool `table.write`: a frame as a CSV file for people."""

from __future__ import annotations

import io
import re

import pyarrow as pa
from pydantic import Field

from mesh.tool import (
    ErrorCategory,
    ToolArguments,
    ToolContext,
    ToolError,
    ToolFile,
    ToolResult,
    tool,
)

# Spreadsheets run cells that begin like this (OWASP, "CSV Injection").
_FORMULA = r"^[=+\-@\t\r]"


class TableWriteArguments(ToolArguments):
    """Which frame, and the file's name."""

    input: str | None = Field(
        default=None, description="task id of the frame; the only one if unset"
    )
    file_name: str = Field(default="result.csv", max_length=120)


@tool("table.write", TableWriteArguments)
def table_write(arguments: TableWriteArguments, context: ToolContext) -> ToolResult:
    """Write a frame as CSV: UTF-8, header row, ISO dates, empty for null.

    Text cells and column names that a spreadsheet would run as a formula get an apostrophe before
    them; the frame itself is unchanged. How many there were is noted.
    """
    name = arguments.input or next(iter(context.inputs), "")
    if name not in context.inputs:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS, f"there is no frame {name!r} to write", hint="name one"
        )
    frame, neutralised = _neutral(context.inputs[name])
    from pyarrow import csv

    out = io.BytesIO()
    csv.write_csv(frame, out)
    notes = (
        (f"{neutralised:,} cells were written with a leading apostrophe in the CSV file.",)
        if neutralised
        else ()
    )
    file = ToolFile(
        name=arguments.file_name,
        kind="table",
        media_type="text/csv",
        content=out.getvalue(),
        metadata={"row_count": frame.num_rows, "column_names": frame.column_names},
    )
    return ToolResult(
        files=(file,),
        summary=f"{frame.num_rows:,} {'row' if frame.num_rows == 1 else 'rows'}",
        notes=notes,
    )


def _neutral(frame: pa.Table) -> tuple[pa.Table, int]:
    """The frame with dangerous text cells made harmless, and how many there were."""
    import pyarrow.compute as pc

    total = 0
    for index, field in enumerate(frame.schema):
        column = frame.column(index)
        if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            texts = pa.array(
                [None if v is None else str(v) for v in column.to_pylist()], pa.string()
            )
            frame = frame.set_column(index, field.name, texts)
        elif pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            risky = pc.match_substring_regex(column, _FORMULA)
            count = pc.sum(risky).as_py() or 0
            if count:
                total += count
                safe = pc.if_else(risky, pc.binary_join_element_wise("'", column, ""), column)
                frame = frame.set_column(index, field.name, safe)
    names = [f"'{name}" if re.match(_FORMULA, name) else name for name in frame.column_names]
    total += sum(map(str.__ne__, names, frame.column_names))
    return frame.rename_columns(names), total
