"""What the code left in `result`, as an Arrow table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa


class UnusableResult(Exception):
    """`result` is nothing that can be made a table."""


def table_of(result: Any) -> tuple[pa.Table, list[str]]:
    """The result as a table, and what a person should know about how it became one.

    Raises UnusableResult.
    """
    if isinstance(result, pa.RecordBatch):
        result = pa.Table.from_batches([result])
    if isinstance(result, pa.Table):
        return result, []
    return _of_frame(_frame(result))


def _frame(result: Any) -> pd.DataFrame:
    if isinstance(result, pd.DataFrame):
        return _with_index(result)
    if isinstance(result, pd.Series):
        name = "value" if result.name is None else result.name
        return _with_index(result.to_frame(name))
    if isinstance(result, Mapping):
        return _of_mapping(result)
    if isinstance(result, np.ndarray) and result.ndim in (1, 2):
        columns = ["value"] if result.ndim == 1 else None
        return pd.DataFrame(result, columns=columns)
    if isinstance(result, (list, tuple)) and result:
        if all(isinstance(item, Mapping) for item in result):
            return pd.DataFrame([dict(item) for item in result])
        if all(_is_scalar(item) for item in result):
            return pd.DataFrame({"value": list(result)})
    if _is_scalar(result):
        return pd.DataFrame({"value": [result]})
    raise UnusableResult(
        f"`result` is a {type(result).__name__}; assign a DataFrame, a Series, a number or text, "
        "or a dict of them"
    )


def _of_mapping(result: Mapping[Any, Any]) -> pd.DataFrame:
    if not result:
        raise UnusableResult("`result` is an empty dict")
    if all(_is_scalar(value) for value in result.values()):
        return pd.DataFrame({key: [value] for key, value in result.items()})
    try:
        return _with_index(pd.DataFrame(dict(result)))
    except (ValueError, TypeError) as error:
        raise UnusableResult(f"`result` is a dict that makes no table: {error}") from error


def _is_scalar(value: Any) -> bool:
    return value is None or bool(pd.api.types.is_scalar(value))


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """An index that says something becomes columns."""
    plain = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    numbered = frame.index.name is None and frame.index.dtype == "int64"
    if plain or numbered:
        return frame.reset_index(drop=True)
    names = [
        "index"
        if name is None and frame.index.nlevels == 1
        else f"level_{level}"
        if name is None
        else name
        for level, name in enumerate(frame.index.names)
    ]
    taken = {str(column) for column in frame.columns}
    names = [f"{name}_index" if str(name) in taken else name for name in names]
    return frame.rename_axis(index=list(map(str, names))).reset_index()


def _of_frame(frame: pd.DataFrame) -> tuple[pa.Table, list[str]]:
    names, columns, notes = _column_names(frame), [], []
    for position, name in enumerate(names):
        column, note = _column(frame.iloc[:, position])
        columns.append(column)
        if note:
            notes.append(f"column {name!r} {note}")
    return pa.table(columns, names=names), notes


def _column_names(frame: pd.DataFrame) -> list[str]:
    names: list[str] = []
    for column in frame.columns:
        parts = column if isinstance(column, tuple) else (column,)
        name = base = "_".join(str(part) for part in parts if str(part)) or "column"
        number = 2
        while name in names:
            name, number = f"{base}_{number}", number + 1
        names.append(name)
    return names


def _column(series: pd.Series[Any]) -> tuple[pa.Array, str]:
    if isinstance(series.dtype, (pd.PeriodDtype, pd.IntervalDtype)):
        return pa.array(series.astype(str), from_pandas=True), ""
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(series.dtype.categories.dtype)
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError):
        texts = [None if _missing(value) else str(value) for value in series]
        return pa.array(texts, pa.string()), "held values of several kinds and is given as text"
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    return (array.storage if isinstance(array, pa.ExtensionArray) else array), ""


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))
