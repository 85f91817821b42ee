"""metric.quality: faults of the data that would explain a change by themselves."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.metric.arguments import QualityArguments


@tool("metric.quality", QualityArguments, needs=("pandas", "services.executor.metric.quality.run"))
def metric_quality(arguments: QualityArguments, context: ToolContext) -> ToolResult:
    """Look for faults in the rows of a metric, in both periods.

    One row for each thing found, the most severe first: check, column, segment_dimension ('' for
    none), segment_value, bucket (first day; null for a whole period), baseline, comparison,
    severity, until (last day), detail (in words). Checks, with what baseline and comparison are:
    missing_days (days without rows, of all or of one segment, where their weekday has some: how
    many), duplicate_load (rows there several times: share that repeats), null_flood and zero_flood
    (share of rows without a value, or with nought), unit_change (typical size of the numerator),
    new_value, vanished_value and respelt_value (rows). Severity: fault (of the data, beyond what a
    business does), doubt, note.
    """
    from services.executor.metric.quality.run import quality
    from services.executor.metric.relation import described

    relation = described(arguments, context)
    frame, notes = quality(arguments, relation, context)
    severities = frame["severity"].to_pylist()
    summary = ", ".join(
        f"{severities.count(kind):,} {kind}{'' if severities.count(kind) == 1 else 's'}"
        for kind in ("fault", "doubt", "note")
    )
    return ToolResult(frame=frame, summary=summary, notes=notes)
