"""Overlap: which rows have a counterpart in the other group, and how likely each is treated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from services.executor.causal.estimation.result import UNCONFOUNDED, Assumption, Rejected
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np

FEWEST_IN_GROUP = 20
TRIM = 0.02
HEAVIEST = 10
"""How many times as much as the mean row of its group a row may weigh, where the group is rare."""
MOST_TRIMMED = 0.10
MOST_PRODUCTS = 15
IMBALANCE = 0.1


@dataclass(frozen=True)
class Support:
    """The rows with overlap, their propensity `score` (n), the terms of its logit (`terms`, n by p,
    an intercept first), what was tested on the way, and the least and the most (`limits`) that a
    chance of treatment counts as where a model tells it."""

    study: Study
    score: np.ndarray
    terms: np.ndarray
    assumptions: tuple[Assumption, ...]
    limits: tuple[float, float]


def bounds(treatment: np.ndarray) -> tuple[float, float]:
    """Between which propensities rows of both groups can be compared.

    At most 0.02 and at least 0.98 (Crump et al. 2009 say 0.1 and 0.9 where both groups are common).
    Of a rare group chances are small for all rows, also where chance alone assigned the treatment:
    what makes an estimate hang on few rows is how much a row weighs beside others of its group
    (Lee, Lessler & Stuart 2011). So a bound is a tenth of the group's share where that is less: a
    row then weighs ten times as much as the mean row of its group at most.
    """
    share = float(treatment.mean())
    return min(TRIM, share / HEAVIEST), 1 - min(TRIM, (1 - share) / HEAVIEST)


def supported(study: Study) -> Support:
    """The part of a study with a binary treatment in which both groups occur.

    Rows whose propensity lies outside of `bounds` are left out, and the propensity is fitted again.
    Raises Rejected for a numeric treatment, fewer than 20 rows in a
    group, and where more than a tenth of the rows is without a counterpart.
    """
    if not study.binary:
        raise Rejected("the treatment is numeric; this method compares two groups.")
    _require_groups(study)
    score, terms = propensity(study)
    low, high = bounds(study.treatment)
    kept = (score >= low) & (score <= high)
    lost = 1 - float(kept.mean())
    overlap = Assumption(
        "overlap",
        f"{lost:.1%} of the rows have a propensity outside [{low:.3g}, {high:.3g}]"
        + (" and are left out: the effect is that of the others." if lost else "."),
        lost <= MOST_TRIMMED,
        lost,
    )
    if not overlap.passed:
        raise Rejected(
            f"{lost:.0%} of the rows have no counterpart in the other group: treated and untreated "
            "differ too much to be compared.",
            [overlap],
        )
    limits = (low / 2, (1 + high) / 2)
    if lost:
        study = study.part(kept)
        _require_groups(study, overlap)
        score, terms = propensity(study)
        score = score.clip(*limits)
    return Support(study, score, terms, (UNCONFOUNDED, overlap), limits)


def _require_groups(study: Study, *tested: Assumption) -> None:
    treated = int(study.treatment.sum())
    fewest = min(treated, len(study) - treated)
    if fewest < FEWEST_IN_GROUP:
        which = "treated" if treated <= len(study) - treated else "untreated"
        raise Rejected(
            f"only {fewest} rows are {which}; at least {FEWEST_IN_GROUP} are needed in each group.",
            tested,
        )


def require_variation(study: Study) -> Assumption:
    """That a numeric treatment varies beyond what the covariates say. Raises Rejected else."""
    import numpy as np

    given = 0.0
    if study.covariates.shape[1]:
        left = study.treatment - _fitted(with_intercept(study), study.treatment)
        given = 1 - float(left.var() / study.treatment.var())
    assumption = Assumption(
        "overlap",
        f"The columns adjusted for explain {given:.1%} of the treatment's variance.",
        bool(given < 0.98),
        given,
    )
    if not assumption.passed:
        raise Rejected(
            "the columns adjusted for leave nothing of the treatment to learn from.", [assumption]
        )
    if (
        len(np.unique(study.treatment)) < 3
        or len(study) < FEWEST_IN_GROUP + study.covariates.shape[1]
    ):
        raise Rejected(
            f"{len(study)} rows are too few for {study.covariates.shape[1]} columns.", [assumption]
        )
    return assumption


def _fitted(terms: np.ndarray, values: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.asarray(terms @ np.linalg.lstsq(terms, values, rcond=None)[0])


def standardised(study: Study) -> np.ndarray:
    """The covariates, n by k, each with mean 0 and standard deviation 1."""
    import numpy as np

    values = study.covariates.to_numpy(dtype=float)
    spread = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def with_intercept(study: Study) -> np.ndarray:
    """An intercept and the standardised covariates, n by k + 1."""
    import numpy as np

    return np.column_stack([np.ones(len(study)), standardised(study)])


def propensity(study: Study) -> tuple[np.ndarray, np.ndarray]:
    """The probability of treatment of each row by logistic regression, and the terms it took.

    Linear in the covariates; squares and products enter where weighting leaves them more than 0.1
    standard deviations apart (after Imbens & Rubin 2015, ch. 13). A penalty too small to matter
    keeps the fit finite where groups are separated.
    """
    import numpy as np

    linear = with_intercept(study)
    score = _logistic(linear, study.treatment)
    extra = _squares_and_products(linear[:, 1:])
    room = len(study) // 50
    if extra.shape[1] == 0 or room == 0:
        return score, linear
    apart = imbalance(extra, study.treatment, inverse_weights(study.treatment, score))
    worst = np.argsort(-apart, kind="stable")[:room]
    chosen = np.sort(worst[apart[worst] > IMBALANCE])
    if len(chosen) == 0:
        return score, linear
    terms = np.column_stack([linear, extra[:, chosen]])
    return _logistic(terms, study.treatment), terms


def _logistic(terms: np.ndarray, treatment: np.ndarray) -> np.ndarray:
    import warnings

    import numpy as np
    from sklearn.linear_model import LogisticRegression

    if terms.shape[1] == 1:
        return np.full(len(treatment), treatment.mean())
    model = LogisticRegression(C=1e4, solver="newton-cholesky", tol=1e-8, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # separated groups: told as missing overlap
        return np.asarray(model.fit(terms[:, 1:], treatment).predict_proba(terms[:, 1:])[:, 1])


def _squares_and_products(values: np.ndarray) -> np.ndarray:
    """Of standardised columns; products only where there are few columns."""
    import numpy as np

    k = values.shape[1]
    pairs = [(a, b) for a in range(k) for b in range(a, k) if a == b or k <= MOST_PRODUCTS]
    made = [
        values[:, a] * values[:, b] for a, b in pairs if a != b or len(np.unique(values[:, a])) > 2
    ]
    if not made:
        return np.empty((len(values), 0))
    terms = np.column_stack(made)
    spread = terms.std(axis=0)
    terms = terms[:, spread > 1e-8]
    return np.asarray((terms - terms.mean(axis=0)) / terms.std(axis=0))


def inverse_weights(treatment: np.ndarray, score: np.ndarray) -> np.ndarray:
    """One over the probability of the treatment that a row had."""
    import numpy as np

    return np.asarray(np.where(treatment == 1, 1 / score.clip(1e-6), 1 / (1 - score).clip(1e-6)))


def imbalance(values: np.ndarray, treatment: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Absolute weighted mean difference of each column over its unweighted spread."""
    import numpy as np

    one, zero = treatment == 1, treatment == 0
    means = [np.average(values[arm], axis=0, weights=weights[arm]) for arm in (one, zero)]
    spread = np.sqrt((values[one].var(axis=0) + values[zero].var(axis=0)) / 2)
    return np.asarray(np.abs(means[0] - means[1]) / np.where(spread > 1e-12, spread, 1.0))


def balanced(study: Study, weights: np.ndarray) -> Assumption:
    """Whether weighted groups are alike: no covariate more than 0.1 standard deviations apart."""
    if study.covariates.shape[1] == 0:
        return Assumption("balance", "There is nothing to balance.", True, 0.0)
    apart = imbalance(study.covariates.to_numpy(dtype=float), study.treatment, weights)
    worst = int(apart.argmax())
    return Assumption(
        "balance",
        f"After weighting {study.covariates.columns[worst]} is farthest apart, by "
        f"{apart[worst]:.2f} standard deviations.",
        bool(apart[worst] <= IMBALANCE),
        float(apart[worst]),
    )
