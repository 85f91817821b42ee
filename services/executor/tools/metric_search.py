"""metric.search: the segments that explain why a metric moved, with what chance would find."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool
from services.executor.metric.spans import Span


class MetricSearchArguments(ToolArguments):
    """Periods to compare (absent for a leaf cube), and how to search the cube of step `input`."""

    input: str | None = Field(default=None, min_length=1, description="the step of the cube")
    baseline: Span | None = None
    comparison: Span | None = None
    dimensions: list[str] | None = Field(default=None, min_length=1, max_length=50)
    within: dict[str, str | None] = Field(default_factory=dict, max_length=20)
    most_explanations: int = Field(default=10, ge=1, le=50)
    deepest: int | None = Field(
        default=None, ge=1, le=50, description="most dimensions of a segment; absent: any number"
    )
    permutations: int = Field(default=199, ge=19, le=9_999)
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    seed: int = Field(default=0, ge=0, lt=2**31)


@tool("metric.search", MetricSearchArguments, needs=("services.executor.metric.explaining",))
def metric_search(arguments: MetricSearchArguments, context: ToolContext) -> ToolResult:
    """Find which segments moved a metric between two periods, from its cube (metric.cube or
    metric.leaves).

    A row for each explanation, the largest effect first: kind (segment, or rate and mix of a ratio,
    new, vanished), the segment as JSON, the metric in it in both periods, what it would be had it
    moved like the rest, its effect on the whole with a 95 % interval, its share of the change, its
    p-value alone and corrected for the whole search, when it began, and what it was in the same
    periods a year earlier. Then what does not stand out (of kind usual: that moved as far between
    earlier periods), one row for everything moving alike, and one of kind total, which says what
    was searched: segments of up to searched_depth of searched_dimensions, but for the left_out
    smallest.
    """
    from services.executor.metric.cube import cube_of
    from services.executor.metric.explaining import Wanted, search_of
    from services.executor.metric.reading import cube_frame
    from services.executor.metric.search_rows import SCHEMA, table_of
    from services.executor.metric.spans import frame_of

    cube = cube_of(cube_frame(arguments.input, context))
    frame = frame_of(cube, arguments.baseline, arguments.comparison)
    context.progress("searching segments")
    wanted = Wanted(
        arguments.most_explanations,
        arguments.deepest,
        arguments.permutations,
        arguments.alpha,
        arguments.seed,
    )
    kept = cube.kept(arguments.dimensions, arguments.within)
    rows, notes = search_of(kept, frame, wanted, arguments.within).rows()
    out = [r for r in rows if r["p_corrected"] is not None and r["p_corrected"] <= arguments.alpha]
    count = sum(row["kind"] != "alike" for row in out)
    summary = (
        f"{count or 'no'} {'segment stands' if count == 1 else 'segments stand'} out of chance"
    )
    return ToolResult(frame=table_of(rows, SCHEMA), summary=summary, notes=tuple(notes))
