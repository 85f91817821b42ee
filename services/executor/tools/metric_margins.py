"""metric.margins: what each value of each dimension adds to a metric, in two periods."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.metric.arguments import MarginsArguments


@tool("metric.margins", MarginsArguments, needs=("services.executor.metric.margins",))
def metric_margins(arguments: MarginsArguments, context: ToolContext) -> ToolResult:
    """Add up a metric by each value of each dimension, in a baseline and a comparison period.

    One row for the total (dimension ''), then one for each value: dimension, value (text; NULL is a
    value of its own), baseline_numerator, baseline_denominator (null without one), baseline_rows,
    baseline_squares (sum of numerator², for variances), the same of the comparison, folded, values.
    A dimension with very many values keeps those of the largest change and size; the others are one
    row "(other)", folded, with how many values it stands for. Done where the data is, in one scan.
    """
    from services.executor.metric.margins import margins
    from services.executor.metric.relation import described

    relation = described(arguments, context)
    context.progress("adding up by every value")
    frame, notes = margins(relation, context, arguments.most_values)
    summary = f"margins of {len(arguments.dimensions):,} dimensions, {frame.num_rows - 1:,} values"
    return ToolResult(frame=frame, summary=summary, notes=notes)
