"""What an MCP tool answered, as a frame: rows where it is a table, else its words."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mesh.errors import TOOL_CALL_FAILED, AssayError
from mesh.tool import ErrorCategory, ToolError

if TYPE_CHECKING:
    from mcp.types import CallToolResult

_MOST_COLUMNS = 1_000
_LONGEST_NAME = 200
_LONGEST_FAILURE = 500
_INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_HOLDERS = ("rows", "result", "results", "data", "items", "records")
"""Under these names answers hold their rows; `result` is the SDK's own for lists."""

TEXT = "text"


def frame_of(answer: CallToolResult, row_limit: int) -> tuple[pa.Table, bool]:
    """The answer as a frame, and whether it is a table: structured content, JSON rows or CSV.

    Words become one row a piece, in the column `text`. Raises AssayError(TOOL_CALL_FAILED) for a
    failure that the tool tells of, ToolError(RESOURCE_EXHAUSTED) for too many rows or columns.
    """
    texts = [block.text for block in answer.content if block.type == "text"]
    if answer.is_error:
        sentence = " ".join(" ".join(texts).split())[:_LONGEST_FAILURE]
        raise AssayError(TOOL_CALL_FAILED, f"the tool failed: {sentence or 'it does not say why'}")
    rows = _rows(answer.structured_content)
    if rows is None and len(texts) == 1:
        rows = _rows(_json(texts[0])) or _csv(texts[0])
    if rows is None and len(texts) > 1:
        each = [_json(text) for text in texts]
        rows = _rows(each) if all(isinstance(one, Mapping) for one in each) else None
    if rows is None:
        skipped = len(answer.content) - len(texts)
        words = [text for text in texts if text.strip()]
        if not words:
            kind = f"{skipped} pieces that are no text" if skipped else "nothing"
            raise AssayError(TOOL_CALL_FAILED, f"the tool gave {kind}.")
        return _limited(pa.table({TEXT: pa.array(words, pa.string())}), row_limit), False
    return _limited(_table(rows), row_limit), True


def _limited(frame: pa.Table, row_limit: int) -> pa.Table:
    if frame.num_rows > row_limit:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the answer has {frame.num_rows:,} rows, more than the limit of {row_limit:,}",
            hint="Ask for fewer rows.",
            details={"limit": row_limit, "seen": frame.num_rows, "unit": "rows"},
        )
    return frame


def _rows(value: Any) -> list[dict[str, Any]] | None:
    """JSON as rows: a list of objects, {columns, rows}, either inside one object; a flat object."""
    if isinstance(value, list):
        if value and all(isinstance(row, Mapping) and row for row in value):
            return [dict(row) for row in value]
        return None
    if not isinstance(value, Mapping) or not value:
        return None
    columns, cells = value.get("columns"), value.get("rows")
    if isinstance(columns, list) and isinstance(cells, list) and _fits(columns, cells):
        names = [str(column) for column in columns]
        return [dict(zip(names, row, strict=True)) for row in cells]
    for holder in _HOLDERS:
        held = value.get(holder)
        if isinstance(held, (list, Mapping)) and (rows := _rows(held)) is not None:
            return rows
    lists = [held for held in value.values() if isinstance(held, list)]
    if len(lists) == 1 and (rows := _rows(lists[0])) is not None:
        return rows
    if set(value) <= {"result"}:  # words that the SDK has wrapped, or a single number
        return None if isinstance(value["result"], str) else [dict(value)]
    scalar = all(not isinstance(held, (list, Mapping)) for held in value.values())
    return [dict(value)] if scalar else None


def _fits(columns: Sequence[Any], cells: Sequence[Any]) -> bool:
    return (
        bool(cells)
        and len(set(map(str, columns))) == len(columns)
        and all(isinstance(row, list) and len(row) == len(columns) for row in cells)
    )


def _json(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _csv(text: str) -> list[dict[str, Any]] | None:
    """CSV with a header of two columns or more and rows that all have as many cells."""
    lines = text.strip().splitlines()
    if len(lines) < 2 or lines[0].lstrip()[:1] in ("{", "["):
        return None
    for separator in (",", "\t", ";"):
        try:
            found = list(csv.reader(io.StringIO(text.strip()), delimiter=separator, strict=True))
        except csv.Error:
            continue
        header, rows = found[0], found[1:]
        if (
            len(header) > 1
            and len(set(header)) == len(header)
            and all(name.strip() and len(name) <= _LONGEST_NAME for name in header)
            # Sentences with a comma each are no table: names of columns are short, and end in none.
            and all(len(name.split()) <= 6 and name[-1] not in ".!?" for name in header)
            and rows
            and all(len(row) == len(header) for row in rows)
        ):
            return _read(header, rows)
    return None


def _read(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Cells of a column are numbers where all of them are, and null where they are empty."""
    columns: list[list[Any]] = []
    for cells in zip(*rows, strict=True):
        given = [cell.strip() for cell in cells if cell.strip()]
        read: Any = str
        if given and all(_INTEGER.fullmatch(cell) for cell in given):
            read = int
        elif given and all(_NUMBER.fullmatch(cell) for cell in given):
            read = float
        columns.append([read(cell.strip()) if cell.strip() else None for cell in cells])
    names = [name.strip() for name in header]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    names = list(dict.fromkeys(str(name)[:_LONGEST_NAME] for row in rows for name in row))
    if len(names) > _MOST_COLUMNS:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the answer has {len(names):,} columns, more than {_MOST_COLUMNS:,}",
            details={"limit": _MOST_COLUMNS, "seen": len(names), "unit": "columns"},
        )
    short = [{str(name)[:_LONGEST_NAME]: value for name, value in row.items()} for row in rows]
    return pa.table({name: _column([row.get(name) for row in short]) for name in names})


def _column(values: Sequence[Any]) -> pa.Array:
    """One type for all: numbers, truth values or text; what is nested is told as JSON."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds == {int} and all(v is None or -(2**63) <= v < 2**63 for v in values):
        return pa.array(values, pa.int64())
    if kinds and kinds <= {int, float} and all(v is None or abs(v) <= 2**53 for v in values):
        finite = [None if v is None or not math.isfinite(v) else float(v) for v in values]
        return pa.array(finite, pa.float64())
    if kinds == {float}:
        finite = [None if v is None or not math.isfinite(v) else v for v in values]
        return pa.array(finite, pa.float64())
    return pa.array([None if v is None else _text(v) for v in values], pa.string())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
