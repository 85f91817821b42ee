"""What AIPW and DML share: cross-fitted orthogonal scores by DoubleML, over several splits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from services.executor.causal.estimation.nuisance import (
    FOLDS,
    Learner,
    folds_of,
    regression_learner,
    treatment_learner,
)
from services.executor.causal.estimation.result import UNCONFOUNDED, Assumption, Estimate
from services.executor.causal.estimation.support import (
    require_variation,
    standardised,
    supported,
)
from services.executor.causal.estimation.units import settled
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np


def splits_for(study: Study) -> int:
    """How often the folds are drawn anew: what one draw decides fades with the rows."""
    rows = len(study)
    return 1 if study.trial else 3 if rows < 5_000 else 2 if rows < 20_000 else 1


def interactive(study: Study, boosting: bool) -> list[Estimate]:
    """ATE and, but for a trial, ATT of a binary treatment by the interactive regression model, AIPW
    cross-fitted (Robins, Rotnitzky & Zhao 1994; Chernozhukov et al. 2018), medians over splits."""
    from doubleml import DoubleMLIRM
    from doubleml.utils import PSProcessorConfig

    support = supported(study)
    study = support.study
    values = _values(study)
    outcome = regression_learner(
        _with(values, study.treatment),
        study.outcome,
        study.seed,
        boosting,
        study.units,
        is_mentioned=not study.trial,
    )
    treatment = treatment_learner(values, study.treatment, study.seed, boosting, study.units)
    tested = (
        *support.assumptions,
        _explained("outcome model", outcome),
        _explained("treatment model", treatment),
    )
    clipped = min(support.limits[0], 1 - support.limits[1])  # one number for both ends
    found: list[Estimate] = []
    known = None
    for estimand, score in (("ATE", "ATE"), ("ATT", "ATTE"))[: 1 if study.trial else 2]:
        model = DoubleMLIRM(
            _data(values, study),
            outcome.model,
            treatment.model,
            n_folds=FOLDS,
            n_rep=splits_for(study),
            score=score,
            normalize_ipw=estimand == "ATE",
            ps_processor_config=PSProcessorConfig(clipping_threshold=clipped),
            draw_sample_splitting=False,
        )
        rows = int(study.treatment.sum()) if estimand == "ATT" else len(study)
        found.append(_fitted(model, study, estimand, rows, tested, outcome, treatment, known))
        known = {"d": {name: each[:, :, 0] for name, each in model.predictions.items()}}
    return found


def partially_linear(study: Study, boosting: bool) -> list[Estimate]:
    """The effect of one unit of a numeric treatment by partialling out (Robinson 1988; Chernozhukov
    et al. 2018); medians over splits."""
    from doubleml import DoubleMLPLR

    varies = require_variation(study)
    values = _values(study)
    outcome = regression_learner(values, study.outcome, study.seed, boosting, study.units)
    treatment = regression_learner(values, study.treatment, study.seed, boosting, study.units)
    tested = (
        UNCONFOUNDED,
        varies,
        _explained("outcome model", outcome),
        _explained("treatment model", treatment),
    )
    model = DoubleMLPLR(
        _data(values, study),
        outcome.model,
        treatment.model,
        n_folds=FOLDS,
        n_rep=splits_for(study),
        draw_sample_splitting=False,
    )
    return [_fitted(model, study, "ATE", len(study), tested, outcome, treatment)]


def _values(study: Study) -> np.ndarray:
    """The covariates, or a column of nothing where there is none to adjust for."""
    import numpy as np

    return standardised(study) if study.covariates.shape[1] else np.zeros((len(study), 1))


def _with(values: np.ndarray, treatment: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.column_stack([values, treatment])


def _data(values: np.ndarray, study: Study) -> Any:
    from doubleml import DoubleMLData

    return DoubleMLData.from_arrays(values, study.outcome, study.treatment)


def _fitted(
    model: Any,
    study: Study,
    estimand: str,
    rows: int,
    tested: tuple[Assumption, ...],
    outcome: Learner,
    treatment: Learner,
    known: Any = None,
) -> Estimate:
    splits = splits_for(study)
    model.set_sample_splitting(
        [
            folds_of(study.treatment, study.seed + each, study.binary, FOLDS, study.units)
            for each in range(splits)
        ]
    )
    model.fit(external_predictions=known)
    each = model.all_coef[0]
    error, df = _settled(model, study)
    return Estimate(
        estimand,
        float(model.coef[0]),
        error,
        rows,
        df=df,
        assumptions=tested,
        details={
            "folds": FOLDS,
            "splits": splits,
            "outcome_model": outcome.name,
            "treatment_model": treatment.name,
            "spread_over_splits": float(each.max() - each.min()),
        },
    )


def _settled(model: Any, study: Study) -> tuple[float, float]:
    """The error over all splits, as DoubleML takes it: the median of what each split gives, with
    its distance from the median estimate."""
    import numpy as np

    value, squares, df = float(model.coef[0]), [], float("inf")
    for split, one in enumerate(model.all_coef[0]):
        slope = float(model.psi_deriv[:, split, 0].mean())
        influence = model.psi[:, split, 0] / slope / len(study)
        error, df = settled(study, influence, float(model.all_se[0][split]))
        squares.append(error**2 + (float(one) - value) ** 2)
    return (float(model.se[0]) if study.units is None else float(np.sqrt(np.median(squares)))), df


def _explained(name: str, learner: Learner) -> Assumption:
    kind = "variance" if name == "outcome model" else "variation"
    return Assumption(
        name,
        f"{learner.name.capitalize()}, chosen by cross-validation, explains "
        f"{max(learner.explained, 0):.0%} of the {kind} out of sample.",
        None,
        learner.explained,
    )
