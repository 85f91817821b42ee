"""A waterfall: lying bars between two totals, each from where the one above it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mesh.tool import ErrorCategory, ToolError
from services.executor.plotting import measure, scales, style
from services.executor.plotting.columns import column, numbers
from services.executor.plotting.request import Request
from services.executor.plotting.sheet import Sheet
from services.executor.plotting.text import clean

if TYPE_CHECKING:
    from matplotlib.artist import Artist

MOST_STEPS = 24
VALUE_SIZE = 8.5
_BAND = 0.62
_LEAST_PART = 0.25
"""Part of the axis that the steps take at least; else it does not begin at zero."""
_COLOURS = {"total": "#5b6570", "up": "#0072B2", "down": "#B8420F", "rest": style.OTHER}
_NAMES = {"up": "adds", "down": "takes away", "rest": "everything else"}


def draw(request: Request) -> Sheet:
    """The waterfall of a frame with where each bar starts and ends.

    Raises ToolError where it is not said where bars start, or there are too many.
    """
    labels, kinds, starts, ends = _read(request)
    words = request.words
    steps = [i for i, kind in enumerate(kinds) if kind != "total"]
    low, high, cut = _range(kinds, starts, ends)
    footer = f"{words.footer} · the axis does not begin at zero" if cut else words.footer
    sheet = Sheet(
        words.title, words.subtitle, footer, min(max(1.7 + 0.42 * len(labels), 3.0), 12.0)
    )
    shown = [kind for kind in ("up", "down", "rest") if kind in kinds]
    if len(shown) > 1:
        sheet.legend([_handle(kind) for kind in shown], [_NAMES[kind] for kind in shown], "")
    texts = measure.wrap_distinct(labels, style.TICK_SIZE, sheet.width * 0.32, 2)
    sheet.ticks_up(np.arange(len(labels), dtype=float).tolist(), texts, "")
    sheet.axes.set_ylim(len(labels) - 0.4, -0.6)
    sheet.numbers_across(low, high, words.y_label, words.unit)
    for place, kind in enumerate(kinds):
        start = max(low, 0.0) if kind == "total" and cut else starts[place]
        sheet.axes.barh(
            place,
            ends[place] - start,
            _BAND,
            left=start,
            zorder=2,
            facecolor=_COLOURS[kind],
            edgecolor="white",
            linewidth=0.6,
        )
    _join(sheet, ends)
    _write(sheet, request, kinds, starts, ends, steps)
    if low < 0 < high:
        sheet.axes.axvline(0, color="#8a8a8a", linewidth=0.8, zorder=3)
    sheet.finish()
    return sheet


def _read(request: Request) -> tuple[list[str], list[str], list[float], list[float]]:
    arguments, table = request.arguments, request.table
    if arguments.start_col is None or arguments.series_col is None:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "A waterfall needs start_col, where each bar starts, y_col, where it ends, and "
            "series_col, its kind: total, up, down or rest.",
            hint="Draw the frame of metric.waterfall.",
            details={"field": "start_col"},
        )
    factor = 100.0 if arguments.fraction else 1.0
    columns = (arguments.start_col, str(arguments.y_col))
    starts, ends = (numbers(table, name) * factor for name in columns)
    kinds = [str(kind) for kind in column(table, arguments.series_col).to_pylist()]
    strange = sorted(set(kinds) - _COLOURS.keys())
    if strange or table.num_rows > MOST_STEPS or np.isnan(starts).any() or np.isnan(ends).any():
        problem = (
            f"{strange[0]!r} is no kind of bar"
            if strange
            else f"{table.num_rows:,} bars are too many"
            if table.num_rows > MOST_STEPS
            else "a bar has no start or no end"
        )
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"This waterfall cannot be drawn: {problem}.",
            hint="Draw the frame of metric.waterfall.",
        )
    labels = [clean(str(text)) for text in column(table, arguments.x_col).to_pylist()]
    return labels, kinds, starts.tolist(), ends.tolist()


def _range(kinds: list[str], starts: list[float], ends: list[float]) -> tuple[float, float, bool]:
    """The axis, and whether it is cut: from zero unless the steps would be too small to see."""
    levels = [
        value
        for kind, a, b in zip(kinds, starts, ends, strict=True)
        for value in ((b,) if kind == "total" else (a, b))
    ]
    least, most = min(levels), max(levels)
    reach = max(abs(least), abs(most))
    if least > 0 and most - least < _LEAST_PART * reach:
        room = (most - least) or reach * 0.1
        low, high = scales.limits(least, most, zero=False, pad_low=0.0, pad_high=0.0)
        return max(0.0, low - room * 0.35), high + room * 0.35, low - room * 0.35 > 0
    low, high = scales.limits(
        min(least, 0.0), max(most, 0.0), zero=True, pad_low=0.14, pad_high=0.16
    )
    return low, high, False


def _join(sheet: Sheet, ends: list[float]) -> None:
    """Thin lines from the end of one bar to the start of the next."""
    for place, end in enumerate(ends[:-1]):
        sheet.axes.plot(
            [end, end],
            [place + _BAND / 2, place + 1 - _BAND / 2],
            color="#8a8a8a",
            linewidth=0.7,
            zorder=1,
        )


def _write(
    sheet: Sheet,
    request: Request,
    kinds: list[str],
    starts: list[float],
    ends: list[float],
    steps: list[int],
) -> None:
    """Totals as they are and steps with their sign, behind the bars."""
    unit = request.words.unit
    totals = [i for i in range(len(kinds)) if i not in steps]
    texts = dict(zip(totals, scales.value_texts([ends[i] for i in totals], unit), strict=True))
    changes = [ends[i] - starts[i] for i in steps]
    for i, change, text in zip(steps, changes, scales.value_texts(changes, unit), strict=True):
        texts[i] = f"+{text}" if change > 0 else text
    for place, text in texts.items():
        sheet.axes.annotate(
            text,
            (max(starts[place], ends[place]), float(place)),
            xytext=(4, 0),
            textcoords="offset points",
            ha="left",
            va="center_baseline",
            fontproperties=style.font(VALUE_SIZE, bold=kinds[place] == "total"),
            color=style.INK,
            zorder=4,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85},
        )


def _handle(kind: str) -> Artist:
    from matplotlib.patches import Patch

    look: dict[str, Any] = {"facecolor": _COLOURS[kind], "edgecolor": "white"}
    return Patch(**look)
