"""metric.leaf_quality: faults of leaves that would explain by themselves that they are off."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.tools.metric_leaves import MetricLeavesArguments


class MetricLeafQualityArguments(MetricLeavesArguments):
    """The leaves, and whether a row is told by its dimensions alone: where other columns tell rows
    apart, those of the same dimensions and numbers repeat nothing."""

    complete: bool = True


@tool("metric.leaf_quality", MetricLeafQualityArguments)
def metric_leaf_quality(arguments: MetricLeafQualityArguments, context: ToolContext) -> ToolResult:
    """Look for faults in leaves with real and predicted values, before they are searched.

    One row for each thing found, the most severe first, in the columns of metric.quality: baseline
    and comparison are the sums of the forecast and of what is real in the rows that it is about.
    Checks: repeated_leaf (the same values and numbers again), missing_value and missing_forecast
    (null where the other is there), unit_change (real a power of ten times the forecast), negative,
    zero_value and zero_forecast. Severity: fault (at least half of the difference is gone without
    these rows, or the unit), doubt, note.
    """
    from services.executor.metric.leaf_faults import leaf_faults
    from services.executor.metric.quality.found import frame_of

    found = leaf_faults(arguments, context)
    severities = [one.severity for one in found]
    summary = ", ".join(
        f"{severities.count(kind):,} {kind}{'' if severities.count(kind) == 1 else 's'}"
        for kind in ("fault", "doubt", "note")
    )
    return ToolResult(frame=frame_of(found), summary=summary)
