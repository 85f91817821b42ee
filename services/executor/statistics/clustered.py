"""Groups compared where rows come in clusters: the orders of one customer are no independent rows.

A p-value that takes such rows as independent is too small. What is compared is the clusters
(Donner and Klar, 2000) where there are few, and rows with errors that allow for them
(Liang and Zeger, 1986; Cameron and Miller, 2015) where there are many.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.groups import add_group
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import (
    MOST_GROUPS,
    as_numbers,
    at_least,
    complete,
    group_name,
    too_many_groups,
    varying,
)

MANY = 50
"""Clusters from which on errors that allow for them hold what they promise."""
_LEAST = 4
_VALUE, _GROUP, _CLUSTER = "value", "group", "cluster"


def compare_clustered(
    data: pd.DataFrame, column: str, by: str, cluster: str, confidence: float
) -> Outcome:
    """Whether the means of groups differ, rows of one cluster being alike.

    `data` holds a row for each observation, with `column` as a number. Raises
    ToolError(INVALID_ARGUMENTS) for fewer than four clusters, or one group.
    """
    outcome = Outcome()
    frame = pd.DataFrame(
        {_VALUE: as_numbers(data, column), _GROUP: data[by], _CLUSTER: data[cluster]}
    )
    kept = complete(frame, outcome)
    names = [group_name(by, one) for one in sorted(kept[_GROUP].unique(), key=str)]
    kept = kept.assign(**{_GROUP: [group_name(by, one) for one in kept[_GROUP]]})
    _check(kept, names, (column, by, cluster))
    clusters = int(kept[_CLUSTER].nunique())
    outcome.add("clusters", clusters, text=f"different {cluster}")
    outcome.add("rows a cluster", len(kept) / clusters, text="on average")
    likeness = intraclass(kept[_VALUE].to_numpy(), kept[_CLUSTER])
    outcome.add("intraclass correlation", likeness, text=f"of rows with one {cluster}")
    if clusters >= MANY or len(names) > 2:
        clear = _robust(outcome, kept, names, confidence)
        if clusters < MANY:
            deny_few(outcome, cluster, clusters, " Compare two groups at a time.")
    elif kept.groupby(_CLUSTER)[_GROUP].nunique().max() == 1:
        clear = _between(outcome, kept, names, cluster, confidence)
    else:
        clear = _within(outcome, kept, names, cluster, confidence)
    _conclude(outcome, kept, names, column, by, clear=clear)
    _tell_unclustered(outcome, kept, names)
    outcome.assume(f"rows of different {cluster} are independent of one another")
    for name in names:
        add_group(outcome, name, kept.loc[kept[_GROUP] == name, _VALUE].to_numpy())
    return outcome


def deny_few(outcome: Outcome, cluster: str, clusters: int, mend: str = "") -> None:
    """Adds that there are too few clusters for errors that allow for them."""
    outcome.deny(
        "Few clusters",
        f"{cluster} has {clusters} values only; with fewer than {MANY}, errors that allow for "
        f"clusters are too small.{mend}",
    )


def intraclass(values: Any, clusters: pd.Series[Any]) -> float:
    """How alike rows of one cluster are: ICC(1) from an analysis of variance (Fisher, 1925), 0
    where they are no more alike than others."""
    frame = pd.DataFrame({_VALUE: values, _CLUSTER: clusters.to_numpy()})
    grouped = frame.groupby(_CLUSTER)[_VALUE]
    sizes, means = grouped.size(), grouped.mean()
    if len(sizes) < 2 or len(frame) == len(sizes):
        return 0.0
    between = float((sizes * (means - frame[_VALUE].mean()) ** 2).sum()) / (len(sizes) - 1)
    spread = float(((frame[_VALUE] - grouped.transform("mean")) ** 2).sum())
    within = spread / (len(frame) - len(sizes))
    typical = (len(frame) - float((sizes**2).sum()) / len(frame)) / (len(sizes) - 1)
    whole = between + (typical - 1) * within
    return max(0.0, (between - within) / whole) if whole else 0.0


def _check(kept: pd.DataFrame, names: list[str], columns: tuple[str, str, str]) -> None:
    column, by, cluster = columns
    if len(names) > MOST_GROUPS:
        raise too_many_groups(by, len(names))
    at_least(kept[_CLUSTER].nunique(), _LEAST, f"a comparison by clusters of {cluster}")
    if len(names) < 2:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{by} has {len(names)} value with rows, so nothing is compared.",
            details={"column": by, "seen": len(names)},
        )
    varying(kept[_VALUE].to_numpy(dtype="float64"), column)


def _robust(outcome: Outcome, kept: pd.DataFrame, names: list[str], confidence: float) -> bool:
    """Least squares on the groups, with errors that allow for clusters; a Wald test of all."""
    import statsmodels.api as sm

    x = np.column_stack([np.ones(len(kept)), *(kept[_GROUP] == name for name in names[1:])])
    codes = pd.factorize(kept[_CLUSTER])[0]
    fit: Any = sm.OLS(kept[_VALUE].to_numpy(), x.astype("float64")).fit(
        cov_type="cluster", cov_kwds={"groups": codes}, use_t=True
    )
    which = np.eye(len(names))[1:]
    whole = fit.f_test(which)
    outcome.add_sentence("test", "comparison of means with errors that allow for clusters")
    ends = np.asarray(fit.conf_int(1 - confidence))
    for at, name in enumerate(names[1:], start=1):
        about = "" if len(names) == 2 else name
        outcome.add("difference of means", fit.params[at], about, f"{name} less {names[0]}")
        outcome.interval("difference of means", ends[at][0], ends[at][1], about)
    outcome.add("F", float(np.squeeze(whole.fvalue)))
    outcome.add("degrees of freedom", float(codes.max()), text="clusters less one")
    outcome.add("p-value", float(whole.pvalue), text="two-sided")
    return float(whole.pvalue) < 1 - confidence


def _between(
    outcome: Outcome, kept: pd.DataFrame, names: list[str], cluster: str, confidence: float
) -> bool:
    """Welch's test of the means of clusters, each of which is in one group."""
    means = kept.groupby([_CLUSTER, _GROUP])[_VALUE].mean().reset_index()
    a, b = (means.loc[means[_GROUP] == name, _VALUE].to_numpy() for name in names)
    for name, values in zip(names, (a, b), strict=True):
        at_least(values.size, 2, f"a comparison of the {cluster} of {name}")
    found = stats.ttest_ind(b, a, equal_var=False)
    outcome.add_sentence("test", f"Welch's t-test of the mean of each {cluster}")
    text = f"{names[1]} less {names[0]}, each {cluster} counting once"
    return _t_rows(outcome, found, float(b.mean() - a.mean()), text, confidence)


def _within(
    outcome: Outcome, kept: pd.DataFrame, names: list[str], cluster: str, confidence: float
) -> bool:
    """A paired test of the clusters that are in both groups."""
    table = kept.pivot_table(index=_CLUSTER, columns=_GROUP, values=_VALUE, aggfunc="mean")
    both = table.dropna()
    at_least(len(both), _LEAST, f"a comparison within {cluster}")
    left = len(table) - len(both)
    if left:
        outcome.caveats.append(f"{left:,} {cluster} with rows in one group only were left out.")
    first, second = both[names[0]].to_numpy(), both[names[1]].to_numpy()
    found = stats.ttest_rel(second, first)
    outcome.add_sentence("test", f"paired t-test within each {cluster}")
    text = f"{names[1]} less {names[0]}, within each {cluster}"
    return _t_rows(outcome, found, float((second - first).mean()), text, confidence)


def _t_rows(outcome: Outcome, found: Any, difference: float, text: str, confidence: float) -> bool:
    ends = found.confidence_interval(confidence)
    outcome.add("difference of means", difference, text=text)
    outcome.interval("difference of means", float(ends.low), float(ends.high))
    outcome.add("t", found.statistic)
    outcome.add("degrees of freedom", found.df)
    outcome.add("p-value", found.pvalue, text="two-sided")
    return float(found.pvalue) < 1 - confidence


def _conclude(
    outcome: Outcome, kept: pd.DataFrame, names: list[str], column: str, by: str, *, clear: bool
) -> None:
    where = f"between {names[0]} and {names[1]}" if len(names) == 2 else f"by {by}"
    text = f"{column} {'differs' if clear else 'does not clearly differ'} in its mean {where}"
    if clear and len(names) == 2:
        higher = names[1] if outcome.value("difference of means") > 0 else names[0]
        text += f": it is higher for {higher}"
    elif clear:
        means = kept.groupby(_GROUP)[_VALUE].mean()
        text += f": highest for {means.idxmax()}, lowest for {means.idxmin()}"
    outcome.add_sentence("conclusion", text)


def _tell_unclustered(outcome: Outcome, kept: pd.DataFrame, names: list[str]) -> None:
    """What the p-value would be if all rows were independent, which is what most would report."""
    groups = [kept.loc[kept[_GROUP] == name, _VALUE].to_numpy() for name in names]
    if any(values.size < 2 for values in groups):
        return
    found = stats.ttest_ind(*groups, equal_var=False) if len(groups) == 2 else None
    p = found.pvalue if found is not None else stats.f_oneway(*groups).pvalue
    outcome.add("unclustered p-value", float(p), text="if all rows were independent: not so here")
