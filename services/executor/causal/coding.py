"""Columns of a frame as numbers: outcome, treatment, and whatever is adjusted for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.treated import one_of

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

MOST_LEVELS = 25
FEWEST_ROWS = 20
OTHER = "(other)"


@dataclass(frozen=True)
class Coding:
    """`columns` is n by k floats, NaN where missing; `source` names the column each came from."""

    columns: pd.DataFrame
    source: dict[str, str]
    notes: tuple[str, ...]


def is_number(kind: pa.DataType) -> bool:
    """Whether an Arrow type holds numbers, decimals included."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def is_moment(kind: pa.DataType) -> bool:
    """Whether an Arrow type holds dates or times."""
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def _plain(table: pa.Table, name: str) -> pa.ChunkedArray:
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        raise _mistyped(name, column, "holds lists or bytes.", "Derive a plain column from it.")
    return column


def numbers(table: pa.Table, name: str) -> np.ndarray:
    """A column of numbers, booleans (0 and 1) or dates (days since 1970) as floats, NaN where it is
    missing or not finite. Raises ToolError for text."""
    import numpy as np

    column = _plain(table, name)
    if is_moment(column.type):
        column = column.cast(pa.timestamp("us")).cast(pa.int64())
        days = column.cast(pa.float64(), safe=False).to_numpy() / 86_400e6
        return np.asarray(days, dtype=float)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    elif not is_number(column.type):
        raise ToolError(
            ErrorCategory.TYPE_MISMATCH,
            f"{name} is not numeric.",
            details={"column": name, "type": str(column.type)},
        )
    values = np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=float)
    values[~np.isfinite(values)] = np.nan
    return values


def _levels(column: pa.ChunkedArray) -> dict[str, int]:
    """Rows of each value as text, without missing ones, most frequent first, then by name."""
    counted = column.cast(pa.string()).value_counts()
    pairs = [(each["values"].as_py(), each["counts"].as_py()) for each in counted]
    return dict(sorted((p for p in pairs if p[0] is not None), key=lambda p: (-p[1], p[0])))


def outcome_numbers(table: pa.Table, name: str) -> tuple[np.ndarray, bool, list[str]]:
    """The outcome as floats, whether it is 0 or 1, and notes. Text of two values becomes 0 and 1.

    Raises ToolError for other text, for dates, and where there are no values.
    """
    import numpy as np

    column = _plain(table, name)
    if column.null_count == len(column):
        raise _mistyped(name, column, "has no values.", "Name another outcome.")
    if is_moment(column.type):
        raise _mistyped(name, column, "is a date.", "Derive a duration, and take that as outcome.")
    if is_number(column.type) or pa.types.is_boolean(column.type):
        values = numbers(table, name)
        return values, set(np.unique(values[~np.isnan(values)])) <= {0.0, 1.0}, []
    levels = _levels(column)
    if len(levels) != 2:
        what = "is not numeric" if len(levels) > 2 else "never varies"
        raise _mistyped(
            name,
            column,
            f"{what}: as text it has {len(levels):,} value{'s' if len(levels) > 1 else ''}.",
            "An outcome is a number, or text of two values.",
        )
    one, _ = one_of(levels)
    return _equals(column, one), True, [f"The outcome {name} counts {one!r} as 1, the other as 0."]


def treatment_numbers(
    table: pa.Table, name: str, treated: str | None
) -> tuple[np.ndarray, bool, list[str]]:
    """The treatment as floats, whether it is binary (0 or 1), and notes on what counts as 1.

    Without `treated`, of two values the one that says yes is 1, else the rarer. Raises ToolError
    for text of more values where `treated` is not given, and for a value that does not occur.
    """
    column = _plain(table, name)
    if column.null_count == len(column):
        raise _mistyped(name, column, "has no values.", "Name another treatment.")
    numeric = is_number(column.type) or pa.types.is_boolean(column.type)
    if treated is None and numeric and not _two_values(numbers(table, name)):
        return numbers(table, name), False, []
    if numeric:  # what is not a number is missing, not a value of its own
        column = pa.chunked_array([pa.array(numbers(table, name), from_pandas=True)])
    levels = _levels(column)
    if treated is not None:
        one = _named(levels, treated, name)
        note = "" if len(levels) == 2 else f"{name}: {one!r} is compared with all other values."
        return _equals(column, one), True, [note] if note else []
    if len(levels) == 1:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"the treatment {name} is constant.",
            hint="Nothing can be compared.",
        )
    if len(levels) > 2:
        raise _mistyped(
            name, column, f"has {len(levels):,} values as text.", "Say which counts as `treated`."
        )
    one, certain = one_of(levels)
    return (
        _equals(column, one),
        True,
        []
        if certain
        else [f"{one!r} of {name} is taken as the treated, because it is the rarer value."],
    )


def _two_values(values: np.ndarray) -> bool:
    import numpy as np

    return len(np.unique(values[~np.isnan(values)])) <= 2


def _named(levels: dict[str, int], treated: str, name: str) -> str:
    wanted = treated.strip().lower()
    for each in levels:
        if each == treated or each.strip().lower() == wanted or _same_number(each, wanted):
            return each
    raise ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        f"{name} never has the value {treated!r}.",
        details={"candidates": list(levels)[:20]},
    )


def _same_number(left: str, right: str) -> bool:
    try:
        return float(left) == float(right)
    except ValueError:
        return False


def _equals(column: pa.ChunkedArray, value: str) -> np.ndarray:
    import numpy as np
    import pyarrow.compute as pc

    same = pc.equal(column.cast(pa.string()), value).cast(pa.int8()).cast(pa.float64())
    return np.array(same.to_numpy(), dtype=float)


def coded_columns(table: pa.Table, names: Sequence[str]) -> Coding:
    """The named columns as numbers, in that order; see `frame.design`."""
    import pandas as pd

    columns: dict[str, np.ndarray] = {}
    source: dict[str, str] = {}
    notes: list[str] = []
    for name in names:
        column = _plain(table, name)
        if is_number(column.type) or is_moment(column.type) or pa.types.is_boolean(column.type):
            parts = {name: numbers(table, name)}
        else:
            parts, texts = _dummies(name, column)
            notes += texts
        columns.update(parts)
        source.update(dict.fromkeys(parts, name))
    return Coding(pd.DataFrame(columns, index=range(table.num_rows)), source, tuple(notes))


def _dummies(name: str, column: pa.ChunkedArray) -> tuple[dict[str, np.ndarray], list[str]]:
    """A column for every level but the most frequent; rare levels are one level together."""
    import numpy as np

    text = column.cast(pa.string())
    levels = _levels(text)
    kept = [each for each, rows in levels.items() if rows >= FEWEST_ROWS][:MOST_LEVELS]
    missing = text.is_null().to_numpy()
    values = np.asarray(text.to_pandas(), dtype=object)
    dummies = {}
    for level in kept[1:]:
        dummies[f"{name}={level}"] = np.where(missing, np.nan, (values == level).astype(float))
    folded = len(levels) - len(kept)
    if folded == 0:
        return dummies or {name: np.where(missing, np.nan, 0.0)}, []
    rare = ~missing & ~np.isin(values.astype(str), kept)
    dummies[f"{name}={OTHER}"] = np.where(missing, np.nan, rare.astype(float))
    return dummies, [
        f"{name} has {len(levels):,} values; the {folded:,} rarest are taken as one, so what they "
        "alone would tell is not adjusted for."
    ]


def _mistyped(name: str, column: pa.ChunkedArray, what: str, hint: str) -> ToolError:
    return ToolError(
        ErrorCategory.TYPE_MISMATCH,
        f"{name} {what}",
        hint=hint,
        details={"column": name, "type": str(column.type)},
    )
