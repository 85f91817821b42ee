"""Values far from the rest, by the distance from the mean or from the quartiles."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mesh.tool import ToolError
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import as_numbers, at_least, groups_of, present

_MOST_SHOWN = 50


def outliers(
    data: pd.DataFrame,
    column: str,
    method: str,
    threshold: float,
    ddof: int,
    by: str = "",
    label: str = "",
) -> Outcome:
    """Values more than `threshold` deviations from the mean, or quartile ranges from a quartile.

    With `by` each group has bounds of its own; `label` names the rows. Raises ToolError.
    """
    outcome = Outcome()
    unit = "standard deviations from the mean (z-scores)"
    unit = unit if method == "z-score" else "interquartile ranges beyond the quartiles"
    far = f"more than {threshold:g} {unit}"
    test = f"values {far}"
    outcome.add_sentence("test", f"{test} within each {by}" if by else test)
    found: dict[str, pd.DataFrame] = {}
    rows: list[tuple[str, Outcome]] = []
    for group, part in groups_of(data, by) if by else [("", data)]:
        one = Outcome()
        try:
            found[group] = _outside(one, part, column, method, threshold, ddof)
        except ToolError as error:
            if not by:
                raise
            outcome.caveats.append(f"{group} is left out: {error.message}")
        else:
            rows.append((group, one))
    some = any(len(outside) for outside in found.values())
    outcome.add_sentence("conclusion", f"{column} has {'' if some else 'no '}outliers")
    outcome.add("threshold", threshold)
    for group, one in rows:
        for _, statistic, number, text in one.rows:
            outcome.add(statistic, number or 0.0, group, text or "")
    if by:
        outcome.add("outliers in all", sum(len(outside) for outside in found.values()))
    for group, outside in found.items():
        numbers = as_numbers(outside, column).tolist()
        names = outside[label].astype(str).tolist() if label else [group] * len(numbers)
        for name, number in list(zip(names, numbers, strict=True))[:_MOST_SHOWN]:
            outcome.add("outlier", number, name)
    return outcome


def _outside(
    outcome: Outcome, data: pd.DataFrame, column: str, method: str, threshold: float, ddof: int
) -> pd.DataFrame:
    """The rows outside the bounds, the farthest from the median first; the bounds are told."""
    values = present(data, column)
    at_least(values.size, 3, "a search for outliers")
    if method == "z-score":
        spread = values.std(ddof=ddof)
        low, high = values.mean() - threshold * spread, values.mean() + threshold * spread
        outcome.add("mean", values.mean())
        outcome.add("standard deviation", spread, text=f"divided by n - {ddof}")
    else:
        first, third = np.quantile(values, [0.25, 0.75])
        low = first - threshold * (third - first)
        high = third + threshold * (third - first)
        outcome.add("lower quartile", first, text="linear interpolation")
        outcome.add("upper quartile", third, text="linear interpolation")
    numbers = as_numbers(data, column)
    outside = numbers[(numbers < low) | (numbers > high)]
    outcome.add("lower bound", low)
    outcome.add("upper bound", high)
    outcome.add("n", values.size)
    outcome.add("outliers", outside.size)
    centre = float(np.median(values))
    far = sorted(outside.index.tolist(), key=lambda row: -abs(outside[row] - centre))
    return data.loc[far]
