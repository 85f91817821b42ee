"""Models of outcome and treatment given covariates, on which orthogonal estimators rest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from services.executor.causal.estimation.support import MOST_PRODUCTS

if TYPE_CHECKING:
    import numpy as np

FOLDS = 5
ROWS_TO_SUM_ONCE = 3_000
"""Of fewer rows a lasso's products are summed faster than scikit-learn checks given sums, at each
alpha. What it finds differs by its tolerance."""
SQUARES, LINEAR, BOOSTING = "lasso with squares and products", "linear", "gradient boosting"


@dataclass(frozen=True)
class Learner:
    """A model to fit, its name for people, and the part of the variance (R squared, or of the log
    loss for a classifier) that it explains out of sample."""

    model: Any
    name: str
    explained: float


def regression_learner(
    values: np.ndarray,
    target: np.ndarray,
    seed: int,
    boosting: bool,
    units: np.ndarray | None = None,
    is_mentioned: bool = True,
) -> Learner:
    """The better of lasso and, where asked, gradient boosting, by cross-validated squared error.

    Where none is to be chosen and what it explains is not to be `told`, that is not a number.
    """
    candidates = {SQUARES: _lasso(*values.shape)}
    if boosting:
        candidates[BOOSTING] = _boosting(seed, classifier=False)
    elif not is_mentioned:
        return Learner(candidates[SQUARES], SQUARES, math.nan)
    return _best(candidates, values, target, seed, classifier=False, units=units)


def treatment_learner(
    values: np.ndarray,
    target: np.ndarray,
    seed: int,
    boosting: bool,
    units: np.ndarray | None = None,
) -> Learner:
    """The best classifier of a treatment of 0 and 1, by cross-validated log loss."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def logistic(penalty: float) -> Any:
        return LogisticRegression(C=penalty, solver="newton-cholesky")

    candidates: dict[str, Any] = {LINEAR: make_pipeline(StandardScaler(), logistic(1e3))}
    if 0 < values.shape[1] <= MOST_PRODUCTS:
        candidates["ridge with squares and products"] = make_pipeline(
            *_products(values.shape[1]), logistic(0.1)
        )
    if boosting:
        candidates[BOOSTING] = _boosting(seed, classifier=True)
    return _best(candidates, values, target, seed, classifier=True, units=units)


def _products(k: int) -> list[Any]:
    """Scaling, squares and products where there are few columns, scaling.

    What lies further out than 20 standard deviations counts as if it lay there: a product that
    hardly varies among the rows a model is fitted on would else throw its predictions anywhere.
    """
    import numpy as np
    from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

    if k > MOST_PRODUCTS:
        return [StandardScaler()]
    near = FunctionTransformer(np.clip, kw_args={"a_min": -20.0, "a_max": 20.0})
    return [StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(), near]


def _lasso(rows: int, k: int) -> Any:
    from sklearn.linear_model import LassoCV
    from sklearn.pipeline import make_pipeline

    summed = rows >= ROWS_TO_SUM_ONCE
    return make_pipeline(*_products(k), LassoCV(cv=3, alphas=30, eps=1e-3, precompute=summed))


def _boosting(seed: int, classifier: bool) -> Any:
    """Shallow trees, slow and few: the settings of DoubleML's own examples at this size."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMClassifier if classifier else LGBMRegressor
    return kind(
        n_estimators=100,
        learning_rate=0.06,
        num_leaves=8,
        min_child_samples=20,
        n_jobs=1,
        random_state=seed,
        deterministic=True,
        force_col_wise=True,
        verbose=-1,
    )


def _best(
    candidates: dict[str, Any],
    values: np.ndarray,
    target: np.ndarray,
    seed: int,
    classifier: bool,
    units: np.ndarray | None,
) -> Learner:
    import numpy as np

    losses = {}
    base = 0.0
    for name, model in candidates.items():
        guess = cross_predicted(model, values, target, seed, classifier, folds=3, units=units)
        if classifier:
            guess = guess.clip(1e-3, 1 - 1e-3)
            losses[name] = float(-np.mean(np.log(np.where(target == 1, guess, 1 - guess))))
            rate = target.mean()
            base = float(-(rate * np.log(rate) + (1 - rate) * np.log(1 - rate)))
        else:
            losses[name] = float(np.mean((target - guess) ** 2))
            base = float(target.var())
    name = min(losses, key=lambda each: losses[each])
    return Learner(candidates[name], name, 1 - losses[name] / base if base > 0 else 0.0)


def folds_of(
    target: np.ndarray, seed: int, classifier: bool, folds: int, units: np.ndarray | None = None
) -> list[Any]:
    """Pairs of row numbers (to fit, to predict), the same share of each class in every fold. Rows
    of one unit are in one fold: a model that has seen one of them has seen what they share."""
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    if units is not None:
        grouped = StratifiedGroupKFold if classifier else GroupKFold
        apart = grouped(folds, shuffle=True, random_state=seed)
        return list(apart.split(target[:, None], target, units))
    kind = StratifiedKFold if classifier else KFold
    return list(kind(folds, shuffle=True, random_state=seed).split(target[:, None], target))


def cross_predicted(
    model: Any,
    values: np.ndarray,
    target: np.ndarray,
    seed: int,
    classifier: bool,
    folds: int = FOLDS,
    units: np.ndarray | None = None,
) -> np.ndarray:
    """Predictions for each row by a model that has not seen it."""
    import numpy as np
    from sklearn.base import clone

    found = np.empty(len(target))
    for fit, rest in folds_of(target, seed, classifier, folds, units):
        fitted = clone(model).fit(values[fit], target[fit])
        found[rest] = (
            fitted.predict_proba(values[rest])[:, 1] if classifier else fitted.predict(values[rest])
        )
    return found
