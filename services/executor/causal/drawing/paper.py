"""What the charts here share: refusals, names along the side, a sheet as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.plotting import measure, style
from services.executor.plotting.sheet import Sheet
from services.executor.plotting.text import clean

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

CHOSEN = style.PALETTE[0]
PLAIN = style.PALETTE[4]
SECOND = style.PALETTE[1]
QUIET = "#5b6570"
PALE = "#b5b5b5"
LINE = "#8a8a8a"


def refused(message: str, hint: str, **details: Any) -> ToolError:
    """A chart that cannot be drawn, with what would help."""
    return ToolError(ErrorCategory.INVALID_ARGUMENTS, message, hint=hint, details=details)


def rows_of(table: pa.Table, columns: Sequence[str], step: str) -> list[dict[str, Any]]:
    """The frame's rows. Raises ToolError where it lacks a column that `step` gives."""
    for name in columns:
        if name not in table.column_names:
            raise ToolError(
                ErrorCategory.MISSING_COLUMN,
                f"The frame has no column {name!r}.",
                hint=f"Draw the frame of {step}.",
                details={"column": name, "candidates": table.column_names[:50]},
            )
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def row_sheet(title: str, subtitle: str, footer: str, rows: int) -> Sheet:
    """A sheet as high as so many named rows ask for."""
    height = min(max(1.9 + 0.36 * rows, 3.0), 14.0)
    return Sheet(clean(title), clean(subtitle), clean(footer), height)


def names_down(sheet: Sheet, labels: Sequence[str], share: float = 0.3) -> None:
    """Names along the vertical axis, the first on top, on at most two lines each."""
    texts = measure.wrap_distinct(
        [clean(each) or "(no name)" for each in labels], style.TICK_SIZE, sheet.width * share, 2
    )
    sheet.ticks_up([float(place) for place in range(len(texts))], texts, "")
    sheet.axes.set_ylim(len(texts) - 0.4, -0.6)


def handle(**looks: Any) -> Line2D:
    """A mark of the key."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **looks)


def png(sheet: Sheet) -> bytes:
    """The sheet as PNG; equal sheets give equal bytes."""
    buffer = io.BytesIO()
    canvas: Any = sheet.figure.canvas
    canvas.print_png(buffer, metadata={"Software": None})
    return buffer.getvalue()
