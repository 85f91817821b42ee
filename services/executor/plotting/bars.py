"""Bars: one for each category, side by side, or on top of each other, upright or lying."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from services.executor.plotting import measure, scales, style, temporal
from services.executor.plotting.arguments import ChartType
from services.executor.plotting.brief import Brief
from services.executor.plotting.columns import MISSING, Kind, Numbers
from services.executor.plotting.grid import Grid
from services.executor.plotting.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.artist import Artist

BAND = 0.76
MOST_VALUE_TEXTS = 30
VALUE_SIZE = 8.0
AXIS_ROOM = 150.0


def draw(brief: Brief, grid: Grid, kind: ChartType) -> Sheet:
    """The bars of a grid whose keys are already in order and few enough."""
    lying = _should_lie(grid)
    sheet = Sheet(brief.title, brief.subtitle, brief.footer, _height(grid, kind, lying))
    stacked = kind is ChartType.STACKED_BAR
    if len(grid.series) > 1:
        upwards = stacked and not lying
        sheet.legend(_handles(grid), grid.series, brief.series_label, upwards=upwards)
    low, high = _extent(grid, stacked)
    one = len(grid.series) == 1
    written = (one or stacked) and lying
    low, high = scales.limits(
        low, high, zero=True, pad_low=0.18 if written else 0.08, pad_high=0.14 if written else 0.08
    )
    integer = _whole(grid.values)
    places = np.arange(len(grid.keys), dtype=float)
    if lying:
        room = sheet.width * 0.3
        lines = 1 if len(places) > 22 else 2
        texts = measure.wrap_distinct(grid.labels, style.TICK_SIZE, room, lines)
        sheet.ticks_up(places.tolist(), texts, brief.x_label)
        sheet.axes.set_ylim(len(places) - 0.4, -0.6)
        sheet.numbers_across(low, high, brief.y_label, brief.unit, integer=integer)
    else:
        sheet.numbers_up(low, high, brief.y_label, brief.unit, integer=integer)
        side = _side(len(places))
        sheet.axes.set_xlim(-side, len(places) - 1 + side)
        _name_bands(sheet, grid, brief.x_label)
    _bars(sheet, grid, places, stacked, lying)
    if one or stacked:
        ends = grid.values[0] if one else grid.totals()
        _write_values(sheet, ends, places, lying, brief.unit)
    _zero_line(sheet, low, lying)
    sheet.finish()
    return sheet


def _should_lie(grid: Grid) -> bool:
    """Whether names are too many or too long to stand under upright bars."""
    if grid.x.kind in (Kind.NUMBER, Kind.TIME, Kind.ORDERED):
        return False
    room = (style.WIDTH_INCHES * style.DOTS_PER_INCH - AXIS_ROOM) / len(grid.keys) - 10
    if len(grid.keys) > 12:
        return True
    return measure.wrapped_without_loss(grid.labels, style.TICK_SIZE, room, 2) is None


def _side(count: int) -> float:
    """Room beside the outermost bars, in bands: one or two bars do not fill the whole width."""
    return {1: 1.6, 2: 1.1}.get(count, 0.6)


def _height(grid: Grid, kind: ChartType, lying: bool) -> float:
    if not lying:
        return style.HEIGHT_INCHES
    rows = len(grid.keys)
    thick = 0.27
    if kind is ChartType.GROUPED_BAR:
        thick = max(thick, 0.1 * len(grid.series) + 0.08)
    return min(max(1.6 + thick * rows, 3.0), 14.0)


def _extent(grid: Grid, stacked: bool) -> tuple[float, float]:
    values = grid.totals() if stacked else grid.values
    return float(np.nanmin(values)), float(np.nanmax(values))


def _whole(values: Numbers) -> bool:
    present = values[~np.isnan(values)]
    return bool((present == np.round(present)).all())


def _look(grid: Grid, index: int) -> dict[str, Any]:
    other = grid.folded > 0 and index == len(grid.series) - 1
    absent = len(grid.series) > 1 and grid.series[index] == MISSING
    colour = style.ABSENT if absent else style.colour(index, other=other)
    return {"facecolor": colour, "edgecolor": "white", "linewidth": 0.6}


def _handles(grid: Grid) -> list[Artist]:
    from matplotlib.patches import Patch

    return [Patch(**_look(grid, i)) for i in range(len(grid.series))]


def _name_bands(sheet: Sheet, grid: Grid, label: str) -> None:
    """Names under upright bars: whole, broken, slanted, or every so many of them."""
    labels, count = grid.labels, len(grid.keys)
    places = [float(i) for i in range(count)]
    days = [key for key in grid.keys if isinstance(key, float)]
    dated = grid.x.kind is Kind.TIME and len(days) == count
    slot = sheet.plot_width / (count - 1 + 2 * _side(count))
    texts = measure.wrapped_without_loss(labels, style.TICK_SIZE, slot - 10, 1)
    texts = texts or measure.wrapped_without_loss(labels, style.TICK_SIZE, slot - 8, 2)
    if dated and grid.x.grain is not None:
        short = temporal.stacked(days, grid.x.grain)
        texts = short if _widest(short) <= slot - 8 else None
    if texts is not None:
        sheet.ticks_across(places, texts, label)
        return
    if grid.x.kind is Kind.ORDERED and slot > measure.height(style.TICK_SIZE) * 1.2:
        short = [measure.fit(t, style.TICK_SIZE, sheet.height * 0.25) for t in labels]
        sheet.ticks_across(places, short, label, rotation=45)
        return
    widest = _widest(labels) + 14
    every = next((n for n in (1, 2, 3, 4, 5, 6, 10, 12, 20, 24, 50) if n * slot >= widest), 60)
    chosen = range(0, count, every)
    sheet.ticks_across([places[i] for i in chosen], [labels[i] for i in chosen], label)


def _widest(texts: Sequence[str]) -> float:
    return max(measure.width(line, style.TICK_SIZE) for text in texts for line in text.split("\n"))


def _bars(sheet: Sheet, grid: Grid, places: Numbers, stacked: bool, lying: bool) -> None:
    count = 1 if stacked else len(grid.series)
    thick = BAND / count
    base = np.zeros(len(places))
    for index in range(len(grid.series)):
        values = np.nan_to_num(grid.values[index])
        shift = 0.0 if stacked else (index - (count - 1) / 2) * thick
        start = base if stacked else np.zeros(len(places))
        look = _look(grid, index)
        if lying:
            sheet.axes.barh(places + shift, values, thick, left=start, **look)
        else:
            sheet.axes.bar(places + shift, values, thick, bottom=start, **look)
        base = base + values if stacked else base


def _write_values(
    sheet: Sheet, values: Numbers, places: Numbers, lying: bool, unit: str | None
) -> None:
    """Each bar's value, or a stack's total, at its end, if all of them find room."""
    texts = scales.value_texts(values.tolist(), unit)
    room = sheet.plot_width / (len(places) - 1 + 2 * _side(len(places)))
    widest = max(measure.width(t, VALUE_SIZE) for t in texts)
    if len(places) > MOST_VALUE_TEXTS or (not lying and widest + 6 > room):
        return
    for place, value, text in zip(places, values, texts, strict=True):
        if not text:
            continue
        ahead = 1 if value >= 0 else -1
        sheet.axes.annotate(
            text,
            (float(value), float(place)) if lying else (float(place), float(value)),
            xytext=(3 * ahead, 0) if lying else (0, 3 * ahead),
            textcoords="offset points",
            ha=("left" if ahead > 0 else "right") if lying else "center",
            va="center_baseline" if lying else ("bottom" if ahead > 0 else "top"),
            fontproperties=style.font(VALUE_SIZE),
            color=style.INK,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4},
        )


def _zero_line(sheet: Sheet, low: float, lying: bool) -> None:
    sheet.axes.spines["bottom"].set_visible(not lying and low >= 0)
    if low < 0 or lying:
        line = sheet.axes.axvline if lying else sheet.axes.axhline
        line(0, color="#8a8a8a", linewidth=0.8, zorder=3)
