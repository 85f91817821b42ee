"""Causal forest: effects that vary with covariates, and their averages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from services.executor.causal.coding import coded_columns
from services.executor.causal.estimation.groups import modifier_groups
from services.executor.causal.estimation.nuisance import (
    Learner,
    cross_predicted,
    regression_learner,
    treatment_learner,
)
from services.executor.causal.estimation.result import (
    UNCONFOUNDED,
    Assumption,
    Estimate,
    Rejected,
)
from services.executor.causal.estimation.support import (
    FEWEST_IN_GROUP,
    require_variation,
    supported,
)
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np

TREES = 200
MOST_ROWS_OF_A_TREE = 5_000


def estimate(study: Study) -> list[Estimate]:
    """ATE, ATT and, for groups by the modifiers, CATE by an honest forest (Wager & Athey 2018;
    Athey, Tibshirani & Wager 2019).

    Outcome and treatment are residualised by cross-fitted models; averages are those of doubly
    robust scores over out-of-bag effects, so their errors are those of means of n scores. Of a
    numeric treatment the scores take its residual variance as equal over rows.
    """
    if study.units is not None:
        raise Rejected(
            "rows of one unit are alike, which trees take for effects that vary: a forest needs "
            "rows that stand for themselves."
        )
    tested: tuple[Assumption, ...]
    limits: tuple[float, float] | None
    if study.binary:
        support = supported(study)
        study, tested, limits = support.study, support.assumptions, support.limits
    else:
        tested, limits = (UNCONFOUNDED, require_variation(study)), None
    values = _values(study)
    scores, effects, likely, outcome, treatment = _scores(study, values, limits)
    details = {
        "trees": TREES,
        "outcome_model": outcome.name,
        "treatment_model": treatment.name,
        "effects_deciles": [float(each) for each in _deciles(effects)],
    }
    varies = _heterogeneity(scores, effects)
    everybody = scores == scores
    parts = [("ATE", "", everybody)]
    if study.binary:
        parts.append(("ATT", "", study.treatment == 1))
    parts += [("CATE", label, mask) for label, mask in modifier_groups(study).items()]
    return [
        _average(
            study, (scores, effects, likely), mask, estimand, label, (*tested, varies), details
        )
        for estimand, label, mask in parts
    ]


def _values(study: Study) -> np.ndarray:
    """Covariates and modifiers as numbers, n by k. Raises Rejected where there are none."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    table = pa.Table.from_pandas(study.modifiers, preserve_index=False)
    extra = coded_columns(table, sorted(table.column_names)).columns
    both = pd.concat([study.covariates, extra], axis=1)
    found = both.loc[:, ~both.columns.duplicated()].to_numpy(dtype=float)
    if found.shape[1] == 0:
        raise Rejected("a forest needs columns that the effect may vary with.")
    return np.asarray(found)


def _scores(
    study: Study, values: np.ndarray, limits: tuple[float, float] | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Learner, Learner]:
    """Doubly robust scores, out-of-bag effects and expected treatments (n each), and the models of
    outcome and treatment; expected chances of a treatment of two values keep within `limits`."""
    import numpy as np
    from econml.grf import CausalForest

    outcome = regression_learner(values, study.outcome, study.seed, boosting=True)
    expected = cross_predicted(outcome.model, values, study.outcome, study.seed, classifier=False)
    choose = treatment_learner if study.binary else regression_learner
    treatment = choose(values, study.treatment, study.seed, boosting=True)
    likely = cross_predicted(treatment.model, values, study.treatment, study.seed, study.binary)
    if limits is not None:
        likely = likely.clip(*limits)
    moved, came = study.treatment - likely, study.outcome - expected
    part = min(0.45, MOST_ROWS_OF_A_TREE / len(came))
    forest: Any = CausalForest(
        n_estimators=TREES,
        min_samples_leaf=5,
        max_samples=part,
        honest=True,
        inference=True,
        subforest_size=4,
        n_jobs=1,
        random_state=study.seed,
    )
    forest.fit(values, moved[:, None], came[:, None])
    effects = np.asarray(forest.oob_predict(values)).reshape(len(came), -1)[:, 0]
    effects = np.where(np.isnan(effects), np.nanmean(effects), effects)
    variance = likely * (1 - likely) if study.binary else np.mean(moved**2)
    scores = effects + moved / variance * (came - effects * moved)
    return scores, effects, likely, outcome, treatment


def _average(
    study: Study,
    found: tuple[np.ndarray, np.ndarray, np.ndarray],
    mask: np.ndarray,
    estimand: str,
    label: str,
    tested: tuple[Assumption, ...],
    details: dict[str, Any],
) -> Estimate:
    import numpy as np

    scores, effects, likely = found
    rows = int(mask.sum())
    reason = ""
    if study.binary and estimand != "ATT":
        treated = int(study.treatment[mask].sum())
        if min(treated, rows - treated) < FEWEST_IN_GROUP:
            reason = (
                f"{treated} of the group's rows are treated, {rows - treated} are not: too few."
            )
    if estimand == "ATT":
        mean, error = _over_treated(study.treatment, scores, effects, likely)
    else:
        mean, error = float(scores[mask].mean()), float(scores[mask].std(ddof=1) / np.sqrt(rows))
    return Estimate(
        estimand,
        mean,
        error,
        rows,
        group=label,
        assumptions=tested,
        details=details if not label else {},
        reason=reason,
    )


def _over_treated(
    treatment: np.ndarray, scores: np.ndarray, effects: np.ndarray, likely: np.ndarray
) -> tuple[float, float]:
    """The ATT and its error by its efficient score (T tau + e (score - tau)) / P(T), Hahn 1998."""
    import numpy as np

    share = treatment.mean()
    parts = (treatment * effects + likely * (scores - effects)) / share
    mean = float(parts.mean())
    influence = parts - treatment / share * mean
    return mean, float(influence.std(ddof=1) / np.sqrt(len(parts)))


def _heterogeneity(scores: np.ndarray, effects: np.ndarray) -> Assumption:
    """Whether scores rise with the forest's own effects (after Chernozhukov et al. 2018b)."""
    import numpy as np

    from services.executor.causal.estimation.regression import least_squares
    from services.executor.causal.pooling import interval

    spread = effects.std()
    if spread < 1e-12:
        return Assumption("heterogeneity", "The effect is the same for all rows.", None, 0.0, 1.0)
    fit = least_squares(
        np.column_stack([np.ones(len(scores)), (effects - effects.mean()) / spread]), scores
    )
    slope, error = float(fit.coefficients[1]), float(np.sqrt(fit.covariance[1, 1]))
    p_value = interval(slope, error)[2] / 2
    p_value = p_value if slope > 0 else 1 - p_value
    text = "varies with the covariates" if p_value < 0.05 else "is not seen to vary"
    return Assumption("heterogeneity", f"The effect {text}.", None, slope, p_value)


def _deciles(effects: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.asarray(np.quantile(effects, np.linspace(0, 1, 11)))
