"""Whether several groups differ: analysis of variance and its rank-based counterpart."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.groups import add_group, grouped, shapes, varies
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.pairs import compared_means, compared_ranks
from services.executor.statistics.reading import Numbers


def many_groups(
    data: pd.DataFrame, column: str, by: str, *, ranks: bool, confidence: float
) -> Outcome:
    """One-way analysis of variance, or the Kruskal-Wallis test; then each two groups."""
    outcome = Outcome()
    groups = _comparable(data, column, by, outcome)
    outcome.assume("the rows are independent of one another")
    if ranks:
        _kruskal(outcome, list(groups.values()))
    else:
        _variance(outcome, list(groups.values()), confidence)
        shapes(outcome, groups, 1 - confidence)
    deciding = "Welch p-value" if outcome.has("Welch p-value") else "p-value"
    clear = outcome.value(deciding) < 1 - confidence
    centres = {name: np.median(v) if ranks else v.mean() for name, v in groups.items()}
    ends = max(centres, key=lambda n: centres[n]), min(centres, key=lambda n: centres[n])
    tie = "differs" if clear else "does not clearly differ"
    more = f": highest for {ends[0]}, lowest for {ends[1]}" if clear and len(groups) > 2 else ""
    outcome.add_sentence("conclusion", f"{column} {tie} by {by}{more}")
    if clear and len(groups) > 2:
        if ranks:
            compared_ranks(outcome, groups, confidence)
        else:
            same = not outcome.value("equal variances p-value") < 1 - confidence
            compared_means(outcome, groups, same=same, confidence=confidence)
    for name, numbers in groups.items():
        add_group(outcome, name, numbers)
    return outcome


def _comparable(data: pd.DataFrame, column: str, by: str, outcome: Outcome) -> dict[str, Numbers]:
    """The groups, of which there must be two that can be compared. Raises ToolError."""
    groups = grouped(data, column, by, outcome)
    if len(groups) < 2:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"fewer than two values of {by} have two rows with {column}, so nothing is compared.",
            details={"column": by, "seen": len(groups)},
        )
    varies(column, by, groups)
    return groups


def _kruskal(outcome: Outcome, values: list[Numbers]) -> None:
    found = stats.kruskal(*values)
    size = sum(v.size for v in values)
    outcome.add_sentence("test", "Kruskal-Wallis test")
    outcome.add("H", found.statistic)
    outcome.add("degrees of freedom", len(values) - 1, text="between groups")
    outcome.add("p-value", found.pvalue)
    effect = (found.statistic - len(values) + 1) / (size - len(values))
    outcome.add("epsilon squared", max(0.0, effect), text="effect size, 0 to 1")


def _variance(outcome: Outcome, values: list[Numbers], confidence: float) -> None:
    """Fisher's F; Welch's beside it, which then decides, where the variances differ."""
    found = stats.f_oneway(*values)
    every = np.concatenate(values)
    outcome.add_sentence("test", "one-way analysis of variance")
    outcome.add("F", found.statistic)
    outcome.add("degrees of freedom", len(values) - 1, text="between groups")
    outcome.add("residual degrees of freedom", every.size - len(values), text="within groups")
    outcome.add("p-value", found.pvalue)
    between = sum(v.size * (v.mean() - every.mean()) ** 2 for v in values)
    effect = between / ((every - every.mean()) ** 2).sum()
    outcome.add("eta squared", effect, text="effect size, 0 to 1")
    same = stats.levene(*values)
    outcome.add("equal variances p-value", same.pvalue, text="Levene's test")
    outcome.assume_checked("equal variances", met=not same.pvalue < 1 - confidence)
    if not same.pvalue < 1 - confidence:
        return
    if any(np.ptp(v) == 0 for v in values):
        outcome.caveats.append("The variances of the groups differ (Levene's test).")
        return
    from statsmodels.stats.oneway import anova_oneway

    welch = anova_oneway(values, use_var="unequal", welch_correction=True)
    outcome.add("Welch F", welch.statistic, text="variances may differ")
    outcome.add("Welch residual degrees of freedom", welch.df_denom)
    outcome.add("Welch p-value", welch.pvalue)
    outcome.caveats.append(
        "The variances of the groups differ (Levene's test), so Welch's F decides."
    )


def spreads(data: pd.DataFrame, column: str, by: str, confidence: float) -> Outcome:
    """Levene's test, around medians, of whether groups spread alike. Raises ToolError."""
    outcome = Outcome()
    groups = _comparable(data, column, by, outcome)
    found = stats.levene(*groups.values())
    unlike = found.pvalue < 1 - confidence
    outcome.add_sentence("test", "Levene's test of equal variances (around medians)")
    tie = "differs" if unlike else "does not clearly differ"
    outcome.add_sentence("conclusion", f"the spread of {column} {tie} by {by}")
    outcome.add("W", found.statistic)
    outcome.add("degrees of freedom", len(groups) - 1, text="between groups")
    outcome.add("p-value", found.pvalue)
    for name, numbers in groups.items():
        outcome.add("n", numbers.size, name)
        outcome.add("variance", numbers.var(ddof=1), name, "divided by n - 1")
    outcome.assume("the rows are independent of one another")
    return outcome
