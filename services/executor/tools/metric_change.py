"""metric.change: how far the whole of a metric moved, and whether so much is usual."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool
from services.executor.metric.spans import Span


class MetricChangeArguments(ToolArguments):
    """The periods to compare (absent for a leaf cube), over the cube of step `input`."""

    input: str | None = Field(default=None, min_length=1, description="the step of the cube")
    baseline: Span | None = None
    comparison: Span | None = None
    seed: int = Field(default=0, ge=0, lt=2**31)


@tool("metric.change", MetricChangeArguments, needs=("services.executor.metric.change",))
def metric_change(arguments: MetricChangeArguments, context: ToolContext) -> ToolResult:
    """Compare the whole of a metric in two periods, from its cube.

    A row for each statistic: the values, their difference made comparable with a 95 % interval, the
    relative difference (without a value, and why, where the baseline is zero or negative), the
    p-value against relabelled days and placebo pairs of earlier periods, the same weekdays, a year
    earlier, and the day on which the level changed. What it was held against follows: `movement`,
    the change as a part of the mean of both periods, each `earlier_pair` of periods, and how often
    days dealt out anew move so far (`by_chance`, a count from `low` to `high`), all in that unit.
    """
    from services.executor.metric.change import SCHEMA, change_rows
    from services.executor.metric.cube import cube_of
    from services.executor.metric.reading import cube_frame
    from services.executor.metric.search_rows import table_of

    cube = cube_of(cube_frame(arguments.input, context))
    rows, notes = change_rows(cube, arguments.baseline, arguments.comparison, arguments.seed)
    count = len({row["statistic"] for row in rows})
    return ToolResult(
        frame=table_of(rows, SCHEMA), summary=f"{count} statistics", notes=tuple(notes)
    )
