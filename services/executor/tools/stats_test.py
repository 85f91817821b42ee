"""stats.test: statistical tests over a frame, with what they assume and how large effects are."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.statistics.arguments import TestArguments


@tool("stats.test", TestArguments)
def stats_test(arguments: TestArguments, context: ToolContext) -> ToolResult:
    """Run one statistical test over the frame of an earlier step.

    describe, missing, normality (Shapiro-Wilk, or D'Agostino-Pearson above 5,000 values, unless
    `method` says which), correlation, chi_square, independence (chi-square, or Fisher's exact test
    of few rows of two by two), one_sample_t, paired_t, t_test (Welch unless equal_variances),
    mann_whitney, anova (with Welch's F where Levene's test finds unequal variances), kruskal,
    levene, outliers, linear_regression (tested on other rows than it is fitted to with
    `held_out`), logistic_regression. All tests are two-sided. The frame has the columns about,
    statistic, value and text: one row for each number, with its effect size and the ends of its
    confidence interval (low, high). What a test takes for granted are rows called "assumes"; what
    of it the data does not meet are notes.
    """
    from services.executor.statistics.run import run

    return run(arguments, context)
