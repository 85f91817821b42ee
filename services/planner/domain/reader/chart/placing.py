"""How near the column of a condition is spoken of."""

from __future__ import annotations

from dataclasses import replace

from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.scene import Scene


def placed(scene: Scene, one: Proposal) -> Proposal:
    """The proposal with how near its column and table are spoken of, and whether it is denied."""
    if one.place is None:
        return one
    distance, coverage = scene.nearest(one.place, one.first)
    return replace(
        one,
        distance=distance,
        coverage=coverage,
        denied=scene.negated(one.first),
        table_distance=scene.table_distance(one.place.table.name, one.first),
    )
