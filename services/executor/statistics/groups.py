"""Whether groups differ: t-tests, analysis of variance, and their rank-based counterparts."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.describing import shape_test
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import (
    MOST_GROUPS,
    Numbers,
    as_numbers,
    at_least,
    complete,
    present,
    too_many_groups,
)

_CENTRAL_LIMIT = 30


def one_sample(data: pd.DataFrame, column: str, expected: float, confidence: float) -> Outcome:
    """Student's t-test of a mean against an expected one, two-sided."""
    outcome = Outcome()
    values = present(data, column)
    at_least(values.size, 2, "a t-test")
    found = stats.ttest_1samp(values, expected)
    spread = values.std(ddof=1)
    outcome.say("test", "one-sample t-test")
    differs = "differs" if found.pvalue < 1 - confidence else "does not clearly differ"
    outcome.say("conclusion", f"the mean of {column} {differs} from what was expected")
    outcome.add("t", found.statistic)
    outcome.add("degrees of freedom", found.df)
    outcome.add("p-value", found.pvalue, text="two-sided")
    outcome.add("mean", values.mean())
    outcome.add("expected mean", expected)
    ends = found.confidence_interval(confidence)
    outcome.interval("mean", ends.low, ends.high)
    if spread:
        outcome.add("Cohen's d", (values.mean() - expected) / spread, text="effect size")
    _shapes(outcome, {column: values}, 1 - confidence)
    return outcome


def paired(data: pd.DataFrame, first: str, second: str, confidence: float) -> Outcome:
    """Student's t-test of the differences within rows, two-sided."""
    outcome = Outcome()
    pairs = pd.DataFrame({"a": as_numbers(data, first), "b": as_numbers(data, second)})
    kept = complete(pairs, outcome)
    at_least(len(kept), 2, "a paired t-test")
    a, b = kept["a"].to_numpy(), kept["b"].to_numpy()
    found = stats.ttest_rel(a, b)
    gaps = a - b
    outcome.say("test", "paired t-test")
    differ = "differ" if found.pvalue < 1 - confidence else "do not clearly differ"
    outcome.say("conclusion", f"{first} and {second} {differ}")
    outcome.add("t", found.statistic)
    outcome.add("degrees of freedom", found.df)
    outcome.add("p-value", found.pvalue, text="two-sided")
    outcome.add("mean difference", gaps.mean())
    ends = found.confidence_interval(confidence)
    outcome.interval("mean difference", ends.low, ends.high)
    if gaps.std(ddof=1):
        outcome.add("Cohen's d", gaps.mean() / gaps.std(ddof=1), text="effect size")
    _shapes(outcome, {"differences": gaps}, 1 - confidence)
    return outcome


def two_groups(
    data: pd.DataFrame,
    column: str,
    by: str,
    *,
    equal_variances: bool,
    ranks: bool,
    confidence: float,
) -> Outcome:
    """Welch's t-test (Student's where variances are said to be equal), or Mann-Whitney's U."""
    outcome = Outcome()
    groups = grouped(data, column, by, outcome)
    if len(groups) != 2:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{by} has {len(groups)} values; a test of two groups needs exactly two.",
            hint="Name two of them, or compare them all by an analysis of variance.",
            details={"column": by, "seen": len(groups)},
        )
    (one, a), (other, b) = groups.items()
    if ranks:
        _mann_whitney(outcome, (column, one, other), a, b, confidence)
    else:
        _t_test(outcome, (column, one, other), a, b, equal_variances, confidence)
        _shapes(outcome, groups, 1 - confidence)
    for name, values in groups.items():
        _told(outcome, name, values)
    return outcome


def _t_test(
    outcome: Outcome,
    names: tuple[str, str, str],
    a: Numbers,
    b: Numbers,
    equal: bool,
    confidence: float,
) -> None:
    found = stats.ttest_ind(a, b, equal_var=equal)
    outcome.say("test", "Student's t-test" if equal else "Welch's t-test")
    _verdict(outcome, names, float(found.pvalue) < 1 - confidence, "mean")
    outcome.add("t", found.statistic)
    outcome.add("degrees of freedom", found.df)
    outcome.add("p-value", found.pvalue, text="two-sided")
    outcome.add("difference of means", a.mean() - b.mean())
    ends = found.confidence_interval(confidence)
    outcome.interval("difference of means", ends.low, ends.high)
    pooled = np.sqrt(
        ((a.size - 1) * a.var(ddof=1) + (b.size - 1) * b.var(ddof=1)) / (a.size + b.size - 2)
    )
    if pooled:
        outcome.add("Cohen's d", (a.mean() - b.mean()) / pooled, text="effect size")
    same = stats.levene(a, b)
    outcome.add("equal variances p-value", same.pvalue, text="Levene's test")
    if equal and same.pvalue < 1 - confidence:
        outcome.caveats.append("The variances differ (Levene's test): Welch's t-test fits better.")


def _mann_whitney(
    outcome: Outcome, names: tuple[str, str, str], a: Numbers, b: Numbers, confidence: float
) -> None:
    found = stats.mannwhitneyu(a, b, alternative="two-sided")
    outcome.say("test", "Mann-Whitney U test")
    _verdict(outcome, names, float(found.pvalue) < 1 - confidence, "ranked")
    outcome.add("U", found.statistic)
    outcome.add("p-value", found.pvalue, text="two-sided")
    effect = 2 * found.statistic / (a.size * b.size) - 1
    outcome.add("rank-biserial correlation", effect, text="effect size")


def _verdict(outcome: Outcome, names: tuple[str, str, str], clear: bool, what: str) -> None:
    column, one, other = names
    said = f"{column} {'differs' if clear else 'does not clearly differ'}"
    how = "in its mean " if what == "mean" else ""
    outcome.say("conclusion", f"{said} {how}between {one} and {other}")


def many_groups(
    data: pd.DataFrame, column: str, by: str, *, ranks: bool, confidence: float
) -> Outcome:
    """One-way analysis of variance, or the Kruskal-Wallis test."""
    outcome = Outcome()
    groups = grouped(data, column, by, outcome)
    at_least(len(groups), 2, "an analysis of variance over groups")
    values = list(groups.values())
    found = stats.kruskal(*values) if ranks else stats.f_oneway(*values)
    clear = float(found.pvalue) < 1 - confidence
    outcome.say("test", "Kruskal-Wallis test" if ranks else "one-way analysis of variance")
    tie = "differs" if clear else "does not clearly differ"
    outcome.say("conclusion", f"{column} {tie} between the groups of {by}")
    size = sum(v.size for v in values)
    outcome.add("H" if ranks else "F", found.statistic)
    outcome.add("degrees of freedom", len(values) - 1, text="between groups")
    if not ranks:
        outcome.add("residual degrees of freedom", size - len(values), text="within groups")
    outcome.add("p-value", found.pvalue)
    if ranks:
        effect = (found.statistic - len(values) + 1) / (size - len(values))
        outcome.add("epsilon squared", max(0.0, effect), text="effect size, 0 to 1")
    else:
        every = np.concatenate(values)
        between = sum(v.size * (v.mean() - every.mean()) ** 2 for v in values)
        outcome.add("eta squared", between / ((every - every.mean()) ** 2).sum(),
                    text="effect size, 0 to 1")  # fmt: skip
        same = stats.levene(*values)
        outcome.add("equal variances p-value", same.pvalue, text="Levene's test")
        if same.pvalue < 1 - confidence:
            outcome.caveats.append(
                "The variances of the groups differ (Levene's test); the Kruskal-Wallis test "
                "does not need them equal."
            )
        _shapes(outcome, groups, 1 - confidence)
    for name, numbers in groups.items():
        _told(outcome, name, numbers)
    return outcome


def grouped(data: pd.DataFrame, column: str, by: str, outcome: Outcome) -> dict[str, Numbers]:
    """The numbers of each group, groups in order of their names; at least two values each."""
    frame = pd.DataFrame({"value": as_numbers(data, column), "group": data[by]})
    kept = complete(frame, outcome)
    groups = {str(k): v["value"].to_numpy() for k, v in kept.groupby("group", sort=True)}
    if len(groups) > MOST_GROUPS:
        raise too_many_groups(by, len(groups))
    alone = [name for name, values in groups.items() if values.size < 2]
    if alone:
        outcome.caveats.append(f"Groups with a single value were left out: {', '.join(alone[:5])}.")
    return {name: values for name, values in groups.items() if values.size > 1}


def _told(outcome: Outcome, name: str, values: Numbers) -> None:
    outcome.add("n", values.size, name)
    outcome.add("mean", values.mean(), name)
    outcome.add("median", float(np.median(values)), name)
    outcome.add("standard deviation", values.std(ddof=1), name, "divided by n - 1")


def _shapes(outcome: Outcome, groups: dict[str, Numbers], alpha: float) -> None:
    """Says where small groups are not normal, which a t-test takes for granted."""
    odd = [
        name
        for name, values in groups.items()
        if 3 <= values.size < _CENTRAL_LIMIT
        and np.ptp(values) > 0
        and shape_test(values)[2] < alpha
    ]
    if odd:
        outcome.caveats.append(
            f"Small and not normal (Shapiro-Wilk): {', '.join(odd[:5])}; a test of ranks is safer."
        )
