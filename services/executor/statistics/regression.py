"""Linear and logistic regression with intervals, and what they take for granted."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from statsmodels.stats.diagnostic import het_breuschpagan
from statsmodels.stats.outliers_influence import variance_inflation_factor
from statsmodels.tools.sm_exceptions import PerfectSeparationError, PerfectSeparationWarning

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.clustered import MANY, deny_few
from services.executor.statistics.normality import shape_test
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import (
    as_numbers,
    at_least,
    complete,
    varying,
)

_MOST_LEVELS = 20
_LEAST_CLUSTERS = 10
_MOST_INFLATED = 10
_A_TRACE = 0.01  # a smaller share of variance explained is no effect by Cohen (1988)


def linear(
    data: pd.DataFrame,
    target: str,
    predictors: tuple[str, ...],
    confidence: float,
    cluster: str = "",
) -> Outcome:
    """Ordinary least squares; texts become one indicator for each value but the first.

    With `cluster` the errors allow for rows that are alike (Liang and Zeger, 1986)."""
    outcome = Outcome()
    data = _of_clusters(data, cluster)
    y, x = design(data, target, as_numbers(data, target), predictors, outcome)
    fit: Any = sm.OLS(y, x).fit(**_errors(outcome, data, y, cluster))
    clear = float(fit.f_pvalue) < 1 - confidence
    outcome.add_sentence("test", "linear regression (ordinary least squares)")
    outcome.add_sentence(
        "conclusion", _describe_fit(fit, target, predictors, clear, 1 - confidence)
    )
    outcome.add("R squared", fit.rsquared, text="share of variance explained")
    outcome.add("adjusted R squared", fit.rsquared_adj)
    outcome.add("F", fit.fvalue)
    outcome.add("p-value", fit.f_pvalue, text="of the whole model")
    outcome.add("degrees of freedom", fit.df_model)
    outcome.add("residual degrees of freedom", fit.df_resid)
    outcome.add("residual standard error", np.sqrt(fit.mse_resid))
    outcome.add("root mean squared error", np.sqrt((fit.resid**2).mean()), text="divided by n")
    outcome.add("mean squared error", (fit.resid**2).mean(), text="divided by n")
    outcome.add("mean absolute error", np.abs(fit.resid).mean())
    coefficients(outcome, fit, confidence, "t")
    _entangled(outcome, x)
    outcome.assume(_independence(cluster), "straight-line links")
    uneven = het_breuschpagan(fit.resid, x)[1]
    outcome.add("equal spread p-value", uneven, text="Breusch-Pagan test")
    outcome.assume_checked("residuals of even spread", met=not uneven < 1 - confidence)
    if uneven < 1 - confidence:
        outcome.caveats.append("The residuals spread unevenly (Breusch-Pagan): p-values are rough.")
    name, _, normal = shape_test(fit.resid.to_numpy())
    outcome.assume_checked("residuals near normal", met=not normal < 1 - confidence)
    if normal < 1 - confidence:
        outcome.caveats.append(
            f"The residuals are not normal ({name}), which matters less the more rows there are."
        )
    return outcome


def logistic(
    data: pd.DataFrame,
    target: str,
    predictors: tuple[str, ...],
    confidence: float,
    cluster: str = "",
) -> Outcome:
    """Maximum-likelihood logistic regression of a column with two values; `cluster` as in
    `linear`."""
    outcome = Outcome()
    data = _of_clusters(data, cluster)
    levels = sorted(data[target].dropna().unique().tolist(), key=str)
    if len(levels) != 2:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{target} has {len(levels)} values; a logistic regression needs exactly two.",
            details={"column": target, "seen": len(levels)},
        )
    codes = data[target].map({levels[0]: 0.0, levels[1]: 1.0})
    y, x = design(data, target, codes, predictors, outcome)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", PerfectSeparationWarning)
            errors = _errors(outcome, data, y, cluster)
            fit: Any = sm.Logit(y, x).fit(disp=0, maxiter=200, **errors)
    except (PerfectSeparationError, PerfectSeparationWarning, np.linalg.LinAlgError):
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{', '.join(predictors)} separate the values of {target} without exception, so the "
            "coefficients have no finite estimate.",
        ) from None
    clear = float(fit.llr_pvalue) < 1 - confidence
    outcome.add_sentence("test", "logistic regression (maximum likelihood)")
    odds = f"the odds of {target} being {levels[1]}"
    outcome.add_sentence(
        "conclusion", _describe_fit(fit, odds, predictors, clear, 1 - confidence, ("rise", "fall"))
    )
    outcome.add("pseudo R squared", fit.prsquared, text="McFadden")
    outcome.add("likelihood ratio", fit.llr)
    outcome.add("p-value", fit.llr_pvalue, text="of the whole model")
    outcome.add("degrees of freedom", fit.df_model)
    coefficients(outcome, fit, confidence, "z")
    _entangled(outcome, x)
    outcome.assume(
        _independence(cluster),
        "the logarithm of the odds is a straight line of each predictor",
    )
    for name in x.columns.drop("const"):
        low, high = fit.conf_int(1 - confidence).loc[name]
        outcome.add("odds ratio", np.exp(fit.params[name]), name)
        outcome.interval("odds ratio", np.exp(low), np.exp(high), name)
        spread = x[name].std(ddof=1)
        if x[name].nunique() > 2:
            outcome.add("odds ratio of a deviation", np.exp(fit.params[name] * spread), name)
            ends = np.exp(low * spread), np.exp(high * spread)
            outcome.interval("odds ratio of a deviation", *ends, name)
    if not fit.mle_retvals["converged"]:
        outcome.caveats.append(
            "The estimate did not converge; the numbers are not to be relied on."
        )
    return outcome


def _of_clusters(data: pd.DataFrame, cluster: str) -> pd.DataFrame:
    """The rows whose cluster is known."""
    return data.dropna(subset=[cluster]) if cluster else data


def _errors(
    outcome: Outcome, data: pd.DataFrame, y: pd.Series[float], cluster: str
) -> dict[str, Any]:
    """How a fit is to work out its errors; what is to be known of clusters is told."""
    if not cluster:
        return {}
    codes, names = pd.factorize(data.loc[y.index, cluster])
    at_least(len(names), _LEAST_CLUSTERS, f"a regression by clusters of {cluster}")
    outcome.add("clusters", len(names), text=f"different {cluster}")
    if len(names) < MANY:
        deny_few(outcome, cluster, len(names))
    return {"cov_type": "cluster", "cov_kwds": {"groups": codes}, "use_t": True}


def _independence(cluster: str) -> str:
    rows = f"rows of different {cluster} are" if cluster else "the rows are"
    return f"{rows} independent of one another"


def _describe_fit(
    fit: Any,
    target: str,
    predictors: tuple[str, ...],
    clear: bool,
    alpha: float,
    ways: tuple[str, str] = ("rises", "falls"),
) -> str:
    """What the first predictor does, if it is a number; else whether all together do anything."""
    first = predictors[0]
    terms = [first] if first in fit.params.index else _indicators(fit, first)
    if len(terms) > 1:
        names = _listed(predictors)
        link = "goes" if ways[0] == "rises" else "go"
        return f"{target} {link} with {names}" if clear else f"{target}: no clear link with {names}"
    [term] = terms
    rest = f", with {_listed(predictors[1:])} held equal" if predictors[1:] else ""
    if not fit.pvalues[term] < alpha:
        return f"{target}: no clear link with {term}{rest}"
    more = fit.params[term] > 0
    if not rest and getattr(fit, "rsquared", 1.0) < _A_TRACE:
        return f"{target} hardly goes with {first}, though surely not by chance alone"
    if term == first:
        return f"{target} {ways[0] if more else ways[1]} with {first}{rest}"
    verb = "is" if ways[0] == "rises" else "are"
    return f"{target} {verb} {'higher' if more else 'lower'} for {term}{rest}"


def _indicators(fit: Any, name: str) -> list[str]:
    """The terms that stand for the values of a text."""
    return [t for t in fit.params.index if t.startswith(f"{name} ") and " vs " in t]


def _listed(names: tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _entangled(outcome: Outcome, x: pd.DataFrame) -> None:
    """Says where a predictor nearly follows from the others: variance inflation above ten."""
    if x.shape[1] < 3:
        return
    factors = {
        name: variance_inflation_factor(x.to_numpy(), position)
        for position, name in enumerate(x.columns)
        if name != "const"
    }
    odd = [name for name, factor in factors.items() if factor > _MOST_INFLATED]
    if odd:
        outcome.caveats.append(
            f"{_listed(tuple(odd[:5]))} nearly {'follow' if len(odd) > 1 else 'follows'} from the "
            f"other predictors (variance inflation above {_MOST_INFLATED}), so that what each does "
            "cannot be told apart well."
        )


def design(
    data: pd.DataFrame,
    target: str,
    response: pd.Series[float],
    predictors: tuple[str, ...],
    outcome: Outcome,
) -> tuple[pd.Series[float], pd.DataFrame]:
    """The outcome and the terms of the model, over the complete rows. Raises ToolError."""
    if not predictors:
        raise ToolError(ErrorCategory.INVALID_ARGUMENTS, "a regression needs a predictor.")
    frame = pd.DataFrame({target: response})
    for name in predictors:
        texts = data[name].dtype == object or isinstance(data[name].dtype, pd.StringDtype)
        frame[name] = data[name] if texts else as_numbers(data, name)
    kept = complete(frame, outcome)
    at_least(len(kept), 2, "a regression on these columns")
    for name in predictors:
        if kept[name].nunique() > _MOST_LEVELS and kept[name].dtype == object:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f"{name} has {kept[name].nunique()} different texts; at most {_MOST_LEVELS} "
                "become indicators.",
                details={"column": name, "limit": _MOST_LEVELS},
            )
    varying(kept[target].to_numpy(dtype="float64"), target)
    x = pd.concat([_terms(kept, name) for name in predictors], axis=1)
    design = sm.add_constant(x.astype("float64"), has_constant="add")
    at_least(len(kept), design.shape[1] + 1, "a regression on these columns")
    if np.linalg.matrix_rank(design.to_numpy()) < design.shape[1]:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "one of the predictors follows from the others, so they cannot be told apart.",
        )
    return kept[target], design


def _terms(kept: pd.DataFrame, name: str) -> pd.DataFrame:
    """A number as it is; of a text one indicator for each value but the first."""
    if not (kept[name].dtype == object or isinstance(kept[name].dtype, pd.StringDtype)):
        varying(kept[name].to_numpy(dtype="float64"), name)
        return kept[[name]]
    first, *others = sorted(kept[name].astype(str).unique())
    if not others:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{name} has the same value in every row, so nothing can be tested with it.",
            details={"column": name},
        )
    return pd.DataFrame(
        {f"{name} {one} vs {first}": (kept[name].astype(str) == one) * 1.0 for one in others}
    )


def coefficients(outcome: Outcome, fit: Any, confidence: float, ratio: str) -> None:
    """Each term with its interval, error and p-value."""
    ends = fit.conf_int(1 - confidence)
    for name in fit.params.index:
        shown = "intercept" if name == "const" else str(name)
        outcome.add("coefficient", fit.params[name], shown)
        outcome.interval("coefficient", ends.loc[name, 0], ends.loc[name, 1], shown)
        outcome.add("standard error", fit.bse[name], shown)
        outcome.add(ratio, fit.tvalues[name], shown)
        outcome.add("p-value", fit.pvalues[name], shown)
