"""Values far from the rest, by the distance from the mean or from the quartiles."""

from __future__ import annotations

import numpy as np
import pandas as pd

from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import at_least, present

_MOST_SHOWN = 50


def outliers(data: pd.DataFrame, column: str, method: str, threshold: float, ddof: int) -> Outcome:
    """Values more than `threshold` deviations from the mean, or quartile ranges from a quartile."""
    outcome = Outcome()
    values = present(data, column)
    at_least(values.size, 3, "a search for outliers")
    if method == "z-score":
        spread = values.std(ddof=ddof)
        low, high = values.mean() - threshold * spread, values.mean() + threshold * spread
        outcome.say("test", "z-scores")
        outcome.add("mean", values.mean())
        outcome.add("standard deviation", spread, text=f"divided by n - {ddof}")
    else:
        first, third = np.quantile(values, [0.25, 0.75])
        low = first - threshold * (third - first)
        high = third + threshold * (third - first)
        outcome.say("test", "distance from the quartiles")
        outcome.add("lower quartile", first, text="linear interpolation")
        outcome.add("upper quartile", third, text="linear interpolation")
    outside = values[(values < low) | (values > high)]
    told = f"{column} has {'' if outside.size else 'no '}outliers"
    outcome.say("conclusion", told)
    outcome.add("threshold", threshold)
    outcome.add("lower bound", low)
    outcome.add("upper bound", high)
    outcome.add("n", values.size)
    outcome.add("outliers", outside.size)
    centre = np.median(values)
    far = sorted(outside.tolist(), key=lambda v: (-abs(v - centre), v))
    for number in far[:_MOST_SHOWN]:
        outcome.add("outlier", number)
    return outcome
