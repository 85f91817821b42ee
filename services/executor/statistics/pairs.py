"""Which groups differ from which, once a test over all of them has found that some do."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from scipy import stats

from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import Numbers

MOST_COMPARED = 10  # groups, which make 45 pairs

_EXACT_TO = 1e-10
"""What the studentized range's probabilities are exact to: they are found as one less another."""

Pair = tuple[str, str]


def compared_means(
    outcome: Outcome, groups: Mapping[str, Numbers], *, same: bool, confidence: float
) -> None:
    """Adds the difference of each two means with its simultaneous interval and adjusted p-value.

    Where the variances are the `same` by the Tukey-Kramer test, else by that of Games and Howell
    (1976). Over more than `MOST_COMPARED` groups nothing is added but a caveat.
    """
    if _too_many(outcome, groups):
        return
    values = list(groups.values())
    found = stats.tukey_hsd(*values) if same else None
    ends = found.confidence_interval(confidence) if found is not None else None
    apart: dict[Pair, bool] = {}
    for i, j in _downwards([float(numbers.mean()) for numbers in values]):
        pair = (list(groups)[i], list(groups)[j])
        about = f"{pair[0]} less {pair[1]}"
        difference = float(values[i].mean() - values[j].mean())
        outcome.add("difference of means", difference, about)
        if ends is not None:
            outcome.interval("difference of means", ends.low[i, j], ends.high[i, j], about)
        else:
            reach = _reach(values[i], values[j], len(groups), confidence)
            outcome.interval("difference of means", difference - reach, difference + reach, about)
        likely = (
            float(found.pvalue[i, j])
            if found is not None
            else _games_howell(values[i], values[j], len(groups))
        )
        bound = ", at most" if likely < _EXACT_TO else ""
        outcome.add("adjusted p-value", max(likely, _EXACT_TO), about, f"two-sided{bound}")
        apart[pair] = likely < 1 - confidence
    _describe_pairs(outcome, "Tukey-Kramer test" if same else "Games-Howell test", apart)


def compared_ranks(outcome: Outcome, groups: Mapping[str, Numbers], confidence: float) -> None:
    """Adds Dunn's (1964) z of each two groups, p-values adjusted after Holm (1979).

    Over more than `MOST_COMPARED` groups nothing is added but a caveat.
    """
    if _too_many(outcome, groups):
        return
    every = np.concatenate(list(groups.values()))
    ranks = stats.rankdata(every)
    _, ties = np.unique(every, return_counts=True)
    size = every.size
    variance = size * (size + 1) / 12 - float((ties**3 - ties).sum()) / (12 * (size - 1))
    parts = np.split(ranks, np.cumsum([v.size for v in groups.values()])[:-1])
    order = _downwards([float(part.mean()) for part in parts])
    scores = [
        (parts[i].mean() - parts[j].mean())
        / np.sqrt(variance * (1 / parts[i].size + 1 / parts[j].size))
        for i, j in order
    ]
    likely = adjusted([2 * float(stats.norm.sf(abs(score))) for score in scores])
    apart: dict[Pair, bool] = {}
    for (i, j), score, probability in zip(order, scores, likely, strict=True):
        pair = (list(groups)[i], list(groups)[j])
        about = f"{pair[0]} against {pair[1]}"
        outcome.add("z", score, about, "of mean ranks")
        outcome.add("adjusted p-value", probability, about, "two-sided, after Holm")
        apart[pair] = probability < 1 - confidence
    _describe_pairs(outcome, "Dunn's test with Holm's correction", apart)


def adjusted(probabilities: list[float]) -> list[float]:
    """P-values of several tests made at once, after Holm (1979).

    Not by statsmodels, which collects the garbage of the whole process each time.
    """
    count = len(probabilities)
    order = np.argsort(probabilities)
    stepped = np.asarray(probabilities)[order] * (count - np.arange(count))
    found = np.empty(count)
    found[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return [float(p) for p in found]


def _reach(one: Numbers, other: Numbers, groups: int, confidence: float) -> float:
    """Half the width of the interval of Games and Howell.

    The quantile is Gleason's (1999) approximation, within two thousandths: scipy's exact one takes
    a third of a second for each pair.
    """
    from statsmodels.stats.libqsturng import qsturng

    error, freedom = _welch(one, other)
    if not error:
        return 0.0
    return float(qsturng(confidence, groups, freedom) / np.sqrt(2) * error)


def _games_howell(one: Numbers, other: Numbers, groups: int) -> float:
    """The adjusted p-value of a difference of means where variances differ."""
    error, freedom = _welch(one, other)
    difference = abs(float(one.mean() - other.mean()))
    if not error:
        return 0.0 if difference else 1.0
    return float(stats.studentized_range.sf(np.sqrt(2) * difference / error, groups, freedom))


def _welch(one: Numbers, other: Numbers) -> tuple[float, float]:
    """The standard error of a difference of means and its degrees of freedom (Welch 1947)."""
    parts = [numbers.var(ddof=1) / numbers.size for numbers in (one, other)]
    within = sum(p**2 / (v.size - 1) for p, v in zip(parts, (one, other), strict=True))
    return float(np.sqrt(sum(parts))), sum(parts) ** 2 / within if within else 0.0


def _too_many(outcome: Outcome, groups: Mapping[str, Numbers]) -> bool:
    if len(groups) > MOST_COMPARED:
        outcome.caveats.append(
            f"Over more than {MOST_COMPARED} groups, not every two are compared with each other."
        )
    return len(groups) > MOST_COMPARED


def _downwards(centres: list[float]) -> list[tuple[int, int]]:
    """Each two groups once, the higher first."""
    order = sorted(range(len(centres)), key=lambda index: -centres[index])
    return list(combinations(order, 2))


def _describe_pairs(outcome: Outcome, test: str, apart: Mapping[Pair, bool]) -> None:
    """In words, which pairs are clearly apart, and which are not."""
    clear = [f"{one} from {other}" for (one, other), differs in apart.items() if differs]
    rest = [f"{one} and {other}" for (one, other), differs in apart.items() if not differs]
    if not clear:
        text = "no two groups clearly differ by themselves"
    elif not rest:
        text = "each differs from every other"
    elif len(rest) <= len(clear):
        text = f"all differ from one another but {_listed(rest)}"
    else:
        text = f"only these differ: {_listed(clear)}"
    outcome.add_sentence("pairs", f"{test}: {text}")


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
