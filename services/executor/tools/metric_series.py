"""metric.series: a metric along time, bucket by bucket."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool
from services.executor.metric.spans import Span


class MetricSeriesArguments(ToolArguments):
    """Which part of the cube of step `input`, and the periods that it is shown around."""

    input: str | None = Field(default=None, min_length=1, description="the step of the cube")
    baseline: Span | None = None
    comparison: Span | None = None
    within: dict[str, str | None] = Field(default_factory=dict, max_length=20)


@tool("metric.series", MetricSeriesArguments, needs=("services.executor.metric.series",))
def metric_series(arguments: MetricSeriesArguments, context: ToolContext) -> ToolResult:
    """Add up a metric along time, from its cube: rows `bucket, value`, all leaves together.

    Of a ratio the value is that of the bucket, none where nothing is to be divided by; of sums a
    bucket without rows is zero. With periods, only as much is shown before the earlier one as both
    take together, at least eight weeks where the cube has them. `within` keeps one segment.
    """
    from services.executor.metric.reading import cube_frame
    from services.executor.metric.series import series_of

    frame = series_of(
        cube_frame(arguments.input, context),
        [span for span in (arguments.baseline, arguments.comparison) if span is not None],
        arguments.within,
    )
    return ToolResult(frame=frame, summary=f"{frame.num_rows:,} buckets")
