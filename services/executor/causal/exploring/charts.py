"""Charts of an exploration: correlations, distributions, and what is missing."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from mesh.tool import ToolFile
from services.executor.causal.exploring.associations import Pair
from services.executor.causal.profiling.columns import Column
from services.executor.plotting import measure, scales, style
from services.executor.plotting.brief import Brief
from services.executor.plotting.columns import dimension
from services.executor.plotting.grid import Grid
from services.executor.plotting.parts import draw_heatmap
from services.executor.plotting.sheet import MARGIN, Sheet
from services.executor.plotting.text import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_SHADES = 25
_MOST_PANELS = 12
_MOST_BARS = 5
_BETWEEN_NAMES = 14.0
"""Pixels between the names of two bars: closer, they read as one."""
_ACROSS = 3
_HEAD, _GAP, _FOOT, _TALL = 24.0, 26.0, 26.0, 130.0
_ORDER = {"spearman": 1}


def charts(
    columns: Sequence[Column], found: Sequence[Pair], treatment: str | None, outcome: str | None
) -> list[ToolFile]:
    """Those that have something to show."""
    rows = len(columns[0].missing)
    first = [name for name in (treatment, outcome) if name is not None]
    usable = sorted((c for c in columns if c.usable), key=lambda c: c.name not in first)
    made = [
        _correlations(usable[:_MOST_SHADES], found, rows, len(usable)),
        _distributions(usable[:_MOST_PANELS], rows, len(usable)),
        _missing(columns, rows),
    ]
    return [file for file in made if file is not None]


def _correlations(
    columns: Sequence[Column], found: Sequence[Pair], rows: int, of: int
) -> ToolFile | None:
    names = [column.name for column in columns]
    values = {}
    for pair in sorted(found, key=lambda p: -_ORDER.get(p.statistic, 0)):  # Pearson's comes last
        values[pair.one, pair.other] = values[pair.other, pair.one] = pair.value
    if len(names) < 2 or not values:
        return None
    matrix = np.array(
        [[1.0 if a == b else values.get((a, b), np.nan) for b in names] for a in names]
    )
    left_out = f"; the first {len(names)} of {of} columns" if of > len(names) else ""
    title = "How columns go together"
    text = "Pearson's correlation of numbers, Cramér's V of levels, correlation ratio of both"
    words = Brief(title, text + left_out, "", "Strength", "", f"{rows:,} rows", None)
    shown = tuple(clean(name) for name in names)
    across = dimension(pa.table({"column": shown}), "column", "name")
    sheet = draw_heatmap(words, Grid(across, tuple(across.keys), shown, np.round(matrix, 2) + 0.0))
    return _file("correlations", title, sheet, rows)


def _missing(columns: Sequence[Column], rows: int) -> ToolFile | None:
    gaps = {c.name: 100 * float(c.missing.mean()) for c in columns if c.missing.any()}
    if not gaps:
        return None
    shown = sorted(gaps, key=lambda name: (-gaps[name], name))[:_MOST_SHADES]
    title = f"{len(gaps)} columns have missing values" if len(gaps) > 1 else "1 column has gaps"
    sentence = "Share of rows without a value"
    if len(gaps) > len(shown):
        sentence += f"; the {len(shown)} with the most"
    sheet = Sheet(title, sentence, f"{rows:,} rows", min(max(1.5 + 0.3 * len(shown), 2.4), 10.0))
    names = measure.wrap_distinct([clean(n) for n in shown], style.TICK_SIZE, sheet.width * 0.32, 1)
    places = np.arange(len(shown), dtype=float)
    sheet.ticks_up(places.tolist(), names, "")
    sheet.axes.set_ylim(len(shown) - 0.4, -0.6)
    heights = [gaps[name] for name in shown]
    sheet.numbers_across(0.0, min(118.0, max(heights) * 1.18), "", "%")
    sheet.axes.barh(places, heights, 0.7, color=style.colour(0))
    for place, text in zip(places, scales.value_texts(heights, "%"), strict=True):
        sheet.axes.annotate(
            text,
            (heights[int(place)], float(place)),
            xytext=(4, 0),
            textcoords="offset points",
            va="center_baseline",
            fontproperties=style.font(8.5),
            color=style.INK,
        )
    sheet.finish()
    return _file("missingness", title, sheet, rows)


def _distributions(columns: Sequence[Column], rows: int, of: int) -> ToolFile | None:
    if not columns:
        return None
    across = min(_ACROSS, len(columns))
    down = -(-len(columns) // across)
    height = (90 + down * (_HEAD + _TALL + _FOOT + _GAP)) / style.DOTS_PER_INCH + 0.35
    text = "Number of rows by value; each panel has scales of its own"
    if of > len(columns):
        text += f"; the first {len(columns)} of {of} columns"
    title = "How values are spread"
    sheet = Sheet(title, text, f"{rows:,} rows", height)
    wide = (sheet.width - 2 * MARGIN - _GAP * (across - 1)) / across
    for place, column in enumerate(columns):
        row, at = divmod(place, across)
        left = MARGIN + at * (wide + _GAP)
        top = sheet.top + row * (_HEAD + _TALL + _FOOT + _GAP)
        name = measure.fit(clean(column.name), style.TICK_SIZE, wide, bold=True)
        sheet.write(name, left, top, style.TICK_SIZE, bold=True)
        axes = _panel(sheet, left, top + _HEAD, wide)
        if column.codes is None or (column.kind == "ordinal" and len(column.levels) > _MOST_BARS):
            _histogram(axes, column, wide)
        else:
            _bars(sheet, axes, column, wide)
    sheet.axes.remove()
    sheet.axes = sheet.figure.axes[0]
    sheet.take_text_literally()
    return _file("distributions", title, sheet, rows)


def _panel(sheet: Sheet, left: float, top: float, wide: float) -> Axes:
    axes = sheet.figure.add_axes(
        (
            left / sheet.width,
            1 - (top + _TALL) / sheet.height,
            wide / sheet.width,
            _TALL / sheet.height,
        )
    )
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color("#8a8a8a")
        spine.set_linewidth(0.8)
    axes.set_yticks([])
    return axes


def _histogram(axes: Axes, column: Column, wide: float) -> None:
    assert column.numbers is not None
    values = column.numbers[~column.missing]
    low, high = float(values.min()), float(values.max())
    whole = bool((values == np.round(values)).all()) and high - low <= 30
    edges = np.arange(low - 0.5, high + 1) if whole else np.linspace(low, high, 31)
    axes.hist(values, bins=edges.tolist(), color=style.colour(0), edgecolor="white", linewidth=0.4)
    if column.is_date:
        at = [low, high]
        texts = [str(np.datetime64(int(day), "D")) for day in at]
    else:
        at = scales.ticks(low, high, most=4)
        texts = scales.tick_texts(at)
        if sum(measure.width(text, style.TICK_SIZE) + 14 for text in texts) > wide:
            at, texts = [at[0], at[-1]], [texts[0], texts[-1]]
    _name(axes, at, texts, widest=column.is_date)


def _bars(sheet: Sheet, axes: Axes, column: Column, wide: float) -> None:
    assert column.codes is not None
    counts = np.bincount(column.codes[~column.missing], minlength=len(column.levels))
    order = list(range(len(counts)))
    if column.kind == "categorical":
        order.sort(key=lambda i: (-counts[i], i))
    kept = order[:_MOST_BARS] if len(order) <= _MOST_BARS else order[: _MOST_BARS - 1]
    heights, names = [int(counts[i]) for i in kept], [clean(column.levels[i]) for i in kept]
    if len(kept) < len(order):
        heights.append(int(counts.sum()) - sum(heights))
        names.append(f"+ {len(order) - len(kept)}")
    colours = [style.colour(0)] * len(kept) + [style.OTHER] * (len(heights) - len(kept))
    axes.bar(range(len(heights)), heights, 0.76, color=colours)
    axes.set_xlim(-0.6, len(heights) - 0.4)
    room = wide / len(heights) - _BETWEEN_NAMES
    _name(axes, list(range(len(heights))), [measure.fit(n, style.TICK_SIZE, room) for n in names])


def _name(axes: Axes, at: Sequence[float], texts: Sequence[str], *, widest: bool = False) -> None:
    axes.set_xticks(list(at), list(texts), fontproperties=style.font(style.TICK_SIZE))
    axes.set_xticks([], minor=True)
    axes.tick_params(axis="x", length=3, color="#8a8a8a", labelcolor=style.INK)
    if widest and len(at) == 2:
        first, last = axes.get_xticklabels()
        first.set_horizontalalignment("left")
        last.set_horizontalalignment("right")


def _file(kind: str, title: str, sheet: Sheet, rows: int) -> ToolFile:
    buffer = io.BytesIO()
    canvas: Any = sheet.figure.canvas
    canvas.print_png(buffer, metadata={"Software": None})
    about = {"chart_type": kind, "title": title, "rows": rows}
    return ToolFile(f"eda_{kind}.png", "chart", "image/png", buffer.getvalue(), about)
