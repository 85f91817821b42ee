"""Linear and logistic regression with intervals, and what they take for granted."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.diagnostic import het_breuschpagan
from statsmodels.tools.sm_exceptions import PerfectSeparationError, PerfectSeparationWarning

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import as_numbers, at_least, complete, varying

_MOST_LEVELS = 20


def linear(
    data: pd.DataFrame, target: str, predictors: tuple[str, ...], confidence: float
) -> Outcome:
    """Ordinary least squares; texts become one indicator for each value but the first."""
    outcome = Outcome()
    y, x = _design(data, target, as_numbers(data, target), predictors, outcome)
    fit: Any = sm.OLS(y, x).fit()
    clear = float(fit.f_pvalue) < 1 - confidence
    outcome.say("test", "linear regression (ordinary least squares)")
    names = ", ".join(predictors)
    outcome.say("conclusion", f"{names} {'explain' if len(predictors) > 1 else 'explains'} "
                f"{target}" if clear else f"{names} and {target} show no clear link")  # fmt: skip
    outcome.add("R squared", fit.rsquared, text="share of variance explained")
    outcome.add("adjusted R squared", fit.rsquared_adj)
    outcome.add("F", fit.fvalue)
    outcome.add("p-value", fit.f_pvalue, text="of the whole model")
    outcome.add("degrees of freedom", fit.df_model)
    outcome.add("residual degrees of freedom", fit.df_resid)
    outcome.add("residual standard error", np.sqrt(fit.mse_resid))
    _coefficients(outcome, fit, confidence, "t")
    uneven = het_breuschpagan(fit.resid, x)[1]
    outcome.add("equal spread p-value", uneven, text="Breusch-Pagan test")
    if uneven < 1 - confidence:
        outcome.caveats.append("The residuals spread unevenly (Breusch-Pagan): p-values are rough.")
    if fit.nobs <= 5000 and stats.shapiro(fit.resid).pvalue < 1 - confidence:
        outcome.caveats.append("The residuals are not normal (Shapiro-Wilk).")
    return outcome


def logistic(
    data: pd.DataFrame, target: str, predictors: tuple[str, ...], confidence: float
) -> Outcome:
    """Maximum-likelihood logistic regression of a column with two values."""
    outcome = Outcome()
    levels = sorted(data[target].dropna().unique().tolist(), key=str)
    if len(levels) != 2:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{target} has {len(levels)} values; a logistic regression needs exactly two.",
            details={"column": target, "seen": len(levels)},
        )
    codes = data[target].map({levels[0]: 0.0, levels[1]: 1.0})
    y, x = _design(data, target, codes, predictors, outcome)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", PerfectSeparationWarning)
            fit: Any = sm.Logit(y, x).fit(disp=0, maxiter=200)
    except (PerfectSeparationError, PerfectSeparationWarning, np.linalg.LinAlgError):
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{', '.join(predictors)} separate the values of {target} without exception, so the "
            "coefficients have no finite estimate.",
        ) from None
    clear = float(fit.llr_pvalue) < 1 - confidence
    outcome.say("test", "logistic regression (maximum likelihood)")
    outcome.say("modelled value", str(levels[1]), target)
    tie = "tell about" if clear else "tell nothing clear about"
    outcome.say("conclusion", f"{', '.join(predictors)} {tie} {target}")
    outcome.add("pseudo R squared", fit.prsquared, text="McFadden")
    outcome.add("likelihood ratio", fit.llr)
    outcome.add("p-value", fit.llr_pvalue, text="of the whole model")
    outcome.add("degrees of freedom", fit.df_model)
    _coefficients(outcome, fit, confidence, "z")
    for name in x.columns:
        low, high = fit.conf_int(1 - confidence).loc[name]
        outcome.add("odds ratio", np.exp(fit.params[name]), name)
        outcome.interval("odds ratio", np.exp(low), np.exp(high), name)
    if not fit.mle_retvals["converged"]:
        outcome.caveats.append(
            "The estimate did not converge; the numbers are not to be relied on."
        )
    return outcome


def _design(
    data: pd.DataFrame,
    target: str,
    response: pd.Series[float],
    predictors: tuple[str, ...],
    outcome: Outcome,
) -> tuple[pd.Series[float], pd.DataFrame]:
    if not predictors:
        raise ToolError(ErrorCategory.INVALID_ARGUMENTS, "a regression needs a predictor.")
    frame = pd.DataFrame({target: response})
    for name in predictors:
        texts = data[name].dtype == object or isinstance(data[name].dtype, pd.StringDtype)
        frame[name] = data[name] if texts else as_numbers(data, name)
    kept = complete(frame, outcome)
    at_least(len(kept), len(predictors) + 2, "a regression on these columns")
    for name in predictors:
        if kept[name].nunique() > _MOST_LEVELS and kept[name].dtype == object:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f"{name} has {kept[name].nunique()} different texts; at most {_MOST_LEVELS} "
                "become indicators.",
                details={"column": name, "limit": _MOST_LEVELS},
            )
    varying(kept[target].to_numpy(dtype="float64"), target)
    x = pd.get_dummies(kept[list(predictors)], drop_first=True, dtype="float64")
    design = sm.add_constant(x.astype("float64"), has_constant="add")
    if np.linalg.matrix_rank(design.to_numpy()) < design.shape[1]:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "one of the predictors follows from the others, so they cannot be told apart.",
        )
    return kept[target], design


def _coefficients(outcome: Outcome, fit: Any, confidence: float, ratio: str) -> None:
    ends = fit.conf_int(1 - confidence)
    for name in fit.params.index:
        shown = "intercept" if name == "const" else str(name)
        outcome.add("coefficient", fit.params[name], shown)
        outcome.add("standard error", fit.bse[name], shown)
        outcome.add(ratio, fit.tvalues[name], shown)
        outcome.add("p-value", fit.pvalues[name], shown)
        outcome.interval("coefficient", ends.loc[name, 0], ends.loc[name, 1], shown)
