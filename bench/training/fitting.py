"""Fits log-linear models: multinomial logistic regression with a Gaussian prior, by L-BFGS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from services.planner.domain.reader.choice.linear import LogLinear

Features = Mapping[str, float]
_LEAST_DEVIATION = 0.2


def fitted(
    features: Sequence[Features],
    labels: Sequence[str],
    classes: Sequence[str],
    *,
    seen: int = 3,
    prior: float = 1.0,
    rounds: int = 120,
    places: Sequence[str] | None = None,
) -> LogLinear:
    """The most likely weights; features seen in fewer than `seen` examples are left out.

    With `places`, the database of each example, they have to be seen in so many databases.
    """
    names = ["1", *_often(features, seen, places)]
    place = {name: index for index, name in enumerate(names)}
    matrix = _matrix(features, place)
    answer = np.array([classes.index(label) for label in labels])
    width, height = len(names), len(classes)
    target = sparse.csr_matrix(
        (np.ones(len(answer)), (np.arange(len(answer)), answer)), shape=(len(answer), height)
    ).toarray()

    def loss(flat: Any) -> tuple[float, Any]:
        table = flat.reshape(width, height)
        scores = matrix @ table
        scores -= scores.max(axis=1, keepdims=True)
        odds = np.exp(scores)
        odds /= odds.sum(axis=1, keepdims=True)
        chosen = np.log(odds[np.arange(len(answer)), answer] + 1e-12)
        gradient = matrix.T @ (odds - target)
        penalty = table.copy()
        penalty[0] = 0
        return (
            float(-chosen.sum() + 0.5 * prior * (penalty**2).sum()),
            (gradient + prior * penalty).ravel(),
        )

    found = minimize(
        loss, np.zeros(width * height), jac=True, method="L-BFGS-B", options={"maxiter": rounds}
    )
    table = found.x.reshape(width, height)
    kept = {
        name: [round(float(w), 2) for w in row]
        for name, row in zip(names, table, strict=True)
        if name == "1" or np.abs(row - row.mean()).max() >= 0.05
    }
    return LogLinear(tuple(classes), kept)


def _often(
    features: Sequence[Features], seen: int, places: Sequence[str] | None = None
) -> list[str]:
    """The features seen in at least so many examples, or places, by name."""
    if places is None:
        counts = Counter(name for one in features for name in one)
    else:
        pairs = {(name, where) for one, where in zip(features, places, strict=True) for name in one}
        counts = Counter(name for name, _ in pairs)
    return sorted(name for name, count in counts.items() if count >= seen)


def _matrix(features: Sequence[Features], place: Mapping[str, int]) -> Any:
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for row, one in enumerate(features):
        rows.append(row)
        columns.append(0)
        values.append(1.0)
        for name, value in one.items():
            if name in place:
                rows.append(row)
                columns.append(place[name])
                values.append(value)
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(features), len(place)))


def _dense(features: Sequence[Features], names: Sequence[str]) -> Any:
    place = {name: index for index, name in enumerate(names)}
    table = np.zeros((len(features), len(names)))
    for row, one in enumerate(features):
        for name, value in one.items():
            if name in place:
                table[row, place[name]] = value
    return table


def ranked_weights(
    groups: Sequence[tuple[Sequence[Features], Sequence[float]]],
    *,
    prior: float = 1.0,
    rounds: int = 200,
    seen: int = 20,
) -> dict[str, float]:
    """Weights under which right candidates win: softmax over each group's candidates.

    A group is the features of its candidates and how right each is; groups without a right one
    teach nothing. Features are scaled by their deviation while fitting, but by `_LEAST_DEVIATION`
    at least: what hardly varies where it is learnt (sets among charts) must not decide where it
    does.
    """
    kept = [(f, np.asarray(y, dtype=float)) for f, y in groups if max(y, default=0) > 0]
    rows = [one for features, _ in kept for one in features]
    names = _often(rows, seen)
    dense = _dense(rows, names)
    scale = np.maximum(dense.std(axis=0), _LEAST_DEVIATION)
    dense /= scale
    starts = np.cumsum([0, *(len(f) for f, _ in kept)])[:-1]
    sizes = np.array([len(f) for f, _ in kept])
    owner = np.repeat(np.arange(len(kept)), sizes)
    right = np.concatenate([y for _, y in kept])

    def loss(weights: Any) -> tuple[float, Any]:
        scores = dense @ weights
        top = np.maximum.reduceat(scores, starts)
        odds = np.exp(scores - top[owner])
        whole = np.add.reduceat(odds, starts)
        good = odds * right
        well = np.add.reduceat(good, starts) + 1e-12
        value = -np.log(well / whole).sum() + 0.5 * prior * (weights**2).sum()
        slope = odds / whole[owner] - good / well[owner]
        return float(value), dense.T @ slope + prior * weights

    found = minimize(
        loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": rounds}
    )
    return {
        name: round(float(w / s), 4)
        for name, w, s in zip(names, found.x, scale, strict=True)
        if abs(w) > 1e-3
    }
