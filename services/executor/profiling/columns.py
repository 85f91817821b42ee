"""Statistics of one column."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from services.executor.profiling.cells import Cells
from services.executor.profiling.numbers import Numbers, describe_numbers

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_NUMERIC_TEXT = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"


@dataclass(frozen=True, slots=True)
class Profiled:
    """What later statistics need of a column: `numbers` is None where it is not numeric."""

    name: str
    distinct: int
    numbers: Numbers | None


def profile_column(name: str, column: pa.ChunkedArray, top: int, cells: Cells) -> Profiled:
    """Add all statistics of a column."""
    values = plain_values(column)
    cells.text(name, "type", str(column.type))
    cells.number(name, "rows", len(values))
    cells.number(name, "nulls", values.null_count)
    counted = _value_counts(values)
    distinct = len(counted.counts)
    cells.number(name, "distinct", distinct)
    if is_constant(distinct, values.null_count, len(values)):
        cells.number(name, "constant", 1.0, _shown(counted.values[0]))
    numbers = None
    if is_numeric(values.type):
        numbers = Numbers.of(values)
        describe_numbers(name, values, numbers, cells)
    elif pa.types.is_date(values.type) or pa.types.is_timestamp(values.type):
        _describe_times(name, values, cells)
    elif pa.types.is_string(values.type):
        _describe_texts(name, values, cells)
    _describe_top(name, counted, top, cells)
    return Profiled(name, distinct, numbers)


def is_numeric(kind: pa.DataType) -> bool:
    """Whether values of the type can be averaged; booleans are categories here."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def is_constant(distinct: int, nulls: int, rows: int) -> bool:
    """Whether a column holds one and the same value in every row."""
    return distinct == 1 and nulls == 0 and rows > 0


def plain_values(column: pa.ChunkedArray) -> pa.Array:
    """One array of a type that can be counted; nested and binary values as their text."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return plain_values(column.cast(kind.value_type))
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        column = column.cast(pa.string())
    elif pa.types.is_float16(kind):
        column = column.cast(pa.float32())
    elif not (pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or _is_text_or_null(kind)):
        texts = [None if value is None else str(value) for value in column.to_pylist()]
        return pa.array(texts, pa.string())
    if not column.num_chunks:
        return pa.array([], column.type)
    return pa.concat_arrays(column.chunks)


def _is_text_or_null(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_null(kind))


@dataclass(frozen=True, slots=True)
class _Counted:
    """Distinct non-null values, in order of appearance, with how often each occurs."""

    values: pa.Array
    counts: np.ndarray[Any, Any]


def _value_counts(values: pa.Array) -> _Counted:
    if pa.types.is_null(values.type) or not len(values):
        return _Counted(values.slice(0, 0), np.zeros(0, np.int64))
    found = pc.value_counts(values.drop_null())
    return _Counted(found.field("values"), found.field("counts").to_numpy())


def _describe_top(name: str, counted: _Counted, top: int, cells: Cells) -> None:
    """The most frequent values; of equally frequent ones, the smallest."""
    if not len(counted.counts) or top < 1:
        return
    cutoff = np.sort(counted.counts)[::-1][:top][-1]
    kept = counted.counts >= cutoff
    table = pa.table({"count": counted.counts[kept], "value": counted.values.filter(kept)})
    keys = [("count", "descending"), ("value", "ascending")]
    first = table.take(pc.sort_indices(table, sort_keys=keys).slice(0, top))
    for rank, (count, value) in enumerate(zip(*first.columns, strict=True), start=1):
        cells.number(name, f"top_{rank}", count.as_py(), _shown(value))


def _describe_texts(name: str, values: pa.Array, cells: Cells) -> None:
    present = values.drop_null()
    if not len(present):
        return
    lengths = pc.utf8_length(present).to_numpy()
    cells.number(name, "min_length", int(lengths.min()))
    cells.number(name, "max_length", int(lengths.max()))
    cells.number(name, "empty", int((lengths == 0).sum()))
    numeric = int(pc.sum(pc.match_substring_regex(present, _NUMERIC_TEXT)).as_py())
    cells.number(name, "numeric_texts", numeric)


def _describe_times(name: str, values: pa.Array, cells: Cells) -> None:
    present = values.drop_null()
    if not len(present):
        return
    extremes = pc.min_max(present)
    cells.text(name, "min", _shown(extremes["min"]))
    cells.text(name, "max", _shown(extremes["max"]))
    days = np.unique(_days(present))
    span = int(days[-1] - days[0]) + 1
    cells.number(name, "span_days", span)
    cells.number(name, "missing_days", span - len(days))
    steps = np.diff(days)
    if len(steps):
        widest = int(steps.argmax())
        cells.number(name, "longest_gap_days", int(steps[widest]) - 1, _gap(days, widest))


def _days(times: pa.Array) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Days since 1970, in UTC. Not by a cast to date32, which wraps around far from today."""
    if pa.types.is_date32(times.type):
        return np.asarray(times.view(pa.int32()).to_numpy(), dtype=np.int64)
    per_day = 86_400 * _PER_SECOND["ms" if pa.types.is_date64(times.type) else times.type.unit]
    days: np.ndarray[Any, np.dtype[np.int64]] = times.view(pa.int64()).to_numpy() // per_day
    return days


def _gap(days: np.ndarray[Any, Any], place: int) -> str:
    first, last = (_day(int(days[place + end])) for end in (0, 1))
    return f"between {first} and {last}"


def _day(number: int) -> str:
    return str(np.datetime64(number, "D"))


def _shown(value: pa.Scalar) -> str:
    try:
        plain = value.as_py()
    except (ValueError, OverflowError):  # a year that Python's own types cannot hold
        return str(np.datetime64(value.value, getattr(value.type, "unit", "D")))
    if isinstance(plain, datetime.date | datetime.time):
        return plain.isoformat()
    return str(plain)
