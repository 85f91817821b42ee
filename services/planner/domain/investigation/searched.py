"""What a search looked at: which combinations of dimensions, and what it left out."""

from __future__ import annotations

import json
from collections.abc import Sequence

from services.planner.domain.investigation.found import Row

_NOT_SEARCHED = ("were left out, and all inside them", "were not searched")


def describe_search(rows: Sequence[Row], inside: str = "") -> str:
    """A sentence on what a search over these rows covered; `inside` is " within …" or empty."""
    total = next((row for row in rows if row["kind"] == "total"), None)
    reached = total.figure("searched_depth") if total is not None else None
    every = len(dimensions_searched(rows))
    if total is None or not reached or not every:
        return f"Searched segments{inside}."
    if every == 1:
        text = "Searched every value of one dimension"
    elif reached >= every:
        text = f"Searched every combination of {every:,} dimensions"
    else:
        text = f"Searched every combination of up to {reached:,.0f} of {every:,} dimensions"
    left_out = total.figure("left_out")
    but = f", but for the smallest {left_out:,.0f} segments" if left_out else ""
    return f"{text}{inside}{but}."


def dimensions_searched(rows: Sequence[Row]) -> tuple[str, ...]:
    """The dimensions of a search; none where it does not say."""
    total = next((row for row in rows if row["kind"] == "total"), None)
    named = total["searched_dimensions"] if total is not None else None
    return tuple(json.loads(named)) if named else ()


def is_left_out(note: str) -> bool:
    """Whether a note of a search says that something was not looked at."""
    return any(text in note for text in _NOT_SEARCHED)
