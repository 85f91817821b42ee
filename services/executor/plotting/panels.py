"""Small charts beside each other, where one would hold too many lines or numbers of two kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from services.executor.plotting import lines, measure, scales, style
from services.executor.plotting.arguments import ChartType
from services.executor.plotting.brief import Brief
from services.executor.plotting.columns import Kind, Numbers
from services.executor.plotting.grid import Grid
from services.executor.plotting.sheet import MARGIN, Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 12
_ACROSS = 3
_HEAD = 26.0
_GAP = 26.0
_PANEL_HEIGHT = 1.5
_BAND = 0.76


def draw_series(brief: Brief, grid: Grid, *, additive: bool) -> Sheet:
    """One small line chart for each series, all on the same scales, in the grid's order."""
    count = len(grid.series)
    across = min(_ACROSS, count)
    rows = -(-count // across)
    low, high = lines.value_range(grid, ChartType.LINE, log=False, additive=additive)
    cut = "" if low <= 0 else " · the vertical axes do not begin at zero"
    footer = f"{brief.footer}{cut}"
    sheet = Sheet(brief.title, brief.subtitle, footer, 1.5 + _PANEL_HEIGHT * rows)
    at = scales.ticks(low, high, most=4)
    texts = scales.tick_texts(at, brief.unit)
    places = lines.positions(grid)
    _leave_room(sheet, texts, brief)
    wide = (sheet.plot_width - _GAP * (across - 1)) / across
    tall = (sheet.plot_height - (_HEAD + _GAP) * rows + _GAP) / rows
    for index, name in enumerate(grid.series):
        row, column = divmod(index, across)
        left = sheet.left + column * (wide + _GAP)
        top = sheet.top + row * (tall + _HEAD + _GAP) + _HEAD
        axes = _axes(sheet, left, top, wide, tall)
        axes.plot(
            places,
            grid.values[index],
            color=style.colour(0),
            linewidth=1.7,
            clip_on=False,
            marker="o" if _alone(grid.values[index]) else "",
            markersize=4,
        )
        axes.set_ylim(low, high)
        axes.grid(visible=True, axis="y", color=style.GRID, linewidth=0.8)
        _name_numbers(axes, at, texts if column == 0 else [""] * len(at))
        below = index + across >= count
        _name_ends(axes, grid, places, wide, shown=below)
        shown = measure.fit(name, style.TICK_SIZE, wide, bold=True)
        sheet.write(shown, left, top - _HEAD + 4, style.TICK_SIZE, bold=True)
    _name_axes(sheet, brief)
    return sheet


def draw_measures(
    brief: Brief, grids: Sequence[Grid], labels: Sequence[str], units: Sequence[str | None]
) -> Sheet:
    """One panel for each number over the same keys, each on a scale of its own.

    Along something with an order the panels stand on each other as lines, else beside each other as
    lying bars that share their names.
    """
    if grids[0].x.kind in (Kind.TIME, Kind.NUMBER):
        return _stacked_lines(brief, grids, labels, units)
    return _bars_beside(brief, grids, labels, units)


def _stacked_lines(
    brief: Brief, grids: Sequence[Grid], labels: Sequence[str], units: Sequence[str | None]
) -> Sheet:
    count = len(grids)
    sheet = Sheet(brief.title, brief.subtitle, brief.footer, 1.6 + 1.7 * count)
    ranges = [lines.value_range(g, ChartType.LINE, log=False, additive=True) for g in grids]
    ticks = [scales.ticks(*bounds, most=4) for bounds in ranges]
    texts = [scales.tick_texts(at, unit) for at, unit in zip(ticks, units, strict=True)]
    _leave_room(sheet, [text for row in texts for text in row], brief, named=False)
    tall = (sheet.plot_height - (_HEAD + _GAP) * count + _GAP) / count
    for index, grid in enumerate(grids):
        top = sheet.top + index * (tall + _HEAD + _GAP) + _HEAD
        axes = _axes(sheet, sheet.left, top, sheet.plot_width, tall)
        places = lines.positions(grid)
        marker = "o" if len(places) <= lines.MARKED_POINTS else ""
        axes.plot(
            places,
            grid.values[0],
            color=style.colour(index),
            linewidth=1.8,
            clip_on=False,
            marker=marker,
            markersize=4,
        )
        axes.set_ylim(*ranges[index])
        axes.grid(visible=True, axis="y", color=style.GRID, linewidth=0.8)
        _name_numbers(axes, ticks[index], texts[index])
        _name_ends(axes, grid, places, sheet.plot_width, shown=index == count - 1)
        sheet.write(labels[index], sheet.left, top - _HEAD + 4, style.TICK_SIZE, bold=True)
    _name_axes(sheet, brief)
    return sheet


def _bars_beside(
    brief: Brief, grids: Sequence[Grid], labels: Sequence[str], units: Sequence[str | None]
) -> Sheet:
    keys, count = len(grids[0].keys), len(grids)
    sheet = Sheet(brief.title, brief.subtitle, brief.footer, min(max(1.9 + 0.3 * keys, 3.2), 14.0))
    names = measure.wrap_distinct(grids[0].labels, style.TICK_SIZE, sheet.width * 0.24, 1)
    sheet.left += max(measure.width(name, style.TICK_SIZE) for name in names) + 12
    sheet.top += _HEAD
    sheet.bottom += 8
    wide = (sheet.plot_width - _GAP * (count - 1)) / count
    for index, grid in enumerate(grids):
        left = sheet.left + index * (wide + _GAP)
        axes = _axes(sheet, left, sheet.top, wide, sheet.plot_height)
        values = grid.values[0]
        places = np.arange(keys, dtype=np.float64)
        axes.barh(places, np.nan_to_num(values), _BAND, color=style.colour(index))
        axes.set_ylim(keys - 0.4, -0.6)
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        axes.set_xlim(*scales.limits(low, high, zero=True, pad_low=0.3, pad_high=0.3))
        _name_numbers(axes, places.tolist(), names if index == 0 else [""] * keys)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        axes.axvline(0, color="#8a8a8a", linewidth=0.8)
        for place, value, text in zip(
            places, values, scales.value_texts(values.tolist(), units[index]), strict=True
        ):
            axes.annotate(
                text,
                (0.0 if np.isnan(value) else float(value), float(place)),
                xytext=(3, 0),
                textcoords="offset points",
                va="center_baseline",
                fontproperties=style.font(8.0),
                color=style.INK,
            )
        shown = measure.fit(labels[index], style.TICK_SIZE, wide, bold=True)
        sheet.write(shown, left, sheet.top - _HEAD + 2, style.TICK_SIZE, bold=True)
    _finish(sheet)
    return sheet


def _leave_room(sheet: Sheet, texts: Sequence[str], brief: Brief, *, named: bool = True) -> None:
    """Room at the left for the numbers and their name, below for the names along x."""
    sheet.left += max(measure.width(text, style.TICK_SIZE) for text in texts) + 10
    if named and brief.y_label:
        sheet.left += measure.height(style.LABEL_SIZE) + 6
    sheet.y_label = brief.y_label if named else ""
    sheet.x_label = brief.x_label
    sheet.bottom += measure.height(style.TICK_SIZE, 2) + measure.height(style.LABEL_SIZE) + 14
    sheet.right = MARGIN * 1.8


def _axes(sheet: Sheet, left: float, top: float, wide: float, tall: float) -> Axes:
    """Axes at pixels from the left and from the top, with a line below and nothing else."""
    axes = sheet.figure.add_axes(
        (
            left / sheet.width,
            1 - (top + tall) / sheet.height,
            wide / sheet.width,
            tall / sheet.height,
        )
    )
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color("#8a8a8a")
        spine.set_linewidth(0.8)
    axes.set_axisbelow(True)
    return axes


def _name_numbers(axes: Axes, at: Sequence[float], texts: Sequence[str]) -> None:
    axes.set_yticks(at, texts, fontproperties=style.font(style.TICK_SIZE))
    axes.set_yticks([], minor=True)
    axes.tick_params(axis="y", length=0, labelcolor=style.INK)


def _name_ends(axes: Axes, grid: Grid, places: Numbers, wide: float, *, shown: bool) -> None:
    """As many of the keys as find room: all, every so many, or only the first and the last."""
    low, high = float(places[0]), float(places[-1])
    room = (high - low) * 0.03 or 1.0
    axes.set_xlim(low - room, high + room)
    labels = grid.labels
    widest = max(measure.width(text, style.TICK_SIZE) for text in labels) * 1.5 + 10
    every = next((n for n in range(1, len(labels)) if wide * n / len(labels) >= widest), 0)
    chosen = list(range(0, len(labels), every)) if every else [0, len(labels) - 1][: len(labels)]
    texts = [labels[i] if shown else "" for i in chosen]
    axes.set_xticks(
        [float(places[i]) for i in chosen], texts, fontproperties=style.font(style.TICK_SIZE)
    )
    axes.set_xticks([], minor=True)
    named = dict(zip(chosen, axes.get_xticklabels(), strict=True))
    if 0 in named:
        named[0].set_horizontalalignment("left")
    if len(labels) > 1 and len(labels) - 1 in named:
        named[len(labels) - 1].set_horizontalalignment("right")
    axes.tick_params(axis="x", length=3, color="#8a8a8a", labelcolor=style.INK)


def _alone(values: Numbers) -> bool:
    """Whether some point has no neighbour, so that no line would show it."""
    return bool(lines.alone(values).any())


def _name_axes(sheet: Sheet, brief: Brief) -> None:
    if sheet.y_label:
        middle = sheet.top + sheet.plot_height / 2
        text = measure.fit(sheet.y_label, style.LABEL_SIZE, sheet.plot_height)
        sheet.write(text, MARGIN * 0.7, middle, style.LABEL_SIZE, rotation=90, va="center")
    if sheet.x_label:
        y = sheet.height - sheet.foot - 10
        x = sheet.left + sheet.plot_width / 2
        sheet.write(brief.x_label, x, y, style.LABEL_SIZE, ha="center", va="bottom")
    _finish(sheet)


def _finish(sheet: Sheet) -> None:
    """Without the sheet's own axes, which the panels stand in for."""
    sheet.axes.remove()
    sheet.axes = sheet.figure.axes[0]
    sheet.take_text_literally()
