"""The chance of treatment given the covariates, told of rows that its model has not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from services.executor.causal.profiling.association import Matrix, standardised
from services.executor.causal.profiling.columns import Vector

FOLDS = 5
_STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0)
_MOST_CHOSEN_BY = 20_000
_MOST_BOOSTED = 20_000


def logistic(
    matrix: Matrix, treated: Vector, seed: int, stopped: Callable[[], None]
) -> tuple[Vector, float]:
    """Cross-fitted chances by logistic regression with an L2 penalty (Rosenbaum & Rubin 1983), and
    the penalty's inverse C, chosen by log-loss on other rows; of many rows a part chooses."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    scaled = np.column_stack([standardised(column) for column in matrix.T])
    some = _part(treated, _MOST_CHOSEN_BY, seed)
    scores = []
    for strength in _STRENGTHS:
        stopped()
        model = LogisticRegression(C=strength, max_iter=300)
        folds = _folds(treated[some], seed)
        scored = cross_val_score(
            model, scaled[some], treated[some], cv=folds, scoring="neg_log_loss"
        )
        scores.append(float(np.mean(scored)))
    best = _STRENGTHS[int(np.argmax(scores))]
    model = LogisticRegression(C=best, max_iter=300)
    return _cross_fitted(model, scaled, treated, seed, stopped), best


def boosted(
    matrix: Matrix, treated: Vector, seed: int, stopped: Callable[[], None]
) -> tuple[Vector, np.ndarray[Any, np.dtype[np.int64]]]:
    """The same by gradient boosting (McCaffrey, Ridgeway & Morral 2004), which bends as the data
    does; of many rows a part, whose places come second."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    some = _part(treated, _MOST_BOOSTED, seed)
    model = HistGradientBoostingClassifier(
        max_iter=80,
        learning_rate=0.1,
        max_leaf_nodes=15,
        min_samples_leaf=20,
        early_stopping=False,
        random_state=seed,
    )
    return _cross_fitted(model, matrix[some], treated[some], seed, stopped), some


def _cross_fitted(
    model: Any, matrix: Matrix, treated: Vector, seed: int, stopped: Callable[[], None]
) -> Vector:
    from sklearn.base import clone

    value = np.empty(len(treated))
    for learn, tell in _folds(treated, seed).split(matrix, treated):
        stopped()
        fitted = clone(model).fit(matrix[learn], treated[learn])
        value[tell] = fitted.predict_proba(matrix[tell])[:, 1]
    return value


def _folds(treated: Vector, seed: int) -> Any:
    from sklearn.model_selection import StratifiedKFold

    fewest = int(min(treated.sum(), (1 - treated).sum()))
    return StratifiedKFold(n_splits=max(2, min(FOLDS, fewest)), shuffle=True, random_state=seed)


def _part(treated: Vector, most: int, seed: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Places of an even part of both groups, in order."""
    if len(treated) <= most:
        return np.arange(len(treated))
    random = np.random.default_rng(seed)
    share = most / len(treated)
    groups = [np.flatnonzero(treated == value) for value in (0.0, 1.0)]
    chosen = [random.choice(g, max(min(len(g), 50), int(len(g) * share)), False) for g in groups]
    return np.sort(np.concatenate(chosen))
