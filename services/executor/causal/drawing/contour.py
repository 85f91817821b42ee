"""How strong an unseen cause would have to be to explain the estimate away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from services.executor.causal.drawing import paper
from services.executor.plotting import measure, scales, style
from services.executor.plotting.sheet import Sheet
from services.executor.plotting.text import clean

if TYPE_CHECKING:
    import numpy as np

MOST_BENCHMARKS = 8
LABEL_SIZE = 8.5
_MOST_STEPS = 40
"""How far from its point a name is put, in steps of a bit more than half a line."""


def draw(table: pa.Table, title: str, subtitle: str) -> Sheet:
    """Lines of the estimate adjusted for a cause of that strength (Cinelli & Hazlett 2020, fig. 2).

    Reads the `details` of the row of method omitted_variable: `estimate`, `rv`, `contour` with the
    partial R2 of `treatment` (n) and `outcome` (m) and the adjusted `estimate` (m rows of n), and
    `benchmarks`. Raises ToolError where the frame has none of that.
    """
    details = _details(table)
    x, y, z = _grid(details["contour"])
    crossed = bool(z.min() < 0 < z.max())
    footer = "the zero line: a cause of that strength explains the whole effect"
    if not crossed:
        footer = "no cause within the chart explains the whole effect"
    rv = details.get("rv")
    if isinstance(rv, int | float):
        footer += f" · robustness value {100 * rv:.1f} %"
    inside = [
        each
        for each in details.get("benchmarks", [])
        if each["treatment"] <= x[-1] and each["outcome"] <= y[-1]
    ]
    beyond = len(details.get("benchmarks", [])) - len(inside)
    if beyond:
        footer += f" · {beyond} stronger than the chart reaches"
    sheet = Sheet(clean(title), clean(subtitle), footer, 5.6)
    shown = inside[:MOST_BENCHMARKS]
    handles = [
        paper.handle(color=paper.QUIET, linewidth=1.0),
        paper.handle(color=paper.PLAIN, linewidth=2.4),
        paper.handle(marker="o", linestyle="none", color=paper.CHOSEN, markersize=6.5),
    ]
    names = ["estimate that would be left", "nothing left", "as strong as this column"]
    kept = [0, *([1] if crossed else []), *([2] if shown else [])]
    sheet.legend([handles[k] for k in kept], [names[k] for k in kept], "")
    sheet.numbers_up(0.0, float(y[-1]) * 100, "partial R² with the outcome", "%")
    sheet.numbers_across(0.0, float(x[-1]) * 100, "partial R² with the treatment", "%")
    sheet.right += 8
    _lines(sheet, 100 * x, 100 * y, z, crossed)
    sheet.axes.spines["left"].set_visible(True)
    sheet.finish()
    _points(sheet, float(details["estimate"]), shown, float(100 * x[-1]), float(100 * y[-1]))
    sheet.take_text_literally()
    return sheet


def _details(table: pa.Table) -> dict[str, Any]:
    rows = paper.rows_of(table, ("method", "details"), "causal.sensitivity")
    for row in rows:
        found = json.loads(row["details"] or "{}")
        if row["method"] == "omitted_variable" and found.get("contour"):
            return dict(found)
    raise paper.refused(
        "The frame tells no contour of omitted variables.",
        "Draw the frame of causal.sensitivity with method omitted_variable.",
    )


def _grid(contour: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import numpy as np

    x = np.asarray(contour["treatment"], dtype=float)
    y = np.asarray(contour["outcome"], dtype=float)
    z = np.asarray(contour["estimate"], dtype=float)
    if z.shape != (len(y), len(x)) or min(z.shape) < 2 or not np.isfinite(z).all():
        raise paper.refused(
            f"The contour has {z.shape} estimates for {len(x)} by {len(y)} strengths.",
            "One row for each strength with the outcome, all of them numbers.",
        )
    return x, y, z


def _lines(sheet: Sheet, x: np.ndarray, y: np.ndarray, z: np.ndarray, crossed: bool) -> None:
    levels = _levels(z)
    drawn = sheet.axes.contour(
        x, y, z, levels=levels, colors=paper.QUIET, linewidths=1.0, linestyles="-", zorder=2
    )
    texts = dict(zip(levels, scales.tick_texts(levels), strict=True))
    sheet.axes.clabel(drawn, fmt=texts, fontsize=LABEL_SIZE, inline=True, inline_spacing=4)
    if crossed:
        toward = [float(z.min()), 0.0] if z[0, 0] > 0 else [0.0, float(z.max())]
        sheet.axes.contourf(x, y, z, levels=toward, colors=[paper.PLAIN], alpha=0.08, zorder=1)
        zero = sheet.axes.contour(
            x, y, z, levels=[0.0], colors=paper.PLAIN, linewidths=2.4, zorder=3
        )
        sheet.axes.clabel(zero, fmt={0.0: "0"}, fontsize=LABEL_SIZE, inline=True)


def _levels(z: np.ndarray) -> list[float]:
    """Some between the estimate and nothing, which is what one looks for, and some over all."""
    asked, low, high = float(z[0, 0]), float(z.min()), float(z.max())
    near = scales.ticks(min(asked, 0.0), max(asked, 0.0), most=4)
    levels = {v for v in [*near, *scales.ticks(low, high, most=7)] if v != 0 and low < v < high}
    return sorted(levels) or [(low + high) / 2]


def _points(
    sheet: Sheet, estimate: float, benchmarks: list[dict[str, Any]], right: float, top: float
) -> None:
    """The estimate as it is at the origin, and a dot a column with its name where it fits."""
    taken: list[tuple[float, float, float, float]] = []
    points = [(0.0, 0.0, f"as estimated, {scales.value_text(estimate)}", style.INK)]
    points += [
        (100 * each["treatment"], 100 * each["outcome"], clean(str(each["column"])), paper.CHOSEN)
        for each in benchmarks
    ]
    width, height = sheet.plot_width, sheet.plot_height
    places = [
        (sheet.left + width * px / right, sheet.top + height * (1 - py / top))
        for px, py, _, _ in points
    ]
    taken += [(x - 7, y - 7, x + 7, y + 7) for x, y in places]
    for (px, py, text, colour), (x, y) in zip(points, places, strict=True):
        sheet.axes.plot(
            [px],
            [py],
            marker="o",
            linestyle="none",
            markersize=6.5,
            color=colour,
            zorder=5,
            clip_on=False,
        )
        text = measure.fit(text, LABEL_SIZE, sheet.plot_width * 0.35)
        box = _room(sheet, x, y, measure.width(text, LABEL_SIZE), taken)
        taken.append(box)
        sheet.write(
            text,
            box[0],
            (box[1] + box[3]) / 2,
            LABEL_SIZE,
            va="center",
            zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
        )
        end = min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])
        if abs(end[0] - x) + abs(end[1] - y) > 22:
            to_axes = sheet.axes.transData.inverted()
            ends = to_axes.transform([(x, sheet.height - y), (end[0], sheet.height - end[1])])
            sheet.axes.plot(
                ends[:, 0], ends[:, 1], color=colour, linewidth=0.8, zorder=4, clip_on=False
            )


def _room(
    sheet: Sheet, x: float, y: float, wide: float, taken: list[tuple[float, float, float, float]]
) -> tuple[float, float, float, float]:
    """A box near the point that covers no other and stays on the sheet; else the nearest one."""
    high = measure.height(LABEL_SIZE)
    boxes = []
    for step in range(_MOST_STEPS):
        for across in (12.0, -12.0 - wide, 12.0 + 8 * step):
            for sign in (-1, 1):
                left, middle = x + across, y + sign * step * high * 0.6
                boxes.append((left, middle - high / 2, left + wide, middle + high / 2))
    bottom, side = sheet.height - sheet.bottom, sheet.width - 10
    free = (
        box
        for box in boxes
        if box[0] >= sheet.left
        and box[2] <= side
        and box[1] >= sheet.top
        and box[3] <= bottom + 4
        and not any(
            box[0] < t[2] and t[0] < box[2] and box[1] < t[3] and t[1] < box[3] for t in taken
        )
    )
    return next(free, boxes[0])
