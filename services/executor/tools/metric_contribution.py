"""metric.contribution: what each value of a dimension adds to the change of a metric."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool
from services.executor.metric.spans import Span


class MetricContributionArguments(ToolArguments):
    """The dimension and the periods (absent for a leaf cube), over the cube of step `input`."""

    input: str | None = Field(default=None, min_length=1, description="the step of the cube")
    dimension: str = Field(min_length=1)
    baseline: Span | None = None
    comparison: Span | None = None
    most_values: int = Field(default=50, ge=1, le=1_000, description="the others become one row")
    permutations: int = Field(default=199, ge=19, le=9_999)
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    seed: int = Field(default=0, ge=0, lt=2**31)


@tool(
    "metric.contribution",
    MetricContributionArguments,
    needs=("services.executor.metric.contributing",),
)
def metric_contribution(arguments: MetricContributionArguments, context: ToolContext) -> ToolResult:
    """Split the change of a metric by the values of one dimension, from its cube.

    A row for each value, the largest difference first: the metric in it in both periods, its
    difference (of the whole metric; for a ratio the sum of a rate and a mix effect) with a 95 %
    interval, its share, and how likely it is by chance to move so differently from the rest,
    corrected for all values. Then the values not shown, and the total, to which they add up.
    """
    from services.executor.metric.contributing import SCHEMA, contribution_rows
    from services.executor.metric.cube import cube_of
    from services.executor.metric.explaining import Wanted
    from services.executor.metric.reading import cube_frame
    from services.executor.metric.search_rows import table_of
    from services.executor.metric.spans import frame_of

    cube = cube_of(cube_frame(arguments.input, context))
    frame = frame_of(cube, arguments.baseline, arguments.comparison)
    wanted = Wanted(
        times=arguments.permutations, alpha=arguments.alpha, seed=arguments.seed, deepest=1
    )
    rows, notes = contribution_rows(cube, frame, arguments.dimension, arguments.most_values, wanted)
    count = sum(row["kind"] == "value" for row in rows)
    return ToolResult(
        frame=table_of(rows, SCHEMA),
        summary=f"{count:,} {'value' if count == 1 else 'values'} of {arguments.dimension}",
        notes=tuple(notes),
    )
