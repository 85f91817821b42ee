"""What in leaves would explain by itself that they are off their forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.metric.cube import Chosen, Numbers
from services.executor.metric.leaves import number_called, rows_of_leaves
from services.executor.metric.quality.found import Found, Severity

_HALF = 0.5
"""A fault is what would make the difference at most half as large if it were left out."""
_FEWEST_RATIOS = 5
"""Leaves with both values of which a typical quotient says something of the unit."""
_NEAR_POWER = 0.05
"""How far, as a decimal logarithm, the typical quotient may be from a power of ten: 12 %."""


class Asked(Protocol):
    """The arguments of metric.leaf_quality."""

    @property
    def relation(self) -> str | None:
        """One SELECT."""

    @property
    def params(self) -> Sequence[object]:
        """Its parameters."""

    @property
    def input(self) -> str | None:
        """A step in its place."""

    @property
    def dimensions(self) -> Sequence[str]:
        """Columns that make a leaf."""

    @property
    def complete(self) -> bool:
        """Whether these are all the columns that make a leaf."""

    @property
    def measures(self) -> Sequence[tuple[str, str | None]]:
        """Columns of forecast and real values, each with that of a ratio's denominator."""


@dataclass(frozen=True, eq=False)
class _Sides:
    """Numbers of all rows [rows]: `forecast` and `real` with `below` each (ones unless a ratio);
    nan where missing. `repeats` marks rows that are there before with the same numbers."""

    forecast: Numbers
    real: Numbers
    forecast_below: Numbers
    real_below: Numbers
    repeats: Chosen
    ratio: bool

    @property
    def known_forecast(self) -> Chosen:
        """Rows whose forecast is there, in all its columns."""
        return np.isfinite(self.forecast) & np.isfinite(self.forecast_below)

    @property
    def known_real(self) -> Chosen:
        """Rows whose real value is there."""
        return np.isfinite(self.real) & np.isfinite(self.real_below)

    def whole(self, chosen: Chosen) -> tuple[float, float]:
        """Forecast and real value of these rows together; 0 for a ratio of nothing."""
        return (
            self._value(self.forecast, self.forecast_below, chosen),
            self._value(self.real, self.real_below, chosen),
        )

    def _value(self, above: Numbers, below: Numbers, chosen: Chosen) -> float:
        total = float(np.nansum(above[chosen]))
        if not self.ratio:
            return total
        under = float(np.nansum(below[chosen]))
        return total / under if under else 0.0


def leaf_faults(asked: Asked, context: ToolContext) -> list[Found]:
    """What was found, in no order. Raises ToolError."""
    sides = _sides(asked, context)
    if not len(sides.real):
        raise ToolError(ErrorCategory.INVALID_ARGUMENTS, "there are no leaves.")
    forecast, real = sides.known_forecast, sides.known_real
    found = [
        _of(
            sides,
            "repeated_leaf",
            sides.repeats,
            "repeats another leaf with the same numbers",
            "repeat other leaves with the same numbers",
        ),
        _of(
            sides,
            "missing_value",
            forecast & ~real,
            "has a forecast and no actual value",
            "have a forecast and no actual value",
        ),
        _of(
            sides,
            "missing_forecast",
            real & ~forecast,
            "has an actual value and no forecast",
            "have an actual value and no forecast",
        ),
    ]
    found.append(_unit(sides))
    with np.errstate(invalid="ignore"):
        negative = (sides.forecast < 0) | (sides.real < 0)
        nothing_came = (sides.forecast > 0) & (sides.real == 0)
        nothing_text = (sides.real > 0) & (sides.forecast == 0)
    for check, chosen, text in (
        ("negative", negative, "below 0"),
        ("zero_value", nothing_came, "with a forecast came as 0"),
        ("zero_forecast", nothing_text, "forecast as 0 came as more"),
    ):
        detail = f"{_counted(chosen)} {text}"
        found.append(_note(sides, check, chosen, detail) if chosen.any() else None)
    return [one for one in found if one is not None]


def _of(sides: _Sides, check: str, chosen: Chosen, one: str, several: str) -> Found | None:
    if not chosen.any():
        return None
    before, after = sides.whole(np.ones(len(chosen), dtype=bool))
    others = sides.whole(~chosen)
    left = abs(others[1] - others[0])
    severity: Severity = "fault" if left <= _HALF * abs(after - before) else "doubt"
    count = int(chosen.sum())
    detail = f"{_counted(chosen)} {one if count == 1 else several}"
    return Found(check, severity, detail, *sides.whole(chosen), weight=count)


def _unit(sides: _Sides) -> Found | None:
    """Typically real is ten, a hundred or a thousand times the forecast, or such a part of it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.log10(
            (sides.real / sides.real_below) / (sides.forecast / sides.forecast_below)
        )
    quotient = quotient[np.isfinite(quotient)]
    if len(quotient) < _FEWEST_RATIOS:
        return None
    power = round(float(np.median(quotient)))
    within = np.abs(quotient - power) <= _NEAR_POWER
    if not power or within.mean() < _HALF:
        return None
    times = f"{10 ** abs(power):,}"
    how = f"{times} times the forecast" if power > 0 else f"a part of {times} of the forecast"
    everything = np.ones(len(sides.real), dtype=bool)
    detail = f"actual values are typically {how}, as if in another unit"
    return Found("unit_change", "fault", detail, *sides.whole(everything), weight=len(quotient))


def _note(sides: _Sides, check: str, chosen: Chosen, detail: str) -> Found:
    return Found(check, "note", detail, *sides.whole(chosen), weight=int(chosen.sum()))


def _counted(chosen: Chosen) -> str:
    count = int(chosen.sum())
    return f"{count:,} {'leaf' if count == 1 else 'leaves'}"


def _sides(asked: Asked, context: ToolContext) -> _Sides:
    columns = [name for pair in asked.measures for name in pair if name is not None]
    table = rows_of_leaves(
        context, asked.relation, asked.params, asked.input, asked.dimensions, columns
    )
    numbers = [_numbers(table, at) for at in range(len(columns))]
    ratio = len(columns) > 2
    ones = np.ones(table.num_rows)
    forecast, forecast_below = numbers[:2] if ratio else (numbers[0], ones)
    real, real_below = numbers[2:] if ratio else (numbers[1], ones)
    repeats = _repeats(table, real) if asked.complete else np.zeros(table.num_rows, dtype=bool)
    return _Sides(forecast, real, forecast_below, real_below, repeats, ratio)


def _numbers(table: pa.Table, at: int) -> Numbers:
    column = table.column(number_called(at))
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def _repeats(table: pa.Table, real: Numbers) -> Chosen:
    """Rows after the first of those that are the same in everything, and not nothing."""
    place = pa.array(np.arange(table.num_rows))
    firsts = (
        table.append_column("place", place)
        .group_by(table.column_names, use_threads=False)
        .aggregate([("place", "min")])
    )
    again = np.ones(table.num_rows, dtype=bool)
    again[firsts.column("place_min").to_numpy()] = False
    return np.asarray(again & np.isfinite(real) & (real != 0))
