"""How values are spread: histograms and boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from services.executor.plotting import measure, scales, style
from services.executor.plotting.brief import Brief
from services.executor.plotting.columns import Numbers
from services.executor.plotting.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.artist import Artist

MOST_BINS = 50


def bin_edges(values: Numbers, counts: Numbers | None = None) -> Numbers:
    """Round, equal bins: one for each whole number where few, else by spread and count.

    `counts` says how often each value is there, if not once.
    """
    low, high = float(values.min()), float(values.max())
    if low == high:
        half = abs(low) * 0.05 or 0.5
        return np.array([low - half, high + half])
    whole = bool((values == np.round(values)).all())
    if whole and high - low <= 30:
        return np.arange(low - 0.5, high + 1.0)
    quarter, third = _quartiles(values, counts)
    many = len(values) if counts is None else max(float(counts.sum()), 1.0)
    sturges = (high - low) / (math.log2(many) + 1)
    width = min(2 * (third - quarter) / many ** (1 / 3) or sturges, sturges)
    width = _round(max(width, (high - low) / MOST_BINS))
    if whole:
        width = max(width, 1.0)
    first = math.floor(low / width)
    count = max(math.floor(high / width) - first + 1, 1)
    return np.asarray((first + np.arange(count + 1)) * width, dtype=np.float64)


def _quartiles(values: Numbers, counts: Numbers | None) -> tuple[float, float]:
    if counts is None:
        low, high = np.percentile(values, [25, 75])
        return float(low), float(high)
    order = np.argsort(values)
    reached = np.cumsum(counts[order])
    places = np.searchsorted(reached, reached[-1] * np.array([0.25, 0.75]))
    return float(values[order][places[0]]), float(values[order][places[1]])


def _round(width: float) -> float:
    unit = 10.0 ** math.floor(math.log10(width))
    return min((unit * m for m in (1, 2, 5, 10)), key=lambda w: abs(math.log(w / width)))


def draw_histogram(
    brief: Brief, values: Numbers, groups: Sequence[str], group_of: Sequence[int]
) -> Sheet:
    """Counts in equal bins; several groups are drawn as outlines over the same bins."""
    from matplotlib.lines import Line2D

    sheet = Sheet(brief.title, brief.subtitle, brief.footer)
    member = np.array(group_of)
    shown = ~np.isnan(values) & (member >= 0)
    edges = bin_edges(values[shown])
    counts = [np.histogram(values[shown & (member == i)], edges)[0] for i in range(len(groups))]
    if len(groups) > 1:
        handles: list[Artist] = [
            Line2D([], [], color=style.colour(i), linestyle=style.DASHES[i], linewidth=2)
            for i in range(len(groups))
        ]
        sheet.legend(handles, list(groups), brief.series_label)
    top = float(max(c.max() for c in counts))
    low, high = scales.limits(0.0, top, zero=True)
    sheet.numbers_up(low, high, brief.y_label, None, integer=True)
    room = float(edges[-1] - edges[0]) * 0.02
    sheet.numbers_across(
        float(edges[0]) - room, float(edges[-1]) + room, brief.x_label, brief.unit, grid=False
    )
    if len(groups) == 1:
        sheet.axes.bar(
            edges[:-1],
            counts[0],
            np.diff(edges),
            align="edge",
            facecolor=style.colour(0),
            edgecolor="white",
            linewidth=0.8,
        )
    else:
        for index, count in enumerate(counts):
            colour = style.colour(index)
            sheet.axes.stairs(count, edges, fill=True, facecolor=colour, alpha=0.18)
            sheet.axes.stairs(
                count, edges, edgecolor=colour, linewidth=1.9, linestyle=style.DASHES[index]
            )
    sheet.finish()
    return sheet


def draw_bins(brief: Brief, low: Numbers, high: Numbers, counts: Numbers) -> Sheet:
    """Bars over ranges, each from `low` to `high`, that were counted before."""
    sheet = Sheet(brief.title, brief.subtitle, brief.footer)
    bottom, top = scales.limits(0.0, float(counts.max()), zero=True)
    sheet.numbers_up(bottom, top, brief.y_label, None, integer=True)
    room = float(high.max() - low.min()) * 0.02
    sheet.numbers_across(
        float(low.min()) - room, float(high.max()) + room, brief.x_label, brief.unit, grid=False
    )
    sheet.axes.bar(
        low,
        counts,
        high - low,
        align="edge",
        facecolor=style.colour(0),
        edgecolor="white",
        linewidth=0.8,
    )
    sheet.finish()
    return sheet


def draw_boxes(
    brief: Brief, groups: Sequence[str], samples: Sequence[Numbers], *, log: bool
) -> Sheet:
    """Median, quartiles, whiskers to 1.5 times the quartile range, and what lies beyond."""
    from matplotlib.cbook import boxplot_stats

    count = len(groups)
    names = [
        f"{g}\nn = {len(v):,}" if g else f"n = {len(v):,}"
        for g, v in zip(groups, samples, strict=True)
    ]
    slot = (style.WIDTH_INCHES * style.DOTS_PER_INCH - 150) / count - 10
    lying = count > 8 or any(
        measure.width(line, style.TICK_SIZE) > slot for n in names for line in n.split("\n")
    )
    height = min(max(1.6 + 0.4 * count, 3.0), 14.0) if lying else style.HEIGHT_INCHES
    sheet = Sheet(brief.title, brief.subtitle, brief.footer, height)
    everything = np.concatenate(list(samples))
    low, high = float(everything.min()), float(everything.max())
    near_zero = scales.starts_near_zero(low, high)
    low, high = (low / 1.3, high * 1.3) if log else scales.limits(low, high, zero=near_zero)
    places = [float(i) for i in range(count)]
    if lying:
        flat = [n.replace("\n", " · ") for n in names]
        room = sheet.width * 0.3
        cut = [
            measure.fit(g, style.TICK_SIZE, room - measure.width(f[len(g) :], style.TICK_SIZE))
            + f[len(g) :]
            for g, f in zip(groups, flat, strict=True)
        ]
        sheet.ticks_up(places, cut, brief.x_label)
        sheet.axes.set_ylim(count - 0.4, -0.6)
        sheet.numbers_across(low, high, brief.y_label, brief.unit)
    else:
        sheet.numbers_up(low, high, brief.y_label, brief.unit, log=log)
        sheet.axes.set_xlim(-0.6 - 0.6 * (count < 3), count - 0.4 + 0.6 * (count < 3))
        sheet.ticks_across(places, names, brief.x_label)
    line = {"color": style.INK, "linewidth": 1.1, "linestyle": "-"}
    sheet.axes.bxp(
        [boxplot_stats(v)[0] for v in samples],
        positions=places,
        widths=0.55,
        orientation="horizontal" if lying else "vertical",
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": "#9ecae1", "edgecolor": style.INK},
        medianprops={**line, "linewidth": 2.2},
        whiskerprops=line,
        capprops=line,
        flierprops={
            "marker": "o",
            "markersize": 3.2,
            "markerfacecolor": "none",
            "markeredgecolor": style.FAINT_INK,
            "markeredgewidth": 0.7,
            "linestyle": "none",
        },
    )
    sheet.finish()
    return sheet
