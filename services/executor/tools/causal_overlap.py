"""causal.overlap: whether treated and control rows can be compared, before any effect is told."""

from __future__ import annotations

from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult, tool
from services.executor.causal.checking.arguments import OverlapArguments


@tool("causal.overlap", OverlapArguments)
def causal_overlap(arguments: OverlapArguments, context: ToolContext) -> ToolResult:
    """Tell whether the groups of a treatment overlap and balance: a row a statistic.

    Chances of treatment come from a cross-fitted, regularised logistic regression, with gradient
    boosting as a check. overlap: auc, common_support_share, overlap_coefficient, extreme_share
    (before and after trimming), one_sided levels and a verdict in words. balance: smd and
    variance_ratio by covariate, before and after weighting. weights: effective_rows (Kish) and
    largest_share, for ATE and ATT. trimming: alpha (Crump's rule unless asked), rows kept.
    histogram: rows by chance and group (statistic is where a bin begins), unweighted and weighted.
    A numeric treatment gets the generalised propensity score. Of stacked imputations the first is
    read.
    """
    from services.executor.causal.checking.overlap import SCHEMA, check_overlap
    from services.executor.causal.profiling.columns import IMPUTATION, input_frame
    from services.executor.causal.threads import one_thread
    from services.executor.metric.search_rows import table_of

    def stopped() -> None:
        if context.cancelled.is_set():
            raise ToolError(ErrorCategory.CANCELLED, "the check of overlap was cancelled.")
        if context.seconds_left <= 0:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                "time ran out while overlap was looked at.",
                hint="Load fewer rows, or name fewer covariates.",
                details={"limit": 0, "unit": "seconds"},
            )

    frame = input_frame(arguments.input, context)
    with one_thread("sklearn.ensemble", "sklearn.linear_model"):
        rows, notes = check_overlap(frame, arguments, stopped)
    if IMPUTATION in frame.column_names:
        notes.append("Overlap is that of the first imputation.")
    verdict = next(row["text"] for row in rows if row["statistic"] == "verdict")
    return ToolResult(frame=table_of(rows, SCHEMA), summary=verdict, notes=tuple(notes))
