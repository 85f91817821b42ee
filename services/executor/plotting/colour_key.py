"""The key to shades: a bar of colours beside the axes, with its numbers and its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.executor.plotting import measure, scales, style
from services.executor.plotting.sheet import MARGIN, Sheet

if TYPE_CHECKING:
    from matplotlib.cm import ScalarMappable

_LEAST_ROOM = 130.0
_THICK, _BESIDE = 18.0, 14.0


def leave_room(sheet: Sheet, at: list[float], unit: str | None) -> float:
    """Give the key its room at the right edge, before anything is placed; returns where it lies."""
    widest = max(measure.width(text, style.TICK_SIZE) for text in scales.tick_texts(at, unit))
    needed = _THICK + _BESIDE + widest + measure.height(style.TICK_SIZE) + 8
    room = max(_LEAST_ROOM, needed)
    sheet.right += room
    return sheet.width - room - MARGIN * 0.2


def draw_key(
    sheet: Sheet, shades: ScalarMappable, left: float, at: list[float], label: str, unit: str | None
) -> None:
    """Draw it `left` pixels from the left, where its room is."""
    box = (
        left / sheet.width,
        sheet.bottom / sheet.height,
        _THICK / sheet.width,
        sheet.plot_height / sheet.height,
    )
    axes = sheet.figure.add_axes(box)
    bar = sheet.figure.colorbar(shades, cax=axes)
    texts = scales.tick_texts(at, unit)
    bar.set_ticks(at, labels=texts)
    axes.set_yticks([], minor=True)
    axes.yaxis.set_tick_params(length=0, labelcolor=style.INK)
    for text in axes.get_yticklabels():
        text.set_fontproperties(style.font(style.TICK_SIZE))
    for spine in axes.spines.values():
        spine.set_visible(False)
    middle = sheet.top + sheet.plot_height / 2
    shown = measure.fit(label, style.TICK_SIZE, sheet.plot_height)
    beside = left + _THICK + _BESIDE + max(measure.width(text, style.TICK_SIZE) for text in texts)
    sheet.write(shown, beside, middle, style.TICK_SIZE, rotation=90, va="center")
