"""causal.calibrate: how far methods are off on the data at hand, with effects that are known."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.causal.estimation.arguments import CausalCalibrateArguments


@tool("causal.calibrate", CausalCalibrateArguments)
def causal_calibrate(arguments: CausalCalibrateArguments, context: ToolContext) -> ToolResult:
    """Plant known effects on the data and measure each method's error and coverage there.

    Covariates stay as they are; treatments are drawn from the propensity that the data show, and
    outcomes made from a model fitted to the data, its residuals drawn anew, and an effect of known
    size, the same for all rows or varying around it (kind). A row a method and planted effect:
    repetitions, bias and root mean squared error in the outcome's unit, how often the 95 % interval
    held the truth with its Wilson interval, mean width and how often the method declined (failed).
    Says nothing about confounders that are not in the data.
    """
    from services.executor.causal.estimation.calibration import calibrated

    return calibrated(arguments, context)
