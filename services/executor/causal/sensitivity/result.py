"""What a test of an effect comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Tested:
    """`value` is in the method's own unit; `passes` is None where it gives a figure and no
    verdict; `interpretation` is one plain sentence."""

    value: float
    interpretation: str
    passes: bool | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def figure(value: float) -> str:
    """A number with three significant digits."""
    return f"{value:,.3g}" if abs(value) < 1e4 else f"{value:,.0f}"
