"""Columns of a frame as what a chart needs: positions to draw at and numbers to draw."""

from __future__ import annotations

import difflib
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mesh.text import calendar_names, natural_orders
from mesh.tool import ErrorCategory, ToolError
from services.executor.plotting import scales, temporal
from services.executor.plotting.arguments import Meaning
from services.executor.plotting.temporal import Grain
from services.executor.plotting.text import clean

Key = float | str | None
Numbers = NDArray[np.float64]
MISSING = "(missing)"
_YES, _NO = frozenset(("1", "true", "t", "yes", "y")), frozenset(("0", "false", "f", "no", "n"))


class Kind(StrEnum):
    """How the values of a column lie beside each other."""

    CATEGORY = "category"  # no order of their own
    ORDERED = "ordered"  # months, weekdays: an order, no distances
    NUMBER = "number"
    TIME = "time"


@dataclass(frozen=True)
class Dimension:
    """A column along an axis. Times are days since 1970; `rank` orders the other kinds."""

    name: str
    kind: Kind
    keys: Sequence[Key]
    grain: Grain | None = None
    rank: dict[Hashable, float] | None = None
    is_year: bool = False

    def label(self, key: Key) -> str:
        """The value as people write it."""
        if key is None:
            return MISSING
        if isinstance(key, str):
            return clean(key) or "(empty)"
        if self.kind is Kind.TIME and self.grain is not None:
            return temporal.write(key, self.grain)
        if self.is_year:
            return f"{key:.0f}"
        return f"{key:,.0f}" if key == int(key) and abs(key) < 1e15 else f"{key:,.6g}"

    def order(self, key: Key) -> tuple[bool, float, str]:
        """Sort key in the column's own order; what is missing comes last."""
        if isinstance(key, str):
            return False, (self.rank or {}).get(key, 0.0), key
        return key is None, key or 0.0, ""

    @property
    def has_order(self) -> bool:
        """Whether the values have an order that sorting by size would destroy."""
        return self.kind is not Kind.CATEGORY


def column(table: pa.Table, name: str) -> pa.Array:
    """The column as one array. Raises ToolError when it is absent or ambiguous."""
    places = table.schema.get_all_field_indices(name)
    if len(places) == 1:
        values = table.column(places[0]).combine_chunks()
        return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
    names = list(dict.fromkeys(table.column_names))
    if places:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"The frame has {len(places)} columns named {name!r}.",
            hint="Give the columns different names in the step before.",
            details={"column": name},
        )
    lower = {n.lower(): n for n in names}
    close = difflib.get_close_matches(name.lower(), list(lower), n=3, cutoff=0.5)
    candidates = [lower[n] for n in close] or names[:20]
    raise ToolError(
        ErrorCategory.MISSING_COLUMN,
        f"The frame has no column {name!r}; it has {', '.join(map(repr, names[:20]))}.",
        hint=f"Closest: {', '.join(candidates[:3])}.",
        details={"column": name, "candidates": candidates},
    )


def is_numeric(kind: pa.DataType) -> bool:
    """Whether values of the type can be drawn as lengths or positions."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def numbers(table: pa.Table, name: str) -> Numbers:
    """A numeric column as floats; null, infinite and absurdly large become NaN.

    Raises ToolError TYPE_MISMATCH for any other type.
    """
    values = column(table, name)
    if pa.types.is_null(values.type):
        return np.full(len(values), np.nan)
    if not is_numeric(values.type):
        raise ToolError(
            ErrorCategory.TYPE_MISMATCH,
            f"Column {name!r} is of type {values.type}, but its values are to be drawn as numbers.",
            hint="Choose a numeric column, or aggregate (count, sum, average) in a step before.",
            details={"column": name, "type": str(values.type)},
        )
    if pa.types.is_float16(values.type):
        values = values.cast(pa.float32())
    floats = _floats(values.cast(pa.float64(), safe=False))
    floats[~(np.abs(floats) <= scales.LARGEST)] = np.nan
    floats[np.abs(floats) < 1 / scales.LARGEST] = 0.0
    return floats


def _floats(array: pa.Array) -> Numbers:
    """A copy, with NaN for null.

    From the memory that holds them: Arrow's own conversion imports pandas, 170 ms.
    """
    if not len(array):
        return np.empty(0)
    valid, held = array.buffers()
    floats = np.frombuffer(held, np.float64)[array.offset :][: len(array)].copy()
    if array.null_count:
        bits = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")
        floats[bits[array.offset :][: len(array)] == 0] = np.nan
    return floats


def dimension(table: pa.Table, name: str, meaning: Meaning | None = None) -> Dimension:
    """Any column, read as what it means, else as numbers, times, ordered names or categories."""
    values = column(table, name)
    if meaning == "name":
        texts = [_text(v) for v in values.to_pylist()]
        return Dimension(name, Kind.CATEGORY, [_without_point(t) for t in texts])
    if meaning == "flag":
        return Dimension(name, Kind.CATEGORY, [_yes_or_no(v) for v in values.to_pylist()])
    if meaning == "year" and is_numeric(values.type):
        return replace(_from_numbers(name, numbers(table, name)), is_year=True)
    if is_numeric(values.type):
        floats = numbers(table, name)
        if not pa.types.is_floating(values.type) and np.nanmax(np.abs(floats), initial=0) > 2**53:
            return _from_texts(name, [_text(v) for v in values.to_pylist()])  # names: no two alike
        return _from_numbers(name, floats)
    if pa.types.is_date(values.type) or pa.types.is_timestamp(values.type):
        read = _from_times(name, values)
        if read is not None:
            return read
    return _from_texts(name, [_text(v) for v in values.to_pylist()])


def _without_point(text: str | None) -> str | None:
    """A whole number that came as a decimal one: "1047.0" is 1047."""
    return re.sub(r"(?<=\d)\.0$", "", text) if text is not None else None


def _yes_or_no(value: Any) -> str | None:
    """A flag in words, whichever way it is written; what says neither stays as it is."""
    text = _without_point(_text(value))
    folded = (text or "").strip().lower()
    if folded in _YES:
        return "Yes"
    return "No" if folded in _NO else text


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def _from_numbers(name: str, values: Numbers) -> Dimension:
    keys: list[Key] = [None if np.isnan(v) else float(v) for v in values]
    present = {k for k in keys if isinstance(k, float)}
    words = set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))
    whole = all(k == int(k) for k in present)
    if whole and "month" in words and present and present <= set(range(1, 13)):
        named: list[Key] = [
            calendar_names.MONTHS[int(k) - 1] if isinstance(k, float) else None for k in keys
        ]
        rank: dict[Hashable, float] = {m: i for i, m in enumerate(calendar_names.MONTHS)}
        return Dimension(name, Kind.ORDERED, named, rank=rank)
    is_year = whole and bool(words & {"year", "yr"}) and all(0 < k < 10_000 for k in present)
    is_year |= whole and "season" in words and all(1800 < k < 2200 for k in present)
    return Dimension(name, Kind.NUMBER, keys, is_year=is_year)


def _from_times(name: str, values: pa.Array) -> Dimension | None:
    kind = values.type
    try:
        micros = values.cast(pa.timestamp("us", tz=getattr(kind, "tz", None)))
    except pa.ArrowInvalid:
        return None
    if getattr(kind, "tz", None):
        micros = pc.local_timestamp(micros)
    keys: list[Key] = [
        None if v is None else v / 86_400_000_000 for v in micros.cast(pa.int64()).to_pylist()
    ]
    present = [k for k in keys if isinstance(k, float)]
    if not all(map(temporal.days_in_range, present)):
        return None
    finest = Grain.DAY if pa.types.is_date(kind) else Grain.INSTANT
    return Dimension(name, Kind.TIME, keys, grain=temporal.coarsest(present, finest, name))


def _from_texts(name: str, keys: list[str | None]) -> Dimension:
    present = [k for k in dict.fromkeys(keys) if k is not None]
    if read := temporal.parse(present):
        days, grain = read
        if grain is Grain.DAY:
            grain = temporal.coarsest(list(days.values()), grain, name)
        times: list[Key] = [None if k is None else days[k] for k in keys]
        return Dimension(name, Kind.TIME, times, grain=grain)
    if present and all(re.fullmatch(r"-?\d{1,9}(\.\d{1,6})?", k) for k in present):
        canonical = "month" in name.lower() or all(k == str(int(float(k))) for k in present)
        if canonical:
            floats = np.array([np.nan if k is None else float(k) for k in keys])
            return _from_numbers(name, floats)
        return Dimension(name, Kind.ORDERED, keys, rank={k: float(k) for k in present})
    rank = natural_orders.ranks(present)
    return Dimension(name, Kind.ORDERED if rank else Kind.CATEGORY, keys, rank=rank)
