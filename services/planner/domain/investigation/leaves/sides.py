"""What the two sides of a comparison are called: periods by their days, of leaves the forecast and
what came."""

from __future__ import annotations

from typing import Literal

from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.wording import days_called, when_called

Side = Literal["baseline", "comparison"]
FORECAST, ACTUAL = "forecast", "actual"


def side_called(ground: Ground, side: Side) -> str:
    """ "March 2024", or "forecast" and "actual"."""
    period = ground.baseline if side == "baseline" else ground.comparison
    if period is not None:
        return days_called(period)
    return FORECAST if side == "baseline" else ACTUAL


def side_when(ground: Ground, side: Side) -> str:
    """As a sentence says it: "in March 2024"; "forecast" and "actual" as they are."""
    period = ground.baseline if side == "baseline" else ground.comparison
    return when_called(period) if period is not None else side_called(ground, side)
