"""Small texts of causal reports."""

from __future__ import annotations

import math

_ARROWS = {"directed": "→", "undirected": "—", "bidirected": "↔"}


def figure(value: float | None) -> str:
    """A number with four significant digits; nothing for none."""
    if value is None or not math.isfinite(value):
        return ""
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def arrow(edge_type: str) -> str:
    """How an edge is written."""
    return _ARROWS.get(edge_type, "—")
