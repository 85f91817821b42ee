"""Tests that an effect must pass: made-up treatments, made-up causes, parts of the rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.causal.estimation.units import treated_as_a_whole, unit_numbers
from services.executor.causal.frame import Study
from services.executor.causal.sensitivity.again import (
    MOST_ROWS,
    REPETITIONS,
    check_time,
    estimated_again,
    sampled,
    with_treatment,
)
from services.executor.causal.sensitivity.arguments import CausalSensitivityArguments
from services.executor.causal.sensitivity.result import Tested, figure

if TYPE_CHECKING:
    import numpy as np

_STRATA = 10
_PART, _PARTS = 0.8, 8
_SELDOM = 0.01


def placebo_treatment(
    study: Study, arguments: CausalSensitivityArguments, context: ToolContext
) -> Tested:
    """The treatment shuffled among rows of like propensity: it keeps what it has to do with the
    covariates, and loses any effect. What the method still finds is its own error.

    Passes unless more shuffles look like an effect than 5 % intervals allow (binomial, 1 %).
    """
    import numpy as np
    from scipy import stats

    generator = np.random.default_rng(arguments.seed)
    few = sampled(study, MOST_ROWS, generator)
    strata = _strata(few)
    found, seeming = [], 0
    for _ in range(REPETITIONS):
        check_time(context)
        shuffled = _shuffled(few, strata, generator)
        again = estimated_again(arguments.estimator, with_treatment(few, shuffled))
        if again is not None:
            found.append(again.estimate)
            seeming += not again.low <= 0 <= again.high
    if not found:
        raise _nothing(arguments)
    chance = float(stats.binom.sf(seeming - 1, len(found), 0.05))
    low, high = (float(v) for v in np.quantile(found, [0.025, 0.975]))
    middle = float(np.mean(found))
    text = (
        f"With {study.treatment_name} shuffled among like rows it is {figure(middle)} "
        f"({figure(low)} to {figure(high)}); {seeming} of {len(found)} shuffles seem an effect."
    )
    details = {"estimates": found, "seeming": seeming, "chance": chance}
    return Tested(middle, text, chance > _SELDOM, details)


def random_common_cause(
    study: Study, arguments: CausalSensitivityArguments, context: ToolContext
) -> Tested:
    """A column of noise is adjusted for as well: nothing may change by it.

    Passes where the estimate moves by less than half of its standard error in the mean.
    """
    import numpy as np

    generator = np.random.default_rng(arguments.seed)
    few = sampled(study, MOST_ROWS, generator)
    base = estimated_again(arguments.estimator, few)
    if base is None:
        raise _nothing(arguments)
    moved = []
    for number in range(5):
        check_time(context)
        noise = few.covariates.assign(**{f"_noise_{number}": generator.normal(size=len(few))})
        again = estimated_again(arguments.estimator, replace(few, covariates=noise))
        if again is not None:
            moved.append(again.estimate - base.estimate)
    if not moved:
        raise _nothing(arguments)
    change = float(np.mean(moved))
    text = f"Adjusting for noise as well moves the estimate by {figure(change)}."
    return Tested(change, text, abs(change) < 0.5 * base.std_error, {"changes": moved})


def subset(study: Study, arguments: CausalSensitivityArguments, context: ToolContext) -> Tested:
    """The estimate on parts of the rows, each four fifths of them.

    Passes where their mean lies within a standard error of the whole's, and all have its sign
    where that is beyond doubt. No verdict where the method declines most parts.
    """
    import numpy as np

    generator = np.random.default_rng(arguments.seed)
    few = sampled(study, 2 * MOST_ROWS, generator)
    base = estimated_again(arguments.estimator, few)
    if base is None:
        raise _nothing(arguments)
    found = []
    for _ in range(_PARTS):
        check_time(context)
        again = estimated_again(
            arguments.estimator, sampled(few, round(_PART * len(few)), generator)
        )
        if again is not None:
            found.append(again.estimate)
    if not found:
        raise _nothing(arguments)
    middle = float(np.mean(found))
    sure = not base.low <= 0 <= base.high
    turned = sure and any(value * base.estimate <= 0 for value in found)
    least, most = figure(min(found)), figure(max(found))
    if len(found) == _PARTS:
        text = f"On {_PARTS} random parts of four fifths of the rows it is {least} to {most}."
    else:
        text = (
            f"On {len(found)} of {_PARTS} random parts of four fifths of the rows it is {least} to "
            f"{most}; the others are too few rows for it."
        )
    passes = abs(middle - base.estimate) <= base.std_error and not turned
    judged = passes if 2 * len(found) >= _PARTS else None
    return Tested(middle, text, judged, {"estimates": found})


def negative_control(study: Study, arguments: CausalSensitivityArguments) -> Tested:
    """The effect on what the treatment cannot have moved (Lipsitch et al. 2010): any is bias.

    `study` has that column as its outcome. Passes where the interval holds nought.
    """
    again = estimated_again(arguments.estimator, study, once=False)
    if again is None:
        raise _nothing(arguments)
    passes = again.low <= 0 <= again.high
    text = (
        f"On {study.outcome_name}, which {study.treatment_name} cannot have moved, it is "
        f"{figure(again.estimate)} ({figure(again.low)} to {figure(again.high)})"
    )
    text += "." if passes else ": what was not seen moves both."
    return Tested(again.estimate, text, passes, {"low": again.low, "high": again.high})


def _shuffled(study: Study, strata: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The treatment (n) shuffled within strata: among units where these are treated as a whole."""
    import numpy as np

    rows = unit = np.arange(len(study))
    if treated_as_a_whole(study):
        rows, unit = unit_numbers(study)
    held, shuffled = study.treatment[rows], study.treatment[rows].copy()
    for stratum in np.unique(strata[rows]):
        here = np.flatnonzero(strata[rows] == stratum)
        shuffled[here] = held[generator.permutation(here)]
    moved: np.ndarray = shuffled[unit]
    return moved


def _strata(study: Study) -> np.ndarray:
    """Rows of like propensity (or expected amount of treatment) under one number."""
    import numpy as np
    from sklearn.linear_model import LinearRegression, LogisticRegression

    values = study.covariates.to_numpy(dtype=float)
    if not values.shape[1]:
        return np.zeros(len(study), dtype=int)
    spread = values.std(axis=0)
    scaled = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if study.binary:
        model = LogisticRegression(max_iter=500).fit(scaled, study.treatment)
        score = model.predict_proba(scaled)[:, 1]
    else:
        score = LinearRegression().fit(scaled, study.treatment).predict(scaled)
    edges = np.quantile(score, np.linspace(0, 1, _STRATA + 1)[1:-1])
    found: np.ndarray = np.searchsorted(edges, score)
    return found


def _nothing(arguments: CausalSensitivityArguments) -> ToolError:
    return ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        f"{arguments.estimator} declines the rows of this test.",
        hint="Test the estimate of another method.",
    )
