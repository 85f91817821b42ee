"""Whether a mean is as expected or two groups differ: t-tests and their counterpart of ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.normality import shape_test
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import (
    MOST_GROUPS,
    Numbers,
    as_numbers,
    at_least,
    complete,
    group_name,
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
    outcome.add_sentence("test", "one-sample t-test")
    differs = "differs" if found.pvalue < 1 - confidence else "does not clearly differ"
    outcome.add_sentence("conclusion", f"the mean of {column} {differs} from {expected:,.10g}")
    outcome.add("t", found.statistic)
    outcome.add("degrees of freedom", found.df)
    outcome.add("p-value", found.pvalue, text="two-sided")
    outcome.add("mean", values.mean())
    outcome.add("expected mean", expected)
    ends = found.confidence_interval(confidence)
    outcome.interval("mean", ends.low, ends.high)
    if spread:
        outcome.add("Cohen's d", (values.mean() - expected) / spread, text="effect size")
    outcome.assume("the rows are independent of one another")
    shapes(outcome, {column: values}, 1 - confidence)
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
    outcome.add_sentence("test", "paired t-test")
    differ = "differ" if found.pvalue < 1 - confidence else "do not clearly differ"
    higher = first if gaps.mean() > 0 else second
    more = f": {higher} is higher" if found.pvalue < 1 - confidence else ""
    outcome.add_sentence("conclusion", f"{first} and {second} {differ} in their means{more}")
    outcome.add("t", found.statistic)
    outcome.add("degrees of freedom", found.df)
    outcome.add("p-value", found.pvalue, text="two-sided")
    outcome.add("mean difference", gaps.mean())
    ends = found.confidence_interval(confidence)
    outcome.interval("mean difference", ends.low, ends.high)
    if gaps.std(ddof=1):
        outcome.add("Cohen's d", gaps.mean() / gaps.std(ddof=1), text="effect size")
    outcome.assume("the rows are independent of one another; a row holds both values of one thing")
    shapes(outcome, {"differences": gaps}, 1 - confidence)
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
        names = f" ({', '.join(groups)})" if 0 < len(groups) <= 5 else ""
        has = "value has" if len(groups) == 1 else "values have"
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{len(groups)} {has} two rows or more with both {by} and {column}{names}; "
            "a test of two groups needs exactly two.",
            hint="Name two of them, or compare them all by an analysis of variance.",
            details={"column": by, "seen": len(groups)},
        )
    (one, a), (other, b) = groups.items()
    varies(column, by, groups)
    outcome.assume("the rows are independent of one another")
    if ranks:
        _mann_whitney(outcome, (column, one, other), a, b, confidence)
    else:
        _t_test(outcome, (column, one, other), a, b, equal_variances, confidence)
        shapes(outcome, groups, 1 - confidence)
    for name, values in groups.items():
        add_group(outcome, name, values)
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
    outcome.add_sentence("test", "Student's t-test" if equal else "Welch's t-test")
    higher = names[1] if a.mean() > b.mean() else names[2]
    _verdict(outcome, names, float(found.pvalue) < 1 - confidence, f"in its mean, higher {higher}")
    outcome.add("difference of means", a.mean() - b.mean(), text=f"{names[1]} less {names[2]}")
    ends = found.confidence_interval(confidence)
    outcome.interval("difference of means", ends.low, ends.high)
    outcome.add("t", found.statistic)
    outcome.add("degrees of freedom", found.df)
    outcome.add("p-value", found.pvalue, text="two-sided")
    pooled = np.sqrt(
        ((a.size - 1) * a.var(ddof=1) + (b.size - 1) * b.var(ddof=1)) / (a.size + b.size - 2)
    )
    if pooled:
        outcome.add("Cohen's d", (a.mean() - b.mean()) / pooled, text="effect size")
    same = stats.levene(a, b)
    outcome.add("equal variances p-value", same.pvalue, text="Levene's test")
    if equal:
        outcome.assume_checked("equal variances", met=not same.pvalue < 1 - confidence)
    else:
        outcome.assume("the variances may differ")
    if equal and same.pvalue < 1 - confidence:
        outcome.caveats.append("The variances differ (Levene's test): Welch's t-test fits better.")


def _mann_whitney(
    outcome: Outcome, names: tuple[str, str, str], a: Numbers, b: Numbers, confidence: float
) -> None:
    found = stats.mannwhitneyu(a, b, alternative="two-sided")
    outcome.add_sentence("test", "Mann-Whitney U test")
    higher = names[1] if found.statistic * 2 > a.size * b.size else names[2]
    clear = float(found.pvalue) < 1 - confidence
    _verdict(outcome, names, clear, f"in rank, higher {higher}")
    outcome.add("U", found.statistic)
    outcome.add("p-value", found.pvalue, text="two-sided")
    effect = 2 * found.statistic / (a.size * b.size) - 1
    outcome.add("rank-biserial correlation", effect, text="effect size")


def _verdict(outcome: Outcome, names: tuple[str, str, str], clear: bool, what: str) -> None:
    column, one, other = names
    how, _, higher = what.partition(", higher ")
    text = f"{column} {'differs' if clear else 'does not clearly differ'} {how}"
    more = f": it is higher for {higher}" if clear else ""
    outcome.add_sentence("conclusion", f"{text} between {one} and {other}{more}")


def varies(column: str, by: str, groups: dict[str, Numbers]) -> None:
    """Raises ToolError(INVALID_ARGUMENTS) where no group varies within itself."""
    if all(np.ptp(values) == 0 for values in groups.values()):
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{column} has one value only within each {by}, so no spread to compare with.",
            details={"column": column},
        )


def grouped(data: pd.DataFrame, column: str, by: str, outcome: Outcome) -> dict[str, Numbers]:
    """The numbers of each group, groups in order of their names; at least two values each."""
    frame = pd.DataFrame({"value": as_numbers(data, column), "group": data[by]})
    kept = complete(frame, outcome)
    groups = {
        group_name(by, k): v["value"].to_numpy()
        for k, v in kept.groupby("group", sort=True, observed=True)
    }
    if len(groups) > MOST_GROUPS:
        raise too_many_groups(by, len(groups))
    alone = [name for name, values in groups.items() if values.size < 2]
    if alone:
        outcome.caveats.append(f"Groups with a single value were left out: {', '.join(alone[:5])}.")
    return {name: values for name, values in groups.items() if values.size > 1}


def add_group(outcome: Outcome, name: str, values: Numbers) -> None:
    """Adds size, centre and spread of a group."""
    outcome.add("n", values.size, name)
    outcome.add("mean", values.mean(), name)
    outcome.add("median", float(np.median(values)), name)
    outcome.add("standard deviation", values.std(ddof=1), name, "divided by n - 1")


def shapes(outcome: Outcome, groups: dict[str, Numbers], alpha: float) -> None:
    """Says where small groups are not normal, which a t-test takes for granted."""
    odd = [
        name
        for name, values in groups.items()
        if 3 <= values.size < _CENTRAL_LIMIT
        and np.ptp(values) > 0
        and shape_test(values)[2] < alpha
    ]
    several = "groups of thirty rows or more, or normal values within each"
    one = "thirty rows or more, or normal values"
    outcome.assume_checked(several if len(groups) > 1 else one, met=not odd)
    if odd:
        outcome.caveats.append(
            f"Small and not normal (Shapiro-Wilk): {', '.join(odd[:5])}; a test of ranks is safer."
        )
