"""What a planting is, and those on the user's own covariates, for methods that adjust for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from services.executor.causal.estimation.nuisance import (
    BOOSTING,
    cross_predicted,
    regression_learner,
    treatment_learner,
)
from services.executor.causal.estimation.support import standardised
from services.executor.causal.estimation.units import treated_as_a_whole, unit_numbers
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np


class Planting(Protocol):
    """A known effect (n, the same or different for rows), and a study anew that has it."""

    @property
    def kind(self) -> str:
        """Whether it is "constant" or "heterogeneous"."""
        ...

    @property
    def effects(self) -> np.ndarray:
        """The effect of treatment on each row."""
        ...

    def drawn(self, study: Study, random: np.random.Generator) -> Study:
        """The study with treatment and outcome made anew."""
        ...


@dataclass(frozen=True)
class AdjustedPlanting:
    """The untreated outcome as a model expects it, what the model misses, the effect of treatment
    on each row, the treatment as a model expects it, and what that misses (n each)."""

    kind: str
    expected: np.ndarray
    missed: np.ndarray
    effects: np.ndarray
    likely: np.ndarray
    moved: np.ndarray
    binary: bool

    def drawn(self, study: Study, random: np.random.Generator) -> Study:
        """The study with treatment and outcome made anew, covariates as they are.

        Were the treatment kept, its one chance imbalance would count as every method's bias.
        """
        n = len(study)
        likely, chance = self.likely, random.random(n)
        if treated_as_a_whole(study):
            first, unit = unit_numbers(study)
            chance, likely = chance[first][unit], likely[first][unit]
        if study.binary:
            treatment = (chance < likely).astype(float)
        else:
            treatment = likely + _anew(self.moved, study, random)
        if self.binary:
            chance = (self.expected + self.effects * treatment).clip(0, 1)
            outcome = (random.random(n) < chance).astype(float)
        else:
            noise = _anew(self.missed, study, random)
            outcome = self.expected + self.effects * treatment + noise
        return replace(study, treatment=treatment, outcome=outcome)


def _anew(missed: np.ndarray, study: Study, random: np.random.Generator) -> np.ndarray:
    """What a model misses, drawn anew; what rows of a unit share is drawn for the unit."""
    import numpy as np

    n = len(study)
    if study.units is None:
        return np.asarray(missed[random.integers(0, n, n)])
    first, unit = unit_numbers(study)
    shared = np.bincount(unit, weights=missed) / np.bincount(unit)
    own = missed - shared[unit]
    units = len(first)
    drawn = shared[random.integers(0, units, units)][unit] + own[random.integers(0, n, n)]
    return np.asarray(drawn)


def adjusted_plantings(study: Study, effects: Sequence[float]) -> list[AdjustedPlanting]:
    """For every effect (in standard deviations of the outcome) one that is equal for all, and one
    that varies with the covariates around the same mean."""
    import numpy as np

    values = standardised(study)
    k = values.shape[1]
    inputs = np.column_stack([values, study.treatment])
    learner = regression_learner(inputs, study.outcome, study.seed, True, study.units)
    model = learner.model.fit(inputs, study.outcome)
    untreated = np.column_stack([values, np.zeros(len(study))])
    expected = np.asarray(model.predict(untreated))
    # Boosting follows the rows it has seen: what it misses is taken from rows it has not.
    unseen = cross_predicted(
        learner.model, inputs, study.outcome, study.seed, False, units=study.units
    )
    missed = study.outcome - (unseen if learner.name == BOOSTING else model.predict(inputs))
    likely = _likely(study, values)
    moved = study.treatment - likely
    spread = float(study.outcome.std())
    if study.binary_outcome:
        largest = max(abs(each) for each in effects) * spread
        expected = expected.clip(min(2 * largest, 0.5), max(1 - 2 * largest, 0.5))
    missed, moved = missed - missed.mean(), moved - moved.mean()
    # Effects that vary do so along the first direction in which the covariates do.
    along = np.zeros(len(study))
    if k:
        along = values @ np.linalg.svd(values, full_matrices=False)[2][0]
        along = np.tanh((along - along.mean()) / along.std())
        along = along - along.mean()
    found = []
    for each in effects:
        mean = each * spread
        size = abs(mean) if each else 0.2 * spread
        if study.binary_outcome:
            size = min(size, 0.5 * float(np.minimum(expected, 1 - expected).min()))
        for kind, varying in (("constant", 0.0), ("heterogeneous", size)):
            if k or not varying:
                taken = np.full(len(study), mean) + varying * along
                found.append(
                    AdjustedPlanting(
                        kind, expected, missed, taken, likely, moved, study.binary_outcome
                    )
                )
    return found


def _likely(study: Study, values: np.ndarray) -> np.ndarray:
    """The expected treatment of each row by a model that has not seen it."""
    import numpy as np

    if values.shape[1] == 0:
        return np.full(len(study), study.treatment.mean())
    choose = treatment_learner if study.binary else regression_learner
    learner = choose(values, study.treatment, study.seed, True, study.units)
    found = cross_predicted(
        learner.model, values, study.treatment, study.seed, study.binary, units=study.units
    )
    return found.clip(0.001, 0.999) if study.binary else found
