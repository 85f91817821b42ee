"""Known effects planted in designs: instruments, discontinuities and panels of the user's own data.

What a design rests on is kept as the data have it (how strong the instrument is, how rows lie about
the cutoff, how units move over time), so that what is measured is the method on this design. That
the design itself holds (an instrument acts through the treatment alone) is planted with it, and so
not tested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from services.executor.causal.estimation.result import Rejected
from services.executor.causal.estimation.support import with_intercept
from services.executor.causal.estimation.units import unit_numbers
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np

_DEGREE = 4


@dataclass(frozen=True)
class DesignPlanting:
    """Makes a study anew in which the effect is `effects` (n, all the same)."""

    kind: str
    effects: np.ndarray
    make: Callable[[np.random.Generator, float], Study]

    def drawn(self, study: Study, random: np.random.Generator) -> Study:
        """A study with treatment or outcome made anew."""
        return replace(self.make(random, float(self.effects[0])), seed=study.seed)


def design_plantings(method: str, study: Study, effects: Sequence[float]) -> list[DesignPlanting]:
    """A planting for every effect, in standard deviations of the outcome; of an amount, a standard
    deviation of it. Raises Rejected where the design cannot be read."""
    import numpy as np

    make = {"IV": _instrument, "RDD": _discontinuity, "DiD": _panel}[method](study)
    spread = float(study.outcome.std()) / (1.0 if study.binary else float(study.treatment.std()))
    return [
        DesignPlanting("constant", np.full(len(study), each * spread), make) for each in effects
    ]


def _instrument(study: Study) -> Callable[[np.random.Generator, float], Study]:
    """Both stages as straight lines fitted here; what they miss is drawn together, so that what
    moves treatment and outcome unseen still does (by unit where rows belong together)."""
    import numpy as np

    from services.executor.causal.estimation.iv import estimate, instruments_of

    controls = with_intercept(study)
    first = np.column_stack([controls, instruments_of(study)])
    expected = _fitted(first, study.treatment)
    moved = study.treatment - expected
    net = study.outcome - estimate(study)[0].estimate * study.treatment
    base = _fitted(controls, net)
    missed = net - base
    start, unit = unit_numbers(study)

    def make(random: np.random.Generator, effect: float) -> Study:
        sign = random.choice([-1.0, 1.0], len(start))[unit]
        rows = np.arange(len(study)) if study.units is not None else _drawn(random, len(study))
        signs = sign if study.units is not None else np.ones(len(study))
        treatment = expected + signs * moved[rows]
        outcome = base + effect * treatment + signs * missed[rows]
        return replace(study, treatment=treatment, outcome=outcome, binary=False)

    return make


def _discontinuity(study: Study) -> Callable[[np.random.Generator, float], Study]:
    """The running variable as it is; the outcome without the effect as polynomials of the fourth
    degree that meet at the cutoff, what they miss drawn from rows of the same side. Who is treated
    stays as the side says where it says all, else is drawn from what each side shows."""
    import numpy as np

    from services.executor.causal.estimation.rdd import estimate, is_sharp, running_values

    distance, _ = running_values(study)
    sides = [distance < 0, distance >= 0]
    sharp = is_sharp(study, distance)
    net = study.outcome
    if not sharp:
        net = net - estimate(study)[0].estimate * study.treatment
    base, missed, chance = np.empty(len(study)), np.empty(len(study)), np.empty(len(study))
    scale = float(np.abs(distance).max()) or 1.0
    for side in sides:
        powers = (distance[side, None] / scale) ** np.arange(_DEGREE + 1)
        slopes = np.linalg.lstsq(powers, net[side], rcond=None)[0]
        base[side] = powers[:, 1:] @ slopes[1:]  # both begin from nought at the cutoff
        missed[side] = net[side] - powers @ slopes
        chance[side] = _fitted(powers[:, :2], study.treatment[side]).clip(0.01, 0.99)

    def make(random: np.random.Generator, effect: float) -> Study:
        noise, treatment = np.empty(len(study)), sides[1].astype(float)
        for side in sides:
            noise[side] = random.choice(missed[side], int(side.sum()))
        if not sharp:
            treatment = (random.random(len(study)) < chance).astype(float)
        return replace(
            study, treatment=treatment, outcome=base + effect * treatment + noise, binary=True
        )

    return make


def _panel(study: Study) -> Callable[[np.random.Generator, float], Study]:
    """When treatment begins is shuffled among units, whose outcomes over time stay together
    (Bertrand, Duflo & Mullainathan 2004); the effect found here, by time since treatment, is taken
    out before and the planted one put in."""
    import numpy as np
    import pandas as pd

    from services.executor.causal.estimation.did import effects_since
    from services.executor.causal.estimation.panel import NEVER

    unit, _ = pd.factorize(study.others[study.roles["unit"]], sort=True)
    time, _ = pd.factorize(study.others[study.roles["time"]], sort=True)
    begins = np.full(int(unit.max()) + 1, NEVER)
    treated = study.treatment == 1
    np.minimum.at(begins, unit[treated], time[treated])
    since = time - begins[unit]
    found = effects_since(study)
    if not found:
        raise Rejected("no period has both treated units and units that are not treated yet.")
    last = max(found)
    taken = np.array([found.get(int(each), found[last]) if each >= 0 else 0.0 for each in since])
    net = study.outcome - taken

    def make(random: np.random.Generator, effect: float) -> Study:
        on = (time >= random.permutation(begins)[unit]).astype(float)
        return replace(study, treatment=on, outcome=net + effect * on)

    return make


def _drawn(random: np.random.Generator, rows: int) -> np.ndarray:
    import numpy as np

    return np.asarray(random.integers(0, rows, rows))


def _fitted(terms: np.ndarray, values: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.asarray(terms @ np.linalg.lstsq(terms, values, rcond=None)[0])
