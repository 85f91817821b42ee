"""stats.test: statistical tests over a frame, with what they assume and how large effects are."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.statistics.arguments import TestArguments


@tool("stats.test", TestArguments)
def stats_test(arguments: TestArguments, context: ToolContext) -> ToolResult:
    """Run one statistical test over the frame of an earlier step.

    describe, missing, normality (Shapiro-Wilk; D'Agostino-Pearson above 5,000 values),
    correlation, chi_square, one_sample_t, paired_t, t_test (Welch unless equal_variances),
    mann_whitney, anova, kruskal, outliers, linear_regression, logistic_regression. All tests are
    two-sided. The frame has the columns about, statistic, value and text: one row for each number,
    with its effect size and confidence interval; assumptions that the data does not meet are notes.
    """
    from services.executor.statistics.run import run

    return run(arguments, context)
