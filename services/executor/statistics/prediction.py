"""A linear regression that is fitted to some rows and tested on the others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import as_numbers, at_least
from services.executor.statistics.regression import coefficients, design


def predicted(
    data: pd.DataFrame,
    target: str,
    predictors: tuple[str, ...],
    held_out: float,
    seed: int | None,
    confidence: float,
) -> Outcome:
    """How far predictions lie from the rows held out.

    A `seed` shuffles the rows as scikit-learn's `train_test_split` does with that random state, so
    that the same rows are held out; without one the last rows are. Raises ToolError.
    """
    outcome = Outcome()
    y, x = design(data, target, as_numbers(data, target), predictors, outcome)
    fitted, tested = _parted(len(y), held_out, seed)
    at_least(len(fitted), x.shape[1] + 1, "a regression on the rows that are not held out")
    at_least(len(tested), 2, "a test on the rows held out")
    if np.linalg.matrix_rank(x.iloc[fitted].to_numpy()) < x.shape[1]:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "in the rows that are fitted one of the predictors follows from the others.",
        )
    fit: Any = sm.OLS(y.iloc[fitted], x.iloc[fitted]).fit()
    wanted = y.iloc[tested].to_numpy()
    errors = wanted - fit.predict(x.iloc[tested]).to_numpy()
    spread = ((wanted - wanted.mean()) ** 2).sum()
    outcome.add_sentence(
        "test", "linear regression (ordinary least squares), tested on rows held out"
    )
    typical = float(np.sqrt((errors**2).mean()))
    outcome.add_sentence(
        "conclusion", f"predictions of {target} are off by {typical:,.4g} (root mean square)"
    )
    outcome.add("root mean squared error", typical, text="of the rows held out")
    outcome.add("mean squared error", (errors**2).mean(), text="of the rows held out")
    outcome.add("mean absolute error", np.abs(errors).mean(), text="of the rows held out")
    if spread:
        outcome.add("R squared", 1 - (errors**2).sum() / spread, text="of the rows held out")
    outcome.add("R squared of the rows fitted", fit.rsquared)
    outcome.add("rows fitted", len(fitted))
    how = "the last ones" if seed is None else f"shuffled with seed {seed}"
    outcome.add("rows held out", len(tested), text=how)
    coefficients(outcome, fit, confidence, "t")
    outcome.assume("the rows are independent of one another", "straight-line links")
    return outcome


def _parted(size: int, held_out: float, seed: int | None) -> tuple[list[int], list[int]]:
    """The places of the rows that are fitted, and of those that are held out."""
    tested = math.ceil(held_out * size)
    if seed is None:
        return list(range(size - tested)), list(range(size - tested, size))
    places = np.random.RandomState(seed).permutation(size).tolist()
    return places[tested:], places[:tested]
