"""causal.estimate: one effect by one method, with what it rests on."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.causal.estimation.arguments import CausalEstimateArguments


@tool("causal.estimate", CausalEstimateArguments)
def causal_estimate(arguments: CausalEstimateArguments, context: ToolContext) -> ToolResult:
    """Estimate the effect of a treatment on an outcome by one method.

    A row an estimate: method, estimand (ATE, ATT, CATE, LATE), group (empty for all rows), estimate
    in the outcome's unit, standard error, 95 % interval, p-value, rows, status (ok or rejected),
    its reason, assumptions as JSON (name, statistic, p_value, passed, text), details as JSON.
    Stacked imputations (column _imputation) are pooled by Rubin's rules. Where the data cannot
    carry the method (no overlap, too few treated, a weak instrument, a failing pre-trend, …) the
    row is rejected and says why.
    """
    from services.executor.causal.estimation.asking import estimate_frame

    return estimate_frame(arguments, context)
