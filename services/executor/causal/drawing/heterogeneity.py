"""Effects group by group: a forest plot in which no row stands before the others."""

from __future__ import annotations

from collections.abc import Sequence

from services.executor.causal.drawing.arguments import Bar
from services.executor.causal.drawing.forest import draw_rows
from services.executor.plotting.sheet import Sheet


def draw(estimates: Sequence[Bar], title: str, subtitle: str) -> Sheet:
    """A row a group. Raises ToolError where there is none."""
    kinds = ["rejected" if each.rejected else "other" for each in estimates]
    return draw_rows(estimates, kinds, title, subtitle)
