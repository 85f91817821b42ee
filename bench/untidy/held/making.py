"""How inputs are written, and by which words their matters are named."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.unit.executor.workbook_help import Cell, rows_xml, workbook

HEADS = r"(?i)heading|names|header|first line|note|above"
NONE = r"(?i)total|subtotal|add up|heading|blank|left out|footnote|notes?\b|mean|titles?\b"
NOTHING = r"(?i)missing|stands? for|placeholder|no value|nothing"
NUMBERS = r"(?i)decimal|thousand|currenc|unit|percent|per cent|number|text"
TIME = r"(?i)day or|month first|d/m|century|two digits|zone|utc|text|duration|week"
PARTS = r"(?i)one table|same columns|not the same|differ|tables?\b|nested|list|add"
KEYS = r"(?i)spelling|key|match|without|joins?|do not fit|lost|left out"
BROKEN = r"(?i)kept aside|not fit|quote|encod|cut|incomplete|broken|characters"


def text(rows: Iterable[str], end: str = "\n", encoding: str = "utf-8") -> bytes:
    """Lines."""
    return "".join(f"{row}{end}" for row in rows).encode(encoding)


def book(sheets: Mapping[str, Sequence[Sequence[Cell]]], merged: Sequence[str] = ()) -> bytes:
    """A workbook of sheets given as rows."""
    return workbook({name: rows_xml(rows) for name, rows in sheets.items()}, merged=merged)


def parquet(columns: Mapping[str, Sequence[Any]]) -> bytes:
    """A Parquet file of columns by name."""
    import pyarrow as pa
    from pyarrow import parquet as files

    target = io.BytesIO()
    files.write_table(pa.table(dict(columns)), target)
    return target.getvalue()
