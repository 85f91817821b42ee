"""Groups that are compared between two periods."""

from __future__ import annotations

from services.planner.domain.query.intent import (
    Intent,
    Period,
)


def compares_groups(intent: Intent) -> tuple[Period, Period] | None:
    """The two periods that groups are compared between, or None."""
    last = intent.dimensions[-1] if len(intent.dimensions) == 2 else None
    if last is None or len(last.periods) != 2 or len(intent.measures) != 1 or intent.series != 1:
        return None
    return last.periods[0], last.periods[1]
