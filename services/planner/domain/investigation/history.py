"""What was before both periods, so that a change is held against what is usual."""

from __future__ import annotations

from datetime import timedelta

from services.planner.domain.investigation.ground import Ground
from services.planner.domain.plan import Subtask

MARGINS, CUBE, HISTORY = "margins", "cube", "history"
"""The tasks that make the tables which everything works on."""

MOST_DAYS = 1_100
"""Three years: as much of the past as tells what is usual now."""


def history_of(ground: Ground) -> tuple[Subtask, ...]:
    """The call that adds up the metric day by day, as far back as the data go and is of use.

    Nothing without periods, where the data begin with them, and for distinct things, which are
    counted by period. Of dimensions the one of the fewest values will do, so that no days are put
    together.
    """
    if ground.baseline is None or ground.comparison is None:
        return ()
    begins = min(ground.baseline.start, ground.comparison.start)
    if ground.distinct or ground.first is None or ground.first >= begins:
        return ()
    sizes = dict(zip(ground.dimensions, ground.cardinalities, strict=False))
    start = max(ground.first, begins - timedelta(days=MOST_DAYS))
    call = Subtask(
        task_id=HISTORY,
        description="the metric before both periods, day by day",
        tool_name="metric.cube",
        arguments={
            **ground.rows,
            "dimensions": [min(ground.rows["dimensions"], key=lambda name: sizes.get(name, 0))],
            "history_start": start.isoformat(),
            "input": MARGINS,
        },
        dependencies=(MARGINS,),
        invariants=("every row from the history's start on counts once",),
    )
    return (call,)
