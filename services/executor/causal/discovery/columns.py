"""A frame's columns as numbers and levels, or the reason why one cannot be in a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

MOST_LEVELS = 8
LEAST_COVERED = 0.5
MOST_MISSING = 0.5
DISCRETE_LEVELS = 6
"""Whole numbers with at most so many values are counted like categories where all columns are."""
MICROSECONDS_A_DAY = 864e8


@dataclass(frozen=True)
class Column:
    """One column, complete: `kind` is numeric, binary or categorical.

    `values` are its numbers (NaN for a category of more than two levels); `levels` the place of
    each row's level (0, 1, ...), empty where there are many numbers. `width` is how many numbers
    of its block say what it is, without what was added for curves.
    """

    name: str
    kind: str
    values: np.ndarray
    levels: np.ndarray
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many levels there are; 0 where there are many numbers."""
        return int(self.levels.max()) + 1 if len(self.levels) else 0

    @property
    def width(self) -> int:
        """Numbers that say what the column is."""
        return max(self.count - 1, 1) if self.kind == "categorical" else 1

    def at(self, rows: np.ndarray) -> Column:
        """The column at these rows."""
        levels = self.levels[rows] if len(self.levels) else self.levels
        return replace(self, values=self.values[rows], levels=levels)


def read_columns(table: pa.Table) -> tuple[list[Column], dict[str, str], int]:
    """The usable columns at complete rows, why others are not, and how many rows are complete."""
    left_out: dict[str, str] = {}
    arrays: dict[str, pa.Array] = {}
    for name in table.column_names:
        array = table.column(name).combine_chunks()
        array, why = _plain(array)
        if why:
            left_out[name] = why
        else:
            arrays[name] = array
    complete = np.ones(table.num_rows, dtype=bool)
    for array in arrays.values():
        complete &= ~_missing(array)
    rows = np.flatnonzero(complete)
    kept: list[Column] = []
    for name, array in arrays.items():
        column, why = _column(name, array.take(pa.array(rows)))
        if column is None:
            left_out[name] = why
        else:
            kept.append(column)
    return kept, left_out, len(rows)


def _missing(array: pa.Array) -> np.ndarray:
    missing: np.ndarray = pc.is_null(array, nan_is_null=pa.types.is_floating(array.type)).to_numpy(
        zero_copy_only=False
    )
    if pa.types.is_floating(array.type):
        missing = missing | ~np.isfinite(array.to_numpy(zero_copy_only=False))
    return missing


def _plain(array: pa.Array) -> tuple[pa.Array, str]:
    """The array as numbers, booleans or texts, or why it cannot be."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        array = array.cast(kind.value_type)
        kind = array.type
    if pa.types.is_null(kind):
        return array, "it has no values"
    if pa.types.is_temporal(kind):
        if pa.types.is_time(kind) or pa.types.is_duration(kind):
            array = array.cast(pa.int64() if kind.bit_width == 64 else pa.int32())
        else:
            array = pc.divide(
                array.cast(pa.timestamp("us")).cast(pa.int64()).cast(pa.float64()),
                MICROSECONDS_A_DAY,
            )
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        array = array.cast(pa.float64(), safe=False)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        array = array.cast(pa.string())
    elif not pa.types.is_boolean(kind):
        return array, f"values of type {kind} are not read"
    missing = _missing(array).mean() if len(array) else 1.0
    if missing > MOST_MISSING:
        return array, "it has no values" if missing == 1 else f"{missing:.0%} of it is missing"
    return array, ""


def _column(name: str, array: pa.Array) -> tuple[Column | None, str]:
    if len(array) == 0:
        return None, "no row is complete"
    if pa.types.is_string(array.type):
        return _category(name, array)
    values = array.cast(pa.float64()).to_numpy(zero_copy_only=False).astype(float)
    distinct, levels = np.unique(values, return_inverse=True)
    if len(distinct) < 2:
        return None, "it has one value only"
    if len(distinct) == 2:
        return Column(name, "binary", levels.astype(float), levels), ""
    few = len(distinct) <= DISCRETE_LEVELS and bool(np.all(distinct == np.round(distinct)))
    return Column(name, "numeric", values, levels if few else np.empty(0, dtype=int)), ""


def _category(name: str, array: pa.Array) -> tuple[Column | None, str]:
    texts, counts = np.unique(np.asarray(array.to_pylist(), dtype=object), return_counts=True)
    if len(texts) < 2:
        return None, "it has one value only"
    order = sorted(range(len(texts)), key=lambda i: (-int(counts[i]), str(texts[i])))
    common = [i for i in order[:MOST_LEVELS] if counts[i] >= max(5, 0.005 * len(array))]
    if len(texts) == 2:
        common = order
    covered = counts[common].sum() / len(array) if common else 0.0
    if covered < LEAST_COVERED:
        return None, f"it has {len(texts):,} levels, none of them common"
    folded = len(common) < len(texts)
    place = {str(texts[i]): k for k, i in enumerate(sorted(common))}
    found = (place.get(str(text), len(common)) for text in array.to_pylist())
    levels = np.fromiter(found, dtype=int, count=len(array))
    notes = (
        (f'The {len(texts) - len(common):,} rarest levels of "{name}" are taken together.',)
        if folded
        else ()
    )
    if int(levels.max()) + 1 == 2:
        return Column(name, "binary", levels.astype(float), levels, notes), ""
    return Column(name, "categorical", np.full(len(array), np.nan), levels, notes), ""
