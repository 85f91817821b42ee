"""causal.sensitivity: how fragile an effect is, by one test."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.causal.sensitivity.arguments import CausalSensitivityArguments


@tool("causal.sensitivity", CausalSensitivityArguments)
def causal_sensitivity(arguments: CausalSensitivityArguments, context: ToolContext) -> ToolResult:
    """Test an estimated effect by one method, a row: method, robustness_value in the method's unit,
    passes (null where it gives a figure and no verdict), interpretation in a sentence, details as
    JSON.

    e_value (VanderWeele & Ding 2017), rosenbaum bounds (2002), omitted_variable (Cinelli & Hazlett
    2020, with benchmarks and the grid of a contour plot), placebo_treatment (shuffled among rows of
    like propensity), random_common_cause, subset, negative_control (Lipsitch et al. 2010).
    """
    from services.executor.causal.sensitivity.run import sensitivity_frame

    return sensitivity_frame(arguments, context)
