"""metric.waterfall: from the baseline to the comparison, one step an explanation."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool


class MetricWaterfallArguments(ToolArguments):
    """What the two ends are called, and how many steps lie between them at most."""

    input: str | None = Field(
        default=None,
        min_length=1,
        description="the step of metric.search; the only input if unsaid",
    )
    baseline: str = Field(default="baseline", min_length=1, max_length=80)
    comparison: str = Field(default="comparison", min_length=1, max_length=80)
    alpha: float = Field(default=0.05, gt=0, lt=0.5, description="what has a larger p is left out")
    most_steps: int = Field(default=8, ge=1, le=20, description="the others are in the rest")


@tool("metric.waterfall", MetricWaterfallArguments)
def metric_waterfall(arguments: MetricWaterfallArguments, context: ToolContext) -> ToolResult:
    """Lay out what a search found as a waterfall: rows `label, start, end, kind, effect`.

    The first row (kind total) goes from 0 to the baseline, made comparable, the last to the
    comparison. Between them is one step for each explanation that stands out, the largest first
    (kind up or down, from where the one before ended), and the rest (kind rest), which closes the
    gap: effects of explanations that overlap need not add up to the change.
    """
    from services.executor.metric.waterfall import steps_of

    frame = steps_of(arguments, context.inputs)
    count = frame.num_rows - 2
    return ToolResult(frame=frame, summary=f"{count:,} {'step' if count == 1 else 'steps'}")
