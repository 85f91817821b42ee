"""Cells as a page shows them: exactly, since numbers of a text are held against them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from clients.python.cli.cells import MISSING, formatted
from mesh.text.harmless import harmless_line

_LONGEST = 500


def cell_text(value: Any, name: str = "") -> str:
    """A cell, by the rules of its column alone."""
    return column_texts(name, [value])[0]


def column_texts(name: str, values: Sequence[Any]) -> list[str]:
    """Cells of one column: numbers with all their digits, the rest as tables show it."""
    texts = formatted(name, values)
    return [
        _cut(harmless_line(text)) if (exact := _exact(value)) is None else exact
        for value, text in zip(values, texts, strict=True)
    ]


def _exact(value: Any) -> str | None:
    """A number with a fraction, in full; None for what loses nothing as it is shown."""
    if isinstance(value, Decimal) and value.is_finite():
        return None if value == value.to_integral_value() else f"{value:,f}"
    if isinstance(value, float):
        if not math.isfinite(value):
            return MISSING if math.isnan(value) else ("∞" if value > 0 else "−∞")
        return f"{value:,.15g}"
    return None


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
