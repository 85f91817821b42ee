"""Rows of text, as the server sends them, as Arrow."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

_BITS = {"0": False, "1": True}


def batches_of(rows: Sequence[Sequence[object]], schema: pa.Schema) -> pa.RecordBatch:
    """The rows in the types of the schema. Raises pyarrow.ArrowInvalid for what is none of them."""
    columns = [
        _column(values, field.type)
        for values, field in zip(zip(*rows, strict=True), schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(values: Sequence[object], kind: pa.DataType) -> pa.Array:
    if pa.types.is_null(kind):
        return pa.nulls(len(values))
    texts = pa.array(values, pa.string())
    if pa.types.is_string(kind):
        return texts
    if pa.types.is_date(kind):
        texts = pc.utf8_slice_codeunits(texts, 0, 10)  # a moment at midnight is a day
    if pa.types.is_floating(kind):
        return texts.cast(pa.float64())
    if pa.types.is_integer(kind):
        # Whole numbers that the server computed as decimals have nothing but zeros behind a point.
        texts = pc.replace_substring_regex(texts, r"\.0+$", "")
    return texts.cast(kind)
