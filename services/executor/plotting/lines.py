"""Lines and areas along something that has an order; what is missing stays a gap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from services.executor.plotting import measure, scales, shading, style, temporal
from services.executor.plotting.arguments import ChartType, Marked, Shaded
from services.executor.plotting.brief import Brief
from services.executor.plotting.columns import MISSING, Kind, Numbers
from services.executor.plotting.grid import Grid, positions_in_steps
from services.executor.plotting.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.artist import Artist

MARKED_POINTS = 40
NAMED_POINTS = 30


def draw(
    brief: Brief,
    grid: Grid,
    kind: ChartType,
    *,
    log: bool,
    additive: bool,
    notes: list[str],
    shaded: Sequence[Shaded] = (),
    marked: Sequence[Marked] = (),
) -> Sheet:
    """Lines, or areas on top of each other, of a grid whose keys are in order; along time, some
    periods may be shaded and days marked."""
    along_time = grid.x.kind is Kind.TIME
    grid = _last_value_first(grid) if kind is not ChartType.AREA else grid
    places = positions(grid)
    low, high = value_range(grid, kind, log=log, additive=additive)
    cut = not log and low > 0
    footer = f"{brief.footer} · the vertical axis does not begin at zero" if cut else brief.footer
    sheet = Sheet(brief.title, brief.subtitle, footer)
    if len(grid.series) > 1:
        area = kind is ChartType.AREA
        handles = [
            _area_handle(grid, i) if area else _line_handle(grid, i, len(places))
            for i in range(len(grid.series))
        ]
        sheet.legend(handles, grid.series, brief.series_label, upwards=area)
    shading.room_for_names(sheet, shaded if along_time else ())
    integer = bool((np.nan_to_num(grid.values) % 1 == 0).all())
    sheet.numbers_up(low, high, brief.y_label, brief.unit, integer=integer, log=log)
    _name_positions(sheet, grid, places, brief.x_label)
    breaks = gaps(grid, notes)
    if kind is ChartType.AREA:
        _areas(sheet, grid, places, breaks, notes)
    else:
        _lines(sheet, grid, places, breaks)
    if low < 0:
        sheet.axes.axhline(0, color="#8a8a8a", linewidth=0.8, zorder=1)
    if along_time:
        shading.shade(sheet, shaded, marked)
    sheet.finish()
    return sheet


def positions(grid: Grid) -> Numbers:
    """Where keys lie: at their number or time, or one step apart."""
    if grid.x.kind in (Kind.NUMBER, Kind.TIME):
        return np.array(grid.keys, dtype=np.float64)
    return np.arange(len(grid.keys), dtype=np.float64)


def value_range(grid: Grid, kind: ChartType, *, log: bool, additive: bool) -> tuple[float, float]:
    """The vertical range: from zero for areas, and for lines that come near it."""
    values = grid.totals() if kind is ChartType.AREA else grid.values
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if log:
        return low / 1.3, high * 1.3
    zero = kind is ChartType.AREA or scales.starts_near_zero(low, high, additive=additive)
    return scales.limits(low, high, zero=zero)


def gaps(grid: Grid, notes: list[str]) -> frozenset[int]:
    """Places before which a line breaks, because periods are missing there."""
    found = positions_in_steps(grid)
    if found is None:
        return frozenset()
    ordinals, step = found
    if step is None:
        if len(ordinals) > 2 and grid.x.kind is Kind.TIME:
            notes.append("The dates are irregular; lines join neighbouring ones.")
        return frozenset()
    if grid.x.grain is temporal.Grain.DAY and _weekdays_only(ordinals):
        days = np.array(ordinals).astype("datetime64[D]")
        ordinals = [float(v) for v in np.busday_count(days[0], days)]
    if grid.x.kind is Kind.NUMBER and not grid.x.is_year:
        return frozenset()
    pairs = pairwise(ordinals)
    places = frozenset(i for i, (a, b) in enumerate(pairs, 1) if b - a > step * 1.5)
    if places:
        count = len(places)
        notes.append(
            f"The {grid.x.grain or 'year'} series has {count:,} gap{'s' * (count > 1)}; "
            "the line breaks there."
        )
    return places


def _weekdays_only(days: list[float]) -> bool:
    return len(days) > 5 and all((int(d) + 3) % 7 < 5 for d in days)


def _last_value_first(grid: Grid) -> Grid:
    """Series in the order their lines end, so that the key reads like the chart."""
    if len(grid.series) < 2:
        return grid
    last = [next((v for v in row[::-1] if not np.isnan(v)), -np.inf) for row in grid.values]
    rest = {i for i, name in enumerate(grid.series) if name == MISSING}
    rest |= {len(last) - 1} if grid.folded else set()
    return grid.with_series(sorted(range(len(last)), key=lambda i: (i in rest, -last[i], i)))


def _is_other(grid: Grid, index: int) -> bool:
    return grid.folded > 0 and index == len(grid.series) - 1


def _line_look(grid: Grid, index: int, points: int) -> dict[str, Any]:
    other, several = _is_other(grid, index), len(grid.series) > 1
    absent = several and grid.series[index] == MISSING
    return {
        "color": style.ABSENT if absent else style.colour(index, other=other),
        "linestyle": style.DASHES[index] if several else "-",
        "linewidth": 1.9 if points <= 150 else 1.3,
        "marker": style.MARKERS[index] if points <= MARKED_POINTS else "",
        "markersize": 4.6,
        "markeredgecolor": "white",
        "markeredgewidth": 0.6,
    }


def _line_handle(grid: Grid, index: int, points: int) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], **_line_look(grid, index, points))


def _lines(sheet: Sheet, grid: Grid, places: Numbers, breaks: frozenset[int]) -> None:
    at = np.insert(places, sorted(breaks), np.nan)
    for index in range(len(grid.series)):
        values = np.insert(grid.values[index], sorted(breaks), np.nan)
        look = _line_look(grid, index, len(places))
        sheet.axes.plot(at, values, **look, clip_on=False, zorder=3)
        if look["marker"]:
            continue
        lonely = alone(values)
        if lonely.any():
            dots = {**look, "marker": style.MARKERS[index]}
            dots["linestyle"] = "none"
            sheet.axes.plot(at[lonely], values[lonely], **dots, clip_on=False, zorder=3)


def alone(values: Numbers) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Points without a neighbour: no line reaches them, so they need a mark."""
    absent = np.concatenate([[True], np.isnan(values), [True]])
    return np.asarray(~absent[1:-1] & absent[:-2] & absent[2:])


def _area_look(grid: Grid, index: int) -> dict[str, Any]:
    other, several = _is_other(grid, index), len(grid.series) > 1
    return {
        "facecolor": style.colour(index, other=other),
        "edgecolor": "white",
        "linewidth": 0.6,
        "alpha": 1.0 if several else 0.45,
    }


def _area_handle(grid: Grid, index: int) -> Artist:
    from matplotlib.patches import Patch

    return Patch(**_area_look(grid, index))


def _areas(
    sheet: Sheet, grid: Grid, places: Numbers, breaks: frozenset[int], notes: list[str]
) -> None:
    several = len(grid.series) > 1
    holes = int(np.isnan(grid.values).sum())
    if several and holes:
        notes.append(f"{holes:,} missing combinations count as 0 in the stacked areas.")
    values = np.nan_to_num(grid.values) if several else grid.values
    at = np.insert(places, sorted(breaks), np.nan)
    base = np.zeros(len(at))
    for index, row in enumerate(values):
        heights = np.insert(row, sorted(breaks), np.nan)
        sheet.axes.fill_between(at, base, base + heights, **_area_look(grid, index), zorder=2)
        base = base + heights
        if not several:
            marker = "o" if len(places) <= MARKED_POINTS else ""
            sheet.axes.plot(
                at,
                heights,
                color=style.colour(0),
                linewidth=1.8,
                marker=marker,
                markersize=4,
                clip_on=False,
                zorder=3,
            )


def _name_positions(sheet: Sheet, grid: Grid, places: Numbers, label: str) -> None:
    """Ticks at the points themselves where they are few, else at round numbers or dates."""
    low, high = float(places[0]), float(places[-1])
    few = len(places) <= NAMED_POINTS
    if low == high:
        room = max(1.0, abs(low) * 1e-6)  # a large number and the next to it are the same double
        sheet.axes.set_xlim(low - room, high + room)
        sheet.ticks_across([low], [measure.fit(grid.labels[0], style.TICK_SIZE, 600)], label)
        return
    room = (high - low) * 0.02
    sheet.axes.set_xlim(low - room, high + room)
    if grid.x.kind is Kind.NUMBER and (not few or not grid.x.is_year):
        room_low, room_high = low - room, high + room
        whole = bool((places == np.round(places)).all())
        sheet.numbers_across(
            room_low, room_high, label, None, integer=whole, plain=grid.x.is_year, grid=False
        )
    elif grid.x.kind is Kind.TIME and not few:
        at, texts = temporal.ticks(low, high)
        sheet.ticks_across(at, texts, label)
    else:
        _name_points(sheet, grid, places, label)
    sheet.axes.grid(visible=True, axis="x", color=style.GRID, linewidth=0.6, linestyle="-")


def _name_points(sheet: Sheet, grid: Grid, places: Numbers, label: str) -> None:
    """Texts under all points if they find room, on one line or two, else under every so many."""
    pixels = places * (sheet.plot_width * 0.96 / float(places[-1] - places[0]))
    if grid.x.kind is not Kind.TIME:
        broken = [text.replace(" ", "\n", 1) for text in _texts(grid, 1)]
        whole = _clear(pixels, 1, _widest(_texts(grid, 1)))
        if not whole and _clear(pixels, 1, _widest(broken)):
            sheet.ticks_across(places.tolist(), broken, label)
            return
    steps = (n for n in (1, 2, 3, 4, 6, 12) if _clear(pixels, n, _widest(_texts(grid, n))))
    every = next(steps, len(places))
    sheet.ticks_across(places[::every].tolist(), _texts(grid, every), label)


def _texts(grid: Grid, every: int) -> list[str]:
    """What every so many points are called."""
    keys = grid.keys[::every]
    if grid.x.kind is Kind.TIME and grid.x.grain is not None:
        return temporal.stacked([key for key in keys if isinstance(key, float)], grid.x.grain)
    return [measure.fit(grid.x.label(key), style.TICK_SIZE, 220) for key in keys]


def _widest(labels: list[str]) -> float:
    rows = (row for text in labels for row in text.split("\n"))
    return max(measure.width(row, style.TICK_SIZE) for row in rows) + 16


def _clear(pixels: Numbers, every: int, widest: float) -> bool:
    chosen = pixels[::every]
    return len(chosen) < 2 or bool((np.diff(chosen) >= widest).all())
