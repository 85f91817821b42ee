"""Parts of a whole, and values in two directions: pies and heatmaps."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from services.executor.plotting import measure, scales, style
from services.executor.plotting.brief import Brief
from services.executor.plotting.colour_key import draw_key, leave_room
from services.executor.plotting.grid import Grid
from services.executor.plotting.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.image import AxesImage

MOST_SLICES = 7
MOST_WRITTEN_CELLS = 200
DIVERGING = "PuOr"


def draw_pie(brief: Brief, grid: Grid) -> Sheet:
    """A pie of few, positive parts; each is named at its side with its value and share."""
    values = grid.values[0]
    total = float(values.sum())
    sheet = Sheet(brief.title, brief.subtitle, brief.footer)
    axes = sheet.axes
    patches, *_ = axes.pie(
        values, startangle=90, counterclock=False, radius=1.0, wedgeprops={"clip_on": False}
    )
    for index, wedge in enumerate(patches):
        wedge.set(
            facecolor=style.colour(index),
            edgecolor="white",
            linewidth=1.2,
        )
    places = _spread(_sides(values / total))
    for (side, height, angle), label, value in zip(places, grid.labels, values, strict=True):
        name = measure.fit(label, style.LABEL_SIZE, sheet.width * 0.24)
        share = f"{100 * value / total:.1f} %"
        sentence = f"{scales.value_text(float(value), brief.unit)} · {share}"
        text = f"{name}\n{share if brief.unit == '%' else sentence}"
        axes.annotate(
            text,
            (np.sin(angle) * 0.98, np.cos(angle) * 0.98),
            xytext=(side * 1.32, height),
            va="center",
            ha="left" if side > 0 else "right",
            fontproperties=style.font(style.TICK_SIZE),
            color=style.INK,
            arrowprops={"arrowstyle": "-", "color": "#8a8a8a", "linewidth": 0.8, "shrinkB": 0},
        )
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set(xlim=(-2.4, 2.4), ylim=(-1.12, 1.12), xticks=[], yticks=[], aspect="equal")
    sheet.finish()
    return sheet


def _sides(shares: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[tuple[int, float, float]]:
    """For each slice the side its name stands on, its height, and its middle's angle."""
    ends = np.cumsum(shares)
    middles = 2 * np.pi * (ends - shares / 2)
    return [(1 if np.sin(a) >= 0 else -1, 1.08 * float(np.cos(a)), float(a)) for a in middles]


def _spread(places: list[tuple[int, float, float]]) -> list[tuple[int, float, float]]:
    """Names of one side moved apart until none covers another."""
    apart = 0.3
    heights = [height for _, height, _ in places]
    for side in (1, -1):
        mine = sorted((i for i, p in enumerate(places) if p[0] == side), key=lambda i: -heights[i])
        for above, below in pairwise(mine):
            heights[below] = min(heights[below], heights[above] - apart)
        if mine and heights[mine[-1]] < -1.05:
            heights[mine[-1]] = -1.05
            for below, above in pairwise(mine[::-1]):
                heights[above] = max(heights[above], heights[below] + apart)
    return [(s, h, a) for (s, _, a), h in zip(places, heights, strict=True)]


def draw_heatmap(brief: Brief, grid: Grid) -> Sheet:
    """Values as shades; a cell without a row stays grey, and few cells carry their number."""
    from matplotlib import colormaps

    rows, columns = grid.values.shape
    height = min(max(1.9 + 0.3 * rows, 3.4), 11.0)
    absent = bool(np.isnan(grid.values).any())
    footer = f"{brief.footer} · hatched: no value" if absent else brief.footer
    sheet = Sheet(brief.title, brief.subtitle, footer, height)
    if absent:
        sheet.axes.patch.set(hatch="////", edgecolor=style.ABSENT, linewidth=0)
    names = [measure.fit(n, style.TICK_SIZE, sheet.width * 0.22) for n in grid.series]
    sheet.ticks_up([float(i) for i in range(rows)], names, brief.series_label)
    low, high = float(np.nanmin(grid.values)), float(np.nanmax(grid.values))
    diverging = low < 0 < high
    if diverging:
        high = max(high, -low)
        low = -high
    elif low == high:
        low, high = min(low, 0.0), max(high, 0.0) or 1.0
    at = scales.ticks(low, high)
    left = leave_room(sheet, at, brief.unit)
    sheet.axes.set_xlim(-0.5, columns - 0.5)
    _name_columns(sheet, grid, brief.x_label)
    # The darker the more, as in cells of points.
    one_way = colormaps[style.COLOUR_MAP].reversed()
    colours = (colormaps[DIVERGING] if diverging else one_way).with_extremes(bad="none")
    image = sheet.axes.imshow(
        np.ma.masked_invalid(grid.values),
        cmap=colours,
        vmin=low,
        vmax=high,
        aspect="auto",
        interpolation="nearest",
        origin="upper",
    )
    for spine in sheet.axes.spines.values():
        spine.set_visible(False)
    if rows * columns <= MOST_WRITTEN_CELLS * 4:
        sheet.axes.hlines(np.arange(rows - 1) + 0.5, -0.5, columns - 0.5, "white", linewidth=0.8)
        sheet.axes.vlines(np.arange(columns - 1) + 0.5, -0.5, rows - 0.5, "white", linewidth=0.8)
    _write_cells(sheet, grid, image)
    draw_key(sheet, image, left, at, brief.y_label, brief.unit)
    sheet.finish()
    return sheet


def _name_columns(sheet: Sheet, grid: Grid, label: str) -> None:
    slot = sheet.plot_width / len(grid.keys)
    places = [float(i) for i in range(len(grid.keys))]
    texts = measure.wrapped_without_loss(grid.labels, style.TICK_SIZE, slot - 8, 2)
    if texts is not None:
        sheet.ticks_across(places, texts, label)
    elif slot > measure.height(style.TICK_SIZE) * 1.25:
        cut = [measure.fit(t, style.TICK_SIZE, 200) for t in grid.labels]
        sheet.ticks_across(places, cut, label, rotation=45)
    else:
        widest = max(measure.width(t, style.TICK_SIZE) for t in grid.labels) + 14
        every = max(1, int(-(-widest // slot)))
        cut = [measure.fit(t, style.TICK_SIZE, every * slot) for t in grid.labels[::every]]
        sheet.ticks_across(places[::every], cut, label)


def _write_cells(sheet: Sheet, grid: Grid, image: AxesImage) -> None:
    rows, columns = grid.values.shape
    size = 7.5
    texts = scales.value_texts(grid.values.ravel().tolist())
    widest = max(measure.width(text, size) for text in texts)
    tall = sheet.plot_height / rows
    if rows * columns > MOST_WRITTEN_CELLS or widest + 8 > sheet.plot_width / columns:
        return
    if tall < measure.height(size):
        return
    for place, text in enumerate(texts):
        if text:
            row, column = divmod(place, columns)
            red, green, blue, _ = image.to_rgba(grid.values[row, column])
            light = 0.299 * red + 0.587 * green + 0.114 * blue
            sheet.axes.text(
                column,
                row,
                text,
                ha="center",
                va="center_baseline",
                fontproperties=style.font(size),
                color="black" if light > 0.5 else "white",
            )
