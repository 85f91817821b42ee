"""A metric as a cube: summed rows for every leaf (combination of values) and bucket of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from mesh.tool import ErrorCategory, ToolError

Numbers = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Chosen = npt.NDArray[Any]  # marks or places of leaves, as numpy chooses by
Bucket = date | str

BUCKET, NUMERATOR, DENOMINATOR, ROWS, SQUARES = (
    "bucket",
    "numerator",
    "denominator",
    "rows",
    "squares",
)
PREDICTED, REAL = "predicted", "real"
_MEASURES = frozenset((BUCKET, NUMERATOR, DENOMINATOR, ROWS, SQUARES))


@dataclass(frozen=True, eq=False)
class Cube:
    """Leaves by buckets. Dimensions are in order of their names and leaves in order of their
    values, so that nothing depends on the order of columns or rows.

    `codes` is [leaves × dimensions], an index into `values` of that dimension (None: missing);
    `numerator`, `denominator` (None for an additive metric) and `rows` are [leaves × buckets], in
    the unit of the metric; a leaf without rows in a bucket has zeros there.
    """

    dimensions: tuple[str, ...]
    codes: Whole
    values: tuple[tuple[str | None, ...], ...]
    buckets: tuple[Bucket, ...]
    numerator: Numbers
    denominator: Numbers | None
    rows: Numbers

    @property
    def leaf_form(self) -> bool:
        """Whether a forecast stands for the baseline."""
        return self.buckets == (PREDICTED, REAL)

    def kept(self, dimensions: Sequence[str] | None, within: Mapping[str, str | None]) -> Cube:
        """The leaves inside `within`, by these dimensions alone (all but those of `within` where
        none are named). Raises ToolError for what is not there."""
        inside = np.ones(len(self.codes), dtype=bool)
        for name, value in within.items():
            at = self._place(name)
            if value not in self.values[at]:
                raise ToolError(
                    ErrorCategory.INVALID_ARGUMENTS,
                    f"{name} has no value {value}.",
                    details={"column": name, "candidates": [str(v) for v in self.values[at][:20]]},
                )
            inside &= self.codes[:, at] == self.values[at].index(value)
        named = [name for name in self.dimensions if name not in within]
        if dimensions is not None:
            named = sorted({name for name in dimensions if name not in within})
        places = [self._place(name) for name in named]
        kept = np.flatnonzero(inside)
        if len(places) == len(self.dimensions) and len(kept) == len(self.codes):
            return self
        codes, place = np.unique(self.codes[kept][:, places], axis=0, return_inverse=True)
        place = np.reshape(place, -1)

        def summed(block: Numbers) -> Numbers:
            out = np.zeros((len(codes), block.shape[1]))
            np.add.at(out, place, block[kept])
            return out

        return Cube(
            tuple(named),
            codes.reshape(len(codes), len(places)),
            tuple(self.values[at] for at in places),
            self.buckets,
            summed(self.numerator),
            None if self.denominator is None else summed(self.denominator),
            summed(self.rows),
        )

    def _place(self, name: str) -> int:
        if name not in self.dimensions:
            raise ToolError(
                ErrorCategory.MISSING_COLUMN,
                f"the cube has no dimension {name}.",
                details={"column": name, "candidates": list(self.dimensions)},
            )
        return self.dimensions.index(name)


def cube_of(table: pa.Table) -> Cube:
    """The cube of a frame `<dimensions…>, bucket, numerator[, denominator], rows, squares`.

    Raises ToolError(MISSING_COLUMN | TYPE_MISMATCH | INVALID_ARGUMENTS).
    """
    for name in (BUCKET, NUMERATOR):
        if name not in table.column_names:
            raise ToolError(
                ErrorCategory.MISSING_COLUMN,
                f"the frame is no cube of a metric: it has no column {name}.",
                details={"column": name, "candidates": list(table.column_names)},
            )
    if not table.num_rows:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS, "the cube has no rows.", details={"seen": 0}
        )
    dimensions = sorted(name for name in table.column_names if name not in _MEASURES)
    coded = [_coded(table.column(name)) for name in dimensions]
    each = np.stack([codes for codes, _ in coded], axis=1) if coded else _nothing(table.num_rows)
    buckets, at = _buckets(table.column(BUCKET))
    codes, leaf = _distinct(each, [len(values) for _, values in coded])
    shape = (len(codes), len(buckets))
    cell = leaf * len(buckets) + at

    def block(name: str, missing: float) -> Numbers:
        there = name in table.column_names
        found = _finite(numbers_in(table, name)) if there else np.full(len(cell), missing)
        summed = np.bincount(cell, weights=found, minlength=shape[0] * shape[1])
        return np.asarray(summed.reshape(shape), dtype=np.float64)

    ratio = DENOMINATOR in table.column_names and table[DENOMINATOR].null_count < table.num_rows
    return Cube(
        tuple(dimensions),
        codes,
        tuple(values for _, values in coded),
        buckets,
        block(NUMERATOR, 0.0),
        block(DENOMINATOR, 0.0) if ratio else None,
        block(ROWS, 1.0),
    )


def _nothing(rows: int) -> Whole:
    return np.zeros((rows, 0), dtype=np.int64)


def _coded(column: pa.ChunkedArray) -> tuple[Whole, tuple[str | None, ...]]:
    """Codes of a column's texts in their order, a missing one the last."""
    texts = column if pa.types.is_string(column.type) else pc.cast(column, pa.string())
    encoded = texts.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    words = encoded.dictionary.to_pylist()
    order = sorted(range(len(words)), key=words.__getitem__)
    rank = np.empty(len(words) + 1, dtype=np.int64)
    rank[order] = np.arange(len(words))
    rank[len(words)] = len(words)
    codes = pc.fill_null(encoded.indices, len(words)).to_numpy(zero_copy_only=False)
    values: tuple[str | None, ...] = tuple(words[at] for at in order)
    return rank[codes.astype(np.int64)], values + ((None,) if column.null_count else ())


def _distinct(each: Whole, sizes: list[int]) -> tuple[Whole, Whole]:
    """The distinct rows of codes in order, and which of them every row is."""
    if not each.shape[1]:
        return np.zeros((1, 0), dtype=np.int64), np.zeros(len(each), dtype=np.int64)
    key = np.zeros(len(each), dtype=np.int64)
    for place, size in enumerate(sizes):
        key = key * size + each[:, place]
        if place + 1 < len(sizes) and key.max(initial=0) > 2**62 // max(sizes[place + 1], 1):
            key = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return each[first], inverse.reshape(-1)


def _buckets(column: pa.ChunkedArray) -> tuple[tuple[Bucket, ...], Whole]:
    found = column.combine_chunks().dictionary_encode()
    if isinstance(found, pa.ChunkedArray):
        found = found.combine_chunks()
    if column.null_count:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{column.null_count:,} rows of the cube have no bucket.",
            details={"column": BUCKET},
        )
    named = [_bucket(value) for value in found.dictionary.to_pylist()]
    if {str(name) for name in named} == {PREDICTED, REAL}:
        order = [named.index(PREDICTED), named.index(REAL)]
    else:
        order = sorted(range(len(named)), key=lambda at: str(named[at]))
    place = np.empty(len(named), dtype=np.int64)
    place[order] = np.arange(len(named))
    return tuple(named[at] for at in order), place[found.indices.to_numpy(zero_copy_only=False)]


def _bucket(value: Any) -> Bucket:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date) or value in (PREDICTED, REAL):
        return value  # type: ignore[no-any-return]
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        raise ToolError(
            ErrorCategory.TYPE_MISMATCH,
            f"the bucket {value} is no day.",
            details={"column": BUCKET, "type": type(value).__name__},
        ) from None


def numbers_in(table: pa.Table, name: str) -> pa.ChunkedArray:
    """A column as floating-point numbers, missing ones too. Raises ToolError(TYPE_MISMATCH)."""
    try:
        return pc.cast(table.column(name), pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ToolError(
            ErrorCategory.TYPE_MISMATCH,
            f"{name} holds values that are no numbers.",
            details={"column": name, "type": str(table.column(name).type)},
        ) from None


def _finite(column: pa.ChunkedArray) -> Numbers:
    """The numbers, those that are missing or not finite as zeros."""
    return np.asarray(np.nan_to_num(pc.fill_null(column, 0.0).to_numpy(), posinf=0.0, neginf=0.0))
