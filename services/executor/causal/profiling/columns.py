"""Columns of a frame as arrays to reckon with: numbers, or codes of levels, and what they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.causal.profiling.texts import NO_VALUE, TextType, find_text_type
from services.executor.profiling.columns import is_numeric, plain_values
from services.executor.profiling.numbers import Numbers

Vector = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Kind = Literal["numeric", "categorical", "binary", "ordinal"]

ROW, IMPUTATION = "_row", "_imputation"
MOST_LEVELS = 100
_FEW = 10
_ORDERS = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("none", "mild", "moderate", "severe"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("small", "medium", "large"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("primary", "secondary", "tertiary"),
    ("bronze", "silver", "gold", "platinum"),
)
_IDENTIFIER = re.compile(
    r"(^|_)(id|uuid|guid|key|index|rowid|number|no|nr)$|^(id|index|row)_?", re.I
)


@dataclass(frozen=True, eq=False)
class Column:
    """One column. `numbers` has NaN where a value is missing (dates as days since 1970, yes and no
    as one and nought, ordered levels as their rank); `codes` has the place in `levels`, -1 where
    missing, and is None of plain numbers."""

    name: str
    kind: Kind
    numbers: Vector | None
    codes: Codes | None = None
    levels: tuple[str, ...] = ()
    why_not: str = ""
    is_date: bool = False
    note: str = ""

    @property
    def usable(self) -> bool:
        """Whether an analysis can take it as it is."""
        return not self.why_not

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Which rows have no value."""
        if self.codes is not None:
            return np.asarray(self.codes < 0)
        assert self.numbers is not None
        return np.asarray(np.isnan(self.numbers))


def input_frame(name: str, context: ToolContext, *, every: bool = False) -> pa.Table:
    """The frame of step `name`; of stacked imputations the first alone, unless `every`.

    Raises ToolError for a step that is not there, and for a frame without rows or columns.
    """
    if name not in context.inputs:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"there is no frame of a step {name}.",
            hint="Set input to a step that this one depends on.",
            details={"field": "input", "candidates": sorted(context.inputs)},
        )
    frame = context.inputs[name]
    if not every and IMPUTATION in frame.column_names:
        frame = frame.filter(pc.equal(frame[IMPUTATION], pc.min(frame[IMPUTATION])))
    if not frame.num_rows or not set(frame.column_names) - {ROW, IMPUTATION}:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"the frame of step {name} has no {'rows' if not frame.num_rows else 'columns'}.",
            details={"reason": "NO_ROWS"},
        )
    return frame


def named_as_identifier(name: str) -> bool:
    """Whether a name says that the column tells rows apart, such as patient_id."""
    return bool(_IDENTIFIER.search(name))


def check_names(frame: pa.Table, *names: str | None) -> None:
    """Raises ToolError(MISSING_COLUMN) for the first that is no column of the data."""
    there = [name for name in frame.column_names if name not in (ROW, IMPUTATION)]
    for name in names:
        if name is not None and name not in there:
            from difflib import get_close_matches

            alike = get_close_matches(name, there, 3, 0.5) or there[:10]
            raise ToolError(
                ErrorCategory.MISSING_COLUMN,
                f'the data has no column "{name}".',
                hint="It has " + ", ".join(f'"{one}"' for one in alike) + ".",
                details={"column": name, "candidates": alike},
            )


def read(frame: pa.Table) -> list[Column]:
    """Every column of the data, in the frame's order."""
    return [
        column_of(name, frame[name]) for name in frame.column_names if name not in (ROW, IMPUTATION)
    ]


def column_of(name: str, cells: pa.ChunkedArray) -> Column:
    """A column and what kind it is. Numbers and dates that are stored as text are read as such."""
    values = plain_values(cells)
    kind = values.type
    if values.null_count == len(values):
        return Column(name, "numeric", np.full(len(values), np.nan), why_not="all missing")
    if is_numeric(kind):
        return _numeric(name, Numbers.of(values).rows, whole=_whole(kind))
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return _dated(name, values)
    if pa.types.is_boolean(kind):
        texts = np.array(["no", "yes"])
        codes = np.asarray(values.cast(pa.int64()).fill_null(-1).to_numpy(), dtype=np.int64)
        return _levelled(name, codes, tuple(texts.tolist()))
    texts_of = values if pa.types.is_string(kind) else values.cast(pa.string())
    encoded = pc.dictionary_encode(texts_of)
    levels = encoded.dictionary.to_pylist()
    codes = np.asarray(encoded.indices.fill_null(-1).to_numpy(), dtype=np.int64)
    return _texts(name, codes, levels)


def _numeric(name: str, numbers: Vector, *, whole: bool, note: str = "") -> Column:
    finite = numbers[~np.isnan(numbers)]
    if not len(finite):
        return Column(name, "numeric", numbers, why_not="all missing", note=note)
    distinct = np.unique(finite)
    if len(distinct) == 1:
        return Column(name, "numeric", numbers, why_not="constant", note=note)
    if len(distinct) == 2:
        codes = np.searchsorted(distinct, np.nan_to_num(numbers, nan=distinct[0])).astype(np.int64)
        codes[np.isnan(numbers)] = -1
        shown = tuple(f"{value:g}" for value in distinct)
        return Column(name, "binary", _ranked(codes), codes, shown, note=note)
    why = "identifier" if whole and _counts_rows(name, finite, distinct) else ""
    all_whole = bool((distinct == np.round(distinct)).all())
    steps = len(distinct) <= _FEW and all_whole and distinct[-1] - distinct[0] == len(distinct) - 1
    if steps and not why:
        codes = np.searchsorted(distinct, np.nan_to_num(numbers, nan=distinct[0])).astype(np.int64)
        codes[np.isnan(numbers)] = -1
        shown = tuple(f"{value:g}" for value in distinct)
        return Column(name, "ordinal", numbers, codes, shown, note=note)
    return Column(name, "numeric", numbers, why_not=why, note=note)


def _counts_rows(name: str, finite: Vector, distinct: Vector) -> bool:
    """Whether whole numbers only tell rows apart: one each, without gaps or named so; of those that
    are named so most have one, where some rows were loaded twice."""
    if len(finite) < 20:
        return False
    if len(distinct) < len(finite):
        return len(distinct) > max(20, 0.5 * len(finite)) and bool(_IDENTIFIER.search(name))
    dense = distinct[-1] - distinct[0] < 1.05 * len(distinct)
    return dense or bool(_IDENTIFIER.search(name))


def _dated(name: str, values: pa.Array) -> Column:
    moments = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    numbers = moments.to_numpy(zero_copy_only=False).astype(np.float64) / 86_400e6
    column = _numeric(name, numbers, whole=False)
    return Column(name, "numeric", numbers, why_not=column.why_not, is_date=True)


def _texts(name: str, codes: Codes, levels: list[str]) -> Column:
    found: TextType | None = find_text_type(levels)
    if found is None:
        absent = [i for i, text in enumerate(levels) if text.strip().casefold() in NO_VALUE]
        if absent:
            codes = np.where(np.isin(codes, absent), -1, codes)
        return _levelled(name, codes, tuple(levels))
    values = [found.values.get(text) for text in levels]
    if found.kind == "yes_no":
        recoded = np.array([-1 if v is None else int(bool(v)) for v in values] + [-1])
        return _levelled(name, recoded[codes], ("no", "yes"), note=found.how)
    if found.kind == "date":
        days = [np.nan if v is None else _days(v) for v in values]
        numbers = np.array([*days, np.nan])[codes]
        why = _numeric(name, numbers, whole=False).why_not
        return Column(name, "numeric", numbers, why_not=why, is_date=True, note=found.how)
    given: list[Any] = values
    plain: Vector = np.array([np.nan if v is None else float(v) for v in given] + [np.nan])
    whole = bool((plain[:-1] == np.round(plain[:-1]))[~np.isnan(plain[:-1])].all())
    return _numeric(name, plain[codes], whole=whole, note=found.how)


def _days(value: Any) -> float:
    return float(value.toordinal() - 719_163)


def _levelled(name: str, codes: Codes, levels: tuple[str, ...], note: str = "") -> Column:
    """Levels that occur, in their own order where they have one, else by the alphabet."""
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    present = [place for place in range(len(levels)) if counts[place]]
    order = _order([levels[place] for place in present])
    ranked = sorted(present, key=lambda p: (order.get(levels[p], 0), levels[p]))
    if levels == ("no", "yes"):
        ranked = present
    new = np.full(len(levels) + 1, -1, dtype=np.int64)
    new[ranked] = np.arange(len(ranked))
    codes = new[codes]
    names = tuple(levels[place] for place in ranked)
    rows = int((codes >= 0).sum())
    why = (
        "all missing"
        if not rows
        else "constant"
        if len(names) == 1
        else _too_many(name, names, rows)
    )
    kind: Kind = "binary" if len(names) == 2 else "ordinal" if order else "categorical"
    numbers = _ranked(codes) if kind != "categorical" else None
    return Column(name, kind, numbers, codes, names, why, note=note)


def _too_many(name: str, levels: tuple[str, ...], rows: int) -> str:
    length = float(np.mean([len(level) for level in levels]))
    words = float(np.mean([level.count(" ") + 1 for level in levels]))
    many = len(levels) > max(20, 0.5 * rows)
    if many and (words >= 4 or length > 40):
        return "free text"
    if rows >= 20 and (len(levels) >= 0.95 * rows or (many and _IDENTIFIER.search(name))):
        return "identifier"
    if len(levels) > MOST_LEVELS or len(levels) > max(20, rows / 5):
        return f"too many levels ({len(levels):,})"
    return ""


def _order(levels: list[str]) -> dict[str, int]:
    """The rank of each level, where all are of one known order."""
    folded = {level: level.strip().casefold() for level in levels}
    for order in _ORDERS:
        if len(levels) >= 3 and set(folded.values()) <= set(order):
            return {level: order.index(word) for level, word in folded.items()}
    return {}


def _ranked(codes: Codes) -> Vector:
    return np.asarray(np.where(codes < 0, np.nan, codes.astype(np.float64)))


def _whole(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0))
