"""Scatter charts: two measures of the same rows against each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from services.executor.plotting import scales, style, temporal
from services.executor.plotting.brief import Brief
from services.executor.plotting.colour_key import draw_key, leave_room
from services.executor.plotting.columns import Dimension, Kind, Numbers
from services.executor.plotting.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.artist import Artist

CROWDED = 5_000
OTHERS = "other"
_SEED = 20_011
_OFTEN_SHARED = 0.6  # of the points: with fewer places than that, most lie on each other
_CELLS = 45
_FEWEST_FOR_A_LINE = 3


@dataclass(frozen=True)
class Points:
    """What is drawn: `y` at `at`, each of a group (its place in `groups`)."""

    at: Numbers
    y: Numbers
    groups: list[str]
    group: NDArray[np.int64]

    @property
    def together(self) -> bool:
        """Whether all are of one group."""
        return len(self.groups) == 1


def draw(
    brief: Brief,
    x: Dimension,
    y: Numbers,
    groups: list[str],
    group_of: list[int],
    *,
    log: bool,
    trend: bool,
) -> Sheet:
    """Points; `group_of` gives each row's place in `groups`, or -1 for rows left out.

    Many points of one group are counted in six-sided cells; of several groups an even sample is
    drawn. With `trend` the line of least squares and Pearson's r are drawn and told.
    """
    across = np.array([np.nan if k is None else k for k in x.keys], dtype=np.float64)
    member = np.array(group_of)
    shown = ~np.isnan(across) & ~np.isnan(y) & (member >= 0)
    all_points = Points(across[shown], y[shown], groups, member[shown])
    drawn = all_points
    crowded = len(all_points.at) > CROWDED
    if crowded and not all_points.together:
        drawn = _sampled(all_points)
        text = f"{CROWDED:,} of {len(all_points.at):,} points drawn, picked at random"
        brief = replace(brief, footer=f"{brief.footer} · {text}")
    fit = _line(all_points) if trend and not log else None
    if fit is not None:
        brief = replace(brief, subtitle=" · ".join(filter(None, (brief.subtitle, fit.label))))
    binned = crowded and all_points.together and not log
    sizes = None if crowded else _shared_places(drawn)
    if sizes is not None:
        brief = replace(brief, footer=f"{brief.footer} · larger points stand for more rows")
    sheet = Sheet(brief.title, brief.subtitle, brief.footer)
    if len(groups) > 1:
        sheet.legend([_handle(groups, i) for i in range(len(groups))], groups, brief.series_label)
    key_at = leave_room(sheet, [1.0, float(len(drawn.at))], None) if binned else 0.0
    low, high = float(drawn.y.min()), float(drawn.y.max())
    bottom, top = (
        (low / 1.3, high * 1.3)
        if log
        else scales.limits(low, high, zero=scales.starts_near_zero(low, high))
    )
    sheet.numbers_up(bottom, top, brief.y_label, brief.unit, log=log)
    _across(sheet, x, drawn.at, brief.x_label)
    if binned:
        _cells(sheet, drawn, key_at)
    elif sizes is not None:
        sheet.axes.scatter(
            sizes[:, 0],
            sizes[:, 1],
            s=_areas(sizes[:, 2]),
            color=style.colour(0),
            alpha=0.7,
            edgecolors="white",
            linewidths=0.5,
            zorder=3,
        )
    else:
        for index in range(len(groups)):
            mine = drawn.group == index
            sheet.axes.plot(drawn.at[mine], drawn.y[mine], **_look(groups, index))
    if fit is not None:
        sheet.axes.plot(fit.at, fit.y, color=style.PALETTE[4], linewidth=1.8, zorder=4)
    sheet.axes.spines["left"].set_visible(True)
    sheet.finish()
    return sheet


def _sampled(points: Points) -> Points:
    """As many as can be seen, each as likely as any other, the same ones each time."""
    chosen = np.random.default_rng(_SEED).choice(len(points.at), CROWDED, replace=False)
    chosen.sort()
    return Points(points.at[chosen], points.y[chosen], points.groups, points.group[chosen])


@dataclass(frozen=True)
class _Fit:
    """A straight line from one end of the points to the other, and what is said of it."""

    at: Numbers
    y: Numbers
    label: str


def _line(points: Points) -> _Fit | None:
    """The line of least squares; None where there is none, or where groups each had their own."""
    at, y = points.at, points.y
    if not points.together or len(at) < _FEWEST_FOR_A_LINE or np.ptp(at) == 0 or np.ptp(y) == 0:
        return None
    r = float(np.corrcoef(at, y)[0, 1])
    slope = r * float(np.std(y) / np.std(at))
    ends = np.array([at.min(), at.max()])
    text = f"r = {r:.2f}".replace("-", scales.MINUS)
    return _Fit(
        ends,
        y.mean() + slope * (ends - at.mean()),
        f"{text} (Pearson) over {len(at):,} points · line of least squares",
    )


def _shared_places(points: Points) -> Numbers | None:
    """Each place with its number of points, where many lie on each other; else None."""
    if not points.together or len(points.at) < _FEWEST_FOR_A_LINE:
        return None
    places, counts = np.unique(np.column_stack([points.at, points.y]), axis=0, return_counts=True)
    if len(places) > _OFTEN_SHARED * len(points.at):
        return None
    return np.column_stack([places, counts.astype(np.float64)])


def _areas(counts: Numbers) -> Numbers:
    """Areas in square points that grow as the counts do, none too small to be seen."""
    return np.asarray(np.maximum(16.0, 260.0 * counts / max(counts.max(), 12.0)))


def _cells(sheet: Sheet, points: Points, key_at: float) -> None:
    """Six-sided cells, the darker the more points lie in them."""
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    shades = colormaps[style.COLOUR_MAP].reversed()
    cells = sheet.axes.hexbin(
        points.at,
        points.y,
        gridsize=_CELLS,
        mincnt=1,
        cmap=shades,
        linewidths=0.1,
        zorder=2,
        extent=(*sheet.axes.get_xlim(), *sheet.axes.get_ylim()),
    )
    most = float(np.max(np.asarray(cells.get_array())))
    cells.set_norm(LogNorm(1.0, max(most, 2.0)))
    at = scales.log_ticks(1.0, max(most, 2.0))
    draw_key(sheet, cells, key_at, at, "Number of rows", None)


def _across(sheet: Sheet, x: Dimension, values: Numbers, label: str) -> None:
    low, high = float(values.min()), float(values.max())
    if x.kind is Kind.TIME:
        room = (high - low) * 0.03 or 1.0
        sheet.axes.set_xlim(low - room, high + room)
        sheet.ticks_across(*temporal.ticks(low, high), label)
        return
    near_zero = scales.starts_near_zero(low, high) and not x.is_year
    low, high = scales.limits(low, high, zero=near_zero)
    sheet.numbers_across(low, high, label, None, plain=x.is_year)


def _look(groups: list[str], index: int) -> dict[str, Any]:
    other = len(groups) > 1 and groups[index].startswith(f"{OTHERS} (")
    return {
        "linestyle": "none",
        "zorder": 2 if other else 3,
        "marker": style.MARKERS[index],
        "color": style.colour(index, other=other),
        "markersize": 5.0,
        "alpha": 0.75,
        "markeredgecolor": "white",
        "markeredgewidth": 0.5,
    }


def _handle(groups: list[str], index: int) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], **_look(groups, index))
