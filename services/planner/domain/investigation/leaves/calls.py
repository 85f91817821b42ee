"""The calls that leaves take in place of those over rows with days."""

from __future__ import annotations

from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.history import CUBE
from services.planner.domain.plan import Subtask


def cube_of_leaves(ground: Ground) -> Subtask:
    """The table that everything but the faults of the data works on."""
    return Subtask(
        task_id=CUBE,
        description="every leaf with its forecast and what came",
        tool_name="metric.leaves",
        arguments=ground.leaves,
        invariants=("rows of the same leaf are added up, and every one counts once",),
        estimated_cost_seconds=0.3,
    )


def faults_of_leaves(task: str, ground: Ground) -> Subtask:
    """What would explain a difference by itself."""
    complete = ground.leaf is None or ground.leaf.complete
    return Subtask(
        task_id=task,
        description="leaves there twice, without a value or a forecast, in another unit",
        tool_name="metric.leaf_quality",
        arguments=ground.leaves if complete else {**ground.leaves, "complete": False},
        estimated_cost_seconds=0.3,
    )
