"""How two columns go together: correlation, and independence of categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.pairs import adjusted
from services.executor.statistics.proportions import add_shares
from services.executor.statistics.reading import (
    MOST_GROUPS,
    Numbers,
    as_numbers,
    at_least,
    complete,
    groups_of,
    too_many_groups,
    varying,
)

_LEAST_EXPECTED = 5
_SHARE_OF_SMALL = 0.2
_MOST_CELLS = 60  # of a table of counts that is told
_A_TRACE = 0.1  # a smaller coefficient is no effect by Cohen (1988), however many the rows
_FAR_APART = 0.2  # of Pearson's and Spearman's coefficients
_METHODS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
_NAMES = {
    "pearson": "Pearson correlation",
    "spearman": "Spearman rank correlation",
    "kendall": "Kendall rank correlation",
}
_SHAPES = {
    "pearson": "the link is a straight line and not made by a few far values",
    "spearman": "the link only rises or only falls",
    "kendall": "the link only rises or only falls",
}


def correlation(
    data: pd.DataFrame, first: str, second: str, method: str, confidence: float
) -> Outcome:
    """Pearson's r, Spearman's rho or Kendall's tau with its two-sided p-value and interval."""
    outcome = Outcome()
    pairs = pd.DataFrame({"a": as_numbers(data, first), "b": as_numbers(data, second)})
    kept = complete(pairs, outcome)
    a, b = kept["a"].to_numpy(), kept["b"].to_numpy()
    at_least(a.size, 3, "a correlation")
    varying(a, first)
    varying(b, second)
    found = _METHODS[method](a, b)
    strength = float(found.statistic)
    clear = float(found.pvalue) < 1 - confidence
    outcome.add_sentence("test", _NAMES[method])
    outcome.add_sentence("conclusion", _concluded(first, second, strength, clear=clear))
    outcome.add("correlation", strength)
    ends = _ends(found, strength, a.size, method, confidence)
    if ends is not None:
        outcome.interval("correlation", *ends)
    outcome.add("p-value", found.pvalue, text="two-sided")
    if method != "kendall":
        outcome.add("degrees of freedom", a.size - 2)
    if method == "pearson":
        outcome.add("share of variance explained", strength**2)
        outcome.add("covariance", np.cov(a, b)[0, 1], text="divided by n - 1")
        _straight(outcome, a, b, strength)
    outcome.assume("the rows are independent of one another", _SHAPES[method])
    return outcome


def _concluded(first: str, second: str, strength: float, *, clear: bool) -> str:
    """That one rises or falls with the other only where that is sure, and more than a trace."""
    if not clear:
        return f"{first} and {second} show no clear link"
    if abs(strength) < _A_TRACE:
        return f"{first} and {second} are hardly related, though surely not by chance alone"
    return f"{second} {'rises' if strength > 0 else 'falls'} with {first}"


def _ends(
    found: Any, strength: float, size: int, method: str, confidence: float
) -> tuple[float, float] | None:
    """Fisher's interval; of ranks with the variances of Bonett and Wright (2000)."""
    if method == "pearson":
        ends = found.confidence_interval(confidence)
        return (ends.low, ends.high) if size > 3 else None
    if size <= 4 or abs(strength) == 1:
        return None
    kendall = method == "kendall"
    variance = 0.437 / (size - 4) if kendall else (1 + strength**2 / 2) / (size - 3)
    reach = stats.norm.ppf(0.5 + confidence / 2) * np.sqrt(variance)
    centre = np.arctanh(strength)
    return float(np.tanh(centre - reach)), float(np.tanh(centre + reach))


def _straight(outcome: Outcome, a: Numbers, b: Numbers, strength: float) -> None:
    """Tells the correlation of ranks, which neither curves nor far values move much."""
    ranks = float(stats.spearmanr(a, b).statistic)
    outcome.add("rank correlation", ranks, text="Spearman, to compare")
    if abs(ranks - strength) > _FAR_APART:
        outcome.caveats.append(
            "The rank correlation (Spearman) is clearly another: the link is no straight line, "
            "or a few far values decide it."
        )


def correlation_within(
    data: pd.DataFrame, first: str, second: str, by: str, method: str, confidence: float
) -> Outcome:
    """The correlation within each group, and over all rows. Raises ToolError."""
    whole = correlation(data, first, second, method, confidence)
    outcome = Outcome(caveats=list(whole.caveats))
    outcome.add_sentence("test", f"{_NAMES[method]} within each {by}")
    outcome.add_sentence("conclusion", f"{whole.words('conclusion')} over all rows")
    outcomes = {"all rows": whole}
    for group, rows in groups_of(data, by):
        try:
            outcomes[group] = correlation(rows, first, second, method, confidence)
        except ToolError as error:
            outcome.caveats.append(f"{group} is left out: {error.message}")
    for about, one in outcomes.items():
        for statistic in (
            "correlation",
            "correlation low",
            "correlation high",
            "p-value",
            "rows used",
        ):
            if one.has(statistic):
                outcome.add(statistic, one.value(statistic), about)
    signs = {one.value("correlation") > 0 for about, one in outcomes.items() if one is not whole}
    if signs and signs != {whole.value("correlation") > 0}:
        outcome.caveats.append("Within groups the link goes another way than over all rows.")
    outcome.assume("the rows are independent of one another", _SHAPES[method])
    return outcome


def correlations(
    data: pd.DataFrame,
    pairs: Sequence[tuple[str, str]],
    method: str,
    confidence: float,
    *,
    matrix: bool = False,
) -> Outcome:
    """Correlation and two-sided p-value of each pair; which goes together most closely is told.

    Of several pairs the p-values are adjusted for their number too, after Holm (1979). Each pair is
    over its own complete rows. Pairs of which a column does not vary are left out. A `matrix` has
    every pair both ways as well, marked as such.
    """
    outcome = Outcome()
    found: list[tuple[str, Outcome]] = []
    for first, second in pairs:
        try:
            one = correlation(data, first, second, method, confidence)
        except ToolError as error:
            outcome.caveats.append(f"{first} and {second} are left out: {error.message}")
        else:
            found.append((f"{first} and {second}", one))
    if not found:
        raise ToolError(ErrorCategory.INVALID_ARGUMENTS, "none of these columns can be correlated.")
    found.sort(key=lambda pair: -abs(pair[1].value("correlation")))
    outcome.add_sentence("test", f"{method.capitalize()} correlation of {len(found)} pairs")
    outcome.add_sentence("conclusion", f"{found[0][0]} go together most closely")
    likely = adjusted([one.value("p-value") for _, one in found])
    for (about, one), probability in zip(found, likely, strict=True):
        outcome.add("correlation", one.value("correlation"), about)
        if one.has("correlation low"):
            ends = one.value("correlation low"), one.value("correlation high")
            outcome.interval("correlation", *ends, about)
        outcome.add("p-value", one.value("p-value"), about, "two-sided")
        if len(found) > 1:
            outcome.add("adjusted p-value", probability, about, "after Holm")
        outcome.add("rows used", one.value("rows used"), about)
    if matrix:
        _matrix(outcome, pairs)
    outcome.assume("the rows are independent of one another", _SHAPES[method])
    return outcome


def _matrix(outcome: Outcome, pairs: Sequence[tuple[str, str]]) -> None:
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    for row in names:
        for column in names:
            about = next(
                (
                    f"{first} and {second}"
                    for first, second in ((row, column), (column, row))
                    if outcome.has("correlation", f"{first} and {second}")
                ),
                None,
            )
            if row == column:
                outcome.add(column, 1.0, row, "matrix")
            elif about is not None:
                outcome.add(column, outcome.value("correlation", about), row, "matrix")


def independence(
    data: pd.DataFrame, first: str, second: str, confidence: float, *, chosen: bool = False
) -> Outcome:
    """Pearson's chi-square test of independence, beside it with Yates' correction for continuity.

    Where the test is to be `chosen`, Fisher's exact test decides over two columns with two values
    each and few rows.
    """
    outcome = Outcome()
    kept = complete(data[[first, second]], outcome)
    table = pd.crosstab(kept[first], kept[second])
    counts = table.to_numpy()
    if min(counts.shape, default=0) < 2:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{first} and {second} need at least two different values each.",
        )
    if max(counts.shape) > MOST_GROUPS:
        raise too_many_groups(first if len(counts) > MOST_GROUPS else second, max(counts.shape))
    found = stats.chi2_contingency(counts, correction=False)
    size = counts.sum()
    strength = float(np.sqrt(found.statistic / (size * (min(counts.shape) - 1))))
    few = counts.shape == (2, 2) and found.expected_freq.min() < _LEAST_EXPECTED
    exact = few and chosen
    probability = float(stats.fisher_exact(counts).pvalue if exact else found.pvalue)
    outcome.add_sentence(
        "test", "Fisher's exact test" if exact else "chi-square test of independence"
    )
    tie = "depend on each other" if probability < 1 - confidence else "show no clear dependence"
    outcome.add_sentence("conclusion", f"{first} and {second} {tie}")
    if exact:
        outcome.add("p-value", probability, text="two-sided")
        outcome.add("odds ratio", stats.fisher_exact(counts).statistic, text="of the sample")
    outcome.add("chi-square", found.statistic)
    outcome.add("degrees of freedom", found.dof)
    outcome.add("chi-square p-value" if exact else "p-value", found.pvalue)
    if counts.shape == (2, 2):
        eased = stats.chi2_contingency(counts)
        outcome.add("corrected chi-square", eased.statistic, text="Yates' correction")
        outcome.add("corrected p-value", eased.pvalue, text="Yates' correction")
    outcome.add("Cramer's V", strength, text="effect size, 0 to 1")
    outcome.add("smallest expected count", found.expected_freq.min())
    outcome.assume("the rows are independent of one another")
    if few and not exact:
        outcome.add("exact p-value", stats.fisher_exact(counts).pvalue, text="Fisher's exact test")
    small = float(np.mean(found.expected_freq < _LEAST_EXPECTED))
    enough = small <= _SHARE_OF_SMALL
    if not exact:
        text = "expected counts of five or more in most cells"
        outcome.assume_checked(text, met=enough)
    if not exact and not enough:
        outcome.deny(
            "Few expected counts",
            f"chi-square is rough here: {small:.0%} of the expected counts are below "
            f"{_LEAST_EXPECTED}.",
        )
    if min(counts.shape) == 2:
        add_shares(outcome, table if counts.shape[1] == 2 else table.T, confidence)
    _counts(outcome, table)
    return outcome


def _counts(outcome: Outcome, table: pd.DataFrame) -> None:
    """How many rows have each pair of values, where there are few pairs."""
    if table.size > _MOST_CELLS:
        return
    for group, counts in table.iterrows():
        for value, count in counts.items():
            outcome.add(str(value), float(count), str(group), "rows")
