"""How two columns go together: correlation, and independence of categories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import as_numbers, at_least, complete, varying

_LEAST_EXPECTED = 5
_SHARE_OF_SMALL = 0.2


def correlation(
    data: pd.DataFrame, first: str, second: str, method: str, confidence: float
) -> Outcome:
    """Pearson's r, Spearman's rho or Kendall's tau with its two-sided p-value."""
    outcome = Outcome()
    pairs = pd.DataFrame({"a": as_numbers(data, first), "b": as_numbers(data, second)})
    kept = complete(pairs, outcome)
    a, b = kept["a"].to_numpy(), kept["b"].to_numpy()
    at_least(a.size, 3, "a correlation")
    varying(a, first)
    varying(b, second)
    name = {"pearson": "Pearson correlation", "spearman": "Spearman rank correlation",
            "kendall": "Kendall rank correlation"}[method]  # fmt: skip
    found = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[
        method
    ](a, b)
    strength = float(found.statistic)
    clear = float(found.pvalue) < 1 - confidence
    outcome.say("test", name)
    way = "rises" if strength > 0 else "falls"
    told = f"{second} {way} with {first}" if clear else f"{first} and {second} show no clear link"
    outcome.say("conclusion", told)
    outcome.add("correlation", strength)
    outcome.add("p-value", found.pvalue, text="two-sided")
    if method == "pearson":
        outcome.add("degrees of freedom", a.size - 2)
        outcome.add("share of variance explained", strength**2)
        if a.size > 3:
            ends = found.confidence_interval(confidence)
            outcome.interval("correlation", ends.low, ends.high)
    return outcome


def correlations(
    data: pd.DataFrame, pairs: Sequence[tuple[str, str]], method: str, confidence: float
) -> Outcome:
    """Correlation and two-sided p-value of each pair; which goes together most closely is told.

    Each pair is over its own complete rows. Pairs of which a column does not vary are left out.
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
    outcome.say("test", f"{method.capitalize()} correlation of {len(found)} pairs")
    outcome.say("conclusion", f"{found[0][0]} go together most closely")
    for about, one in found:
        outcome.add("correlation", one.value("correlation"), about)
        outcome.add("p-value", one.value("p-value"), about, "two-sided")
        outcome.add("rows used", one.value("rows used"), about)
    if len(found) > 1:
        outcome.caveats.append("The p-values are of one test each, not corrected for their number.")
    return outcome


def chi_square(data: pd.DataFrame, first: str, second: str, confidence: float) -> Outcome:
    """Pearson's chi-square test of independence, without a correction for continuity."""
    outcome = Outcome()
    kept = complete(data[[first, second]], outcome)
    counts = pd.crosstab(kept[first], kept[second]).to_numpy()
    if min(counts.shape, default=0) < 2:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{first} and {second} need at least two different values each.",
        )
    found = stats.chi2_contingency(counts, correction=False)
    size = counts.sum()
    strength = float(np.sqrt(found.statistic / (size * (min(counts.shape) - 1))))
    clear = float(found.pvalue) < 1 - confidence
    outcome.say("test", "chi-square test of independence")
    tie = "depend on each other" if clear else "show no clear dependence"
    outcome.say("conclusion", f"{first} and {second} {tie}")
    outcome.add("chi-square", found.statistic)
    outcome.add("degrees of freedom", found.dof)
    outcome.add("p-value", found.pvalue)
    outcome.add("Cramer's V", strength, text="effect size, 0 to 1")
    outcome.add("smallest expected count", found.expected_freq.min())
    small = float(np.mean(found.expected_freq < _LEAST_EXPECTED))
    if small > _SHARE_OF_SMALL:
        outcome.caveats.append(
            f"Chi-square is rough here: {small:.0%} of the expected counts are below "
            f"{_LEAST_EXPECTED}."
        )
    return outcome
