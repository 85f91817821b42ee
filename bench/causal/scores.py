"""Is a coverage below 95 % the method's or the draws'? `python -m bench.causal.scores`

The linear world over thousands of draws, in plain numpy: regression with products and HC3 errors,
the doubly robust score with the true models of treatment and outcome, and the same with models
fitted on five folds. Told are the share of 95 % intervals that hold the effect, and how far the
spread of the estimates is from the mean of their errors. `--draws`, `--first` and `--rows`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from bench.causal.worlds import linear
from bench.measure import arguments, keep, print_table

Numbers = np.ndarray[Any, np.dtype[np.float64]]
EFFECT, FOLDS = 1.0, 5


def _regression(x: Numbers, t: Numbers, y: Numbers) -> tuple[float, float]:
    """Lin (2013) with HC3 (MacKinnon & White 1985)."""
    apart = x - x.mean(axis=0)
    design = np.column_stack([np.ones(len(t)), t, apart, apart * t[:, None]])
    inverse = np.linalg.inv(design.T @ design)
    rest = y - design @ (inverse @ design.T @ y)
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    middle = (design * ((rest / (1 - leverage)) ** 2)[:, None]).T @ design
    estimate = (inverse @ design.T @ y)[1]
    return float(estimate), float((inverse @ middle @ inverse)[1, 1] ** 0.5)


def _score(t: Numbers, y: Numbers, of: tuple[Numbers, Numbers, Numbers]) -> tuple[float, float]:
    """Robins, Rotnitzky & Zhao (1994), given both expectations and the propensity."""
    treated, untreated, p = of
    each = treated - untreated + t * (y - treated) / p - (1 - t) * (y - untreated) / (1 - p)
    return float(each.mean()), float(each.std(ddof=1) / len(y) ** 0.5)


def _logistic(design: Numbers, t: Numbers) -> Numbers:
    found = np.zeros(design.shape[1])
    for _ in range(8):  # Newton's steps
        p = expit(design @ found)
        curved = (design * (p * (1 - p))[:, None]).T @ design
        found = found + np.linalg.solve(curved, design.T @ (t - p))
    return found


def _fitted(x: Numbers, t: Numbers, y: Numbers, seed: int) -> tuple[Numbers, Numbers, Numbers]:
    fold = np.random.default_rng(seed).integers(0, FOLDS, len(y))
    design = np.column_stack([np.ones(len(y)), x])
    treated, untreated, p = np.empty(len(y)), np.empty(len(y)), np.empty(len(y))
    for number in range(FOLDS):
        fit, rest = fold != number, fold == number
        for group, expected in ((1, treated), (0, untreated)):
            own = fit & (t == group)
            expected[rest] = design[rest] @ np.linalg.lstsq(design[own], y[own], rcond=None)[0]
        p[rest] = expit(design[rest] @ _logistic(design[fit], t[fit]))
    return treated, untreated, p.clip(0.01, 0.99)


def main() -> None:
    """Print the table."""
    parser = arguments("causal.scores", __doc__)
    parser.add_argument("--draws", type=int, default=3000)
    parser.add_argument("--first", type=int, default=5000)
    parser.add_argument("--rows", type=int, default=1000)
    asked = parser.parse_args()
    found: dict[str, list[tuple[float, float]]] = {}
    for seed in range(asked.first, asked.first + asked.draws):
        table = linear(seed, asked.rows, EFFECT).table
        a, b, c, t, y = (table[name].to_numpy() for name in ("a", "b", "c", "t", "y"))
        x, base = np.column_stack([a, b, c]), a + 0.5 * b + 0.5 * c
        true = (base + EFFECT, base, expit(0.8 * a - 0.5 * b))
        for name, values in (
            ("regression", _regression(x, t, y)),
            ("score, true models", _score(t, y, true)),
            ("score, fitted models", _score(t, y, _fitted(x, t, y, seed))),
        ):
            found.setdefault(name, []).append(values)
    rows = []
    for name, each in found.items():
        estimates, errors = np.array(each).T
        held = float((abs(estimates - EFFECT) <= 1.96 * errors).mean())
        rows.append([name, len(each), round(held, 4), round(estimates.std() / errors.mean(), 3)])
    head = ["estimator", "draws", "coverage", "spread over error"]
    print_table("Coverage in the linear world", head, rows)
    keep({"scores": [dict(zip(head, row, strict=True)) for row in rows]}, asked.json)


if __name__ == "__main__":
    main()
