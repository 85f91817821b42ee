"""Columns of a frame as arrays; rows with a missing value are left out and counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from mesh.text.harmless import harmless_line
from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.outcome import Outcome

Numbers = npt.NDArray[np.float64]

MOST_GROUPS = 300
"""Groups that are compared or described side by side at most."""


_PLAIN = frozenset("yes no y n true false".split())
_LONGEST_NAME = 60


def chosen(frame: pa.Table, columns: Sequence[str]) -> pd.DataFrame:
    """Those columns. Raises ToolError(MISSING_COLUMN)."""
    for name in columns:
        if name not in frame.column_names:
            raise ToolError(
                ErrorCategory.MISSING_COLUMN,
                f"the frame has no column {name}; it has {', '.join(frame.column_names[:20])}.",
                details={"column": name, "candidates": list(frame.column_names)},
            )
    data: pd.DataFrame = frame.select(list(dict.fromkeys(columns))).to_pandas()
    return data


def as_numbers(data: pd.DataFrame, column: str) -> pd.Series[float]:
    """A column as numbers. Raises ToolError(TYPE_MISMATCH) for dates and texts that are none."""
    try:
        if pd.api.types.is_datetime64_any_dtype(data[column]):
            raise TypeError
        series = pd.to_numeric(data[column])
    except (TypeError, ValueError):
        raise ToolError(
            ErrorCategory.TYPE_MISMATCH,
            f"{column} holds values that are no numbers.",
            details={"column": column, "type": str(data[column].dtype)},
        ) from None
    numbers = series.astype("float64")
    return numbers.where(np.isfinite(numbers))


def is_text(data: pd.DataFrame, column: str) -> bool:
    """Whether a column holds words, of which some are no numbers."""
    series = data[column]
    if series.dtype != object and not isinstance(series.dtype, pd.StringDtype):
        return False
    return bool(pd.to_numeric(series.dropna(), errors="coerce").isna().any())


def groups_of(data: pd.DataFrame, by: str) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each value of a column, by name, missing ones left out. Raises ToolError."""
    groups = [(group_name(by, value), rows) for value, rows in data.groupby(by, sort=True)]
    if len(groups) > MOST_GROUPS:
        raise too_many_groups(by, len(groups))
    return groups


def group_name(by: str, value: object) -> str:
    """What a group is called: a bare number, or a yes, has the column's name before it. What reads
    like more than a name is in quotation marks: it is the data's word, not ours."""
    if isinstance(value, int | float | np.integer | np.floating | np.bool_):
        whole = float(value).is_integer() and not isinstance(value, bool | np.bool_)
        return f"{by} {int(value) if whole else value}"
    text = harmless_line(str(value))
    if text != str(value) or len(text) > _LONGEST_NAME:
        return f'"{text}"'
    return f"{by} {text}" if text.lower() in _PLAIN else text


def too_many_groups(by: str, seen: int) -> ToolError:
    """What is said where a column holds more groups than are compared."""
    return ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        f"{by} has {seen:,} different values; at most {MOST_GROUPS} groups are compared.",
        hint="Name a column with fewer values, or only some of them.",
        details={"column": by, "limit": MOST_GROUPS, "seen": seen},
    )


def present(data: pd.DataFrame, column: str) -> Numbers:
    """The numbers of a column, missing ones left out."""
    return np.asarray(as_numbers(data, column).dropna(), dtype=np.float64)


def complete(data: pd.DataFrame, outcome: Outcome) -> pd.DataFrame:
    """Rows that have every value; how many were left out is told."""
    kept = data.dropna()
    left = len(data) - len(kept)
    outcome.add("rows used", len(kept))
    if left:
        outcome.add("rows left out", left, text="a value is missing")
        rows = "row with a missing value was" if left == 1 else "rows with a missing value were"
        outcome.caveats.append(f"{left:,} {rows} left out.")
    return kept


def as_days(data: pd.DataFrame, column: str) -> pd.Series[Any]:
    """A column as moments without a zone. Raises ToolError(TYPE_MISMATCH)."""
    try:
        return pd.to_datetime(data[column]).dt.tz_localize(None)
    except (TypeError, ValueError):
        raise ToolError(
            ErrorCategory.TYPE_MISMATCH,
            f"{column} holds values that are no days.",
            details={"column": column, "type": str(data[column].dtype)},
        ) from None


def at_least(size: int, least: int, what: str) -> None:
    """Raises ToolError(INVALID_ARGUMENTS) for too few values."""
    if size < least:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{what} needs at least {least} values; there are {size}.",
            details={"limit": least, "seen": size},
        )


def varying(values: Numbers, name: str) -> None:
    """Raises ToolError(INVALID_ARGUMENTS) for a column that holds one value only."""
    if np.ptp(values) == 0:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{name} has the same value in every row, so nothing can be tested with it.",
            details={"column": name},
        )


def of_groups(data: pd.DataFrame, by: str, groups: Sequence[str]) -> pd.DataFrame:
    """The rows of the named values of a column, which becomes ordered as they are named.

    Numbers are named in any spelling. Raises ToolError for a value that is not there.
    """
    known = {_spelt(value): value for value in data[by].dropna().unique()}
    missing = [group for group in groups if _spelt(group) not in known]
    if missing:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{by} has no value {missing[0]}.",
            details={"column": by, "value": missing[0], "candidates": sorted(known)[:10]},
        )
    chosen_values = [known[_spelt(group)] for group in groups]
    kept = data[data[by].isin(chosen_values)].copy()
    names = [group_name(by, value) for value in chosen_values]
    kept[by] = pd.Categorical(
        [group_name(by, value) for value in kept[by]], categories=names, ordered=True
    )
    return kept


def _spelt(value: object) -> str:
    try:
        return f"{float(str(value)):g}"
    except ValueError:
        return str(value)
