"""metric.cube: a metric by every combination of its dimensions, bucket by bucket."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.metric.arguments import CubeArguments


@tool("metric.cube", CubeArguments, needs=("services.executor.metric.cubing",))
def metric_cube(arguments: CubeArguments, context: ToolContext) -> ToolResult:
    """Add up a metric by every combination of values, in every day, week or month with rows.

    Columns: the dimensions (text, NULL as NULL), bucket (its first day), numerator, denominator
    (null without one), rows, squares (sum of numerator²); from `history_start`, or the earlier
    period, to the end of the later. No bucket is of both periods: weeks are counted from where a
    period begins. To stay within `most_cells`, values are folded into "(other)", those that neither
    moved nor weigh much first (the margins of an earlier step say which), then buckets are made
    longer, then dimensions are left out; notes say so.
    """
    from services.executor.metric.cubing import cube
    from services.executor.metric.relation import described

    relation = described(arguments, context)
    frame, notes = cube(arguments, relation, context)
    summary = f"{frame.num_rows:,} cells of {len(arguments.dimensions):,} dimensions"
    return ToolResult(frame=frame, summary=summary, notes=notes)
