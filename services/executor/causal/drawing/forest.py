"""The forest plot: an estimate a row, with its interval, and the one that speaks for the study."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

from services.executor.causal.drawing import paper
from services.executor.causal.drawing.arguments import Bar
from services.executor.plotting import measure, scales, style
from services.executor.plotting.sheet import Sheet

FAR = 3.0
"""In spans of the ordinary intervals: what lies farther off is cut, and marked with an arrow."""
NEAR_ZERO = 0.6
PLAIN_NAMES = ("plain comparison", "naive")
VALUE_SIZE = 8.5
_NAMES = {
    "chosen": "speaks for the study",
    "other": "other methods",
    "plain": "plain comparison",
    "rejected": "rejected",
}
_LOOKS: dict[str, dict[str, Any]] = {
    "chosen": {"color": paper.CHOSEN, "marker": "s", "markersize": 9.0, "linewidth": 3.2},
    "other": {"color": paper.QUIET, "marker": "o", "markersize": 6.5, "linewidth": 1.6},
    "plain": {
        "color": paper.PLAIN,
        "marker": "D",
        "markersize": 6.0,
        "linewidth": 1.6,
        "linestyle": (0, (4, 1.6)),
    },
    "rejected": {
        "color": paper.PALE,
        "marker": "x",
        "markersize": 6.5,
        "linewidth": 1.3,
        "linestyle": (0, (1.2, 1.4)),
    },
}


def draw(estimates: Sequence[Bar], title: str, subtitle: str) -> Sheet:
    """All estimates on one axis. Raises ToolError where there is none."""
    kinds = [_kind(each) for each in estimates]
    return draw_rows(estimates, kinds, title, subtitle)


def draw_rows(estimates: Sequence[Bar], kinds: Sequence[str], title: str, subtitle: str) -> Sheet:
    """Rows of estimates whose look their kind decides: chosen, other, plain or rejected."""
    if not estimates:
        raise paper.refused("There is no estimate to draw.", "Give estimates.", field="estimates")
    low, high = extent(estimates)
    footer = _footer(estimates, low, high)
    sheet = paper.row_sheet(title, subtitle, footer, len(estimates))
    shown = [kind for kind in _NAMES if kind in kinds]
    if len(shown) > 1:
        sheet.legend([paper.handle(**_LOOKS[k]) for k in shown], [_NAMES[k] for k in shown], "")
    paper.names_down(sheet, [each.label for each in estimates])
    texts = interval_texts(estimates)
    widest = max(measure.width(text, VALUE_SIZE, bold=True) for text in texts)
    sheet.right += widest * 1.06 + 12  # drawn text is a little wider than it measures
    sheet.numbers_across(low, high, "effect, with its 95 % interval", None)
    for place, (each, kind) in enumerate(zip(estimates, kinds, strict=True)):
        _draw(sheet, place, each, kind, low, high)
    if low <= 0 <= high:
        sheet.axes.axvline(0, color=paper.LINE, linewidth=1.1, zorder=1)
    sheet.finish()
    for place, (text, kind) in enumerate(zip(texts, kinds, strict=True)):
        down = sheet.top + sheet.plot_height * (place + 0.6) / (len(texts) + 0.2)
        colour = style.FAINT_INK if kind == "rejected" else style.INK
        right = sheet.width - sheet.right + 12
        sheet.write(text, right, down, VALUE_SIZE, va="center", color=colour, bold=kind == "chosen")
    sheet.take_text_literally()
    return sheet


def _kind(each: Bar) -> str:
    if each.rejected:
        return "rejected"
    if each.label.strip().lower() in PLAIN_NAMES:
        return "plain"
    return "chosen" if each.chosen else "other"


def extent(estimates: Sequence[Bar]) -> tuple[float, float]:
    """The axis: around the intervals that stand, whatever a very wide one among them would do to
    it; with zero where that is near."""
    standing = [each for each in estimates if not each.rejected] or list(estimates)
    usual = median(each.ci_upper - each.ci_lower for each in standing)
    plain = [each for each in standing if each.ci_upper - each.ci_lower <= 2 * FAR * usual]
    points = [each.estimate for each in standing]
    low = min([each.ci_lower for each in plain] + points)
    high = max([each.ci_upper for each in plain] + points)
    room = (high - low) * (FAR - 1) / 2
    low, high = (
        min([low, *(max(each.ci_lower, low - room) for each in estimates)]),
        max([high, *(min(each.ci_upper, high + room) for each in estimates)]),
    )
    if low > 0 and low <= NEAR_ZERO * (high - low):
        low = 0.0
    if high < 0 and -high <= NEAR_ZERO * (high - low):
        high = 0.0
    return scales.limits(low, high, zero=False, pad_low=0.06, pad_high=0.06)


def _footer(estimates: Sequence[Bar], low: float, high: float) -> str:
    texts = []
    if any(each.ci_lower < low or each.ci_upper > high for each in estimates):
        texts.append("an arrow: the interval goes on beyond the chart")
    if not low <= 0 <= high:
        texts.append("zero lies beyond the chart, on the " + ("left" if low > 0 else "right"))
    return " · ".join(texts)


def _draw(sheet: Sheet, place: int, each: Bar, kind: str, low: float, high: float) -> None:
    look = _LOOKS[kind]
    line = {name: value for name, value in look.items() if not name.startswith("marker")}
    start, end = max(each.ci_lower, low), min(each.ci_upper, high)
    if start <= end:
        sheet.axes.plot([start, end], [place, place], zorder=2, solid_capstyle="butt", **line)
    room = (high - low) * 0.012
    for beyond, at, mark in (
        (each.ci_lower < low, low + room, "<"),
        (each.ci_upper > high, high - room, ">"),
    ):
        if beyond:
            sheet.axes.plot(
                [at],
                [place],
                marker=mark,
                markersize=7,
                color=look["color"],
                zorder=3,
                linestyle="none",
            )
    if low <= each.estimate <= high:
        sheet.axes.plot(
            [each.estimate],
            [place],
            marker=look["marker"],
            linestyle="none",
            markersize=look["markersize"],
            color=look["color"],
            zorder=4,
            markeredgewidth=1.8 if kind == "rejected" else 0.0,
        )


def interval_texts(estimates: Sequence[Bar]) -> list[str]:
    """`1.24 (0.98 to 1.50)`, as many decimals in all rows as the usual interval's width bears."""
    widths = [each.ci_upper - each.ci_lower for each in estimates]
    width = median(widths) or max(abs(each.estimate) for each in estimates) or 1.0
    largest = max(max(abs(each.ci_lower), abs(each.ci_upper)) for each in estimates)
    places = max(0, 1 - math.floor(math.log10(width))) if width > 1e-300 else 9
    if places > 6 or largest >= 1e9:
        return [
            f"{each.estimate:.3g} ({each.ci_lower:.3g} to {each.ci_upper:.3g})".replace(
                "-", scales.MINUS
            )
            for each in estimates
        ]
    return [
        (
            f"{each.estimate:,.{places}f} "
            f"({each.ci_lower:,.{places}f} to {each.ci_upper:,.{places}f})"
        ).replace("-", scales.MINUS)
        for each in estimates
    ]
