"""Errors where rows belong together: several rows of one unit are no independent rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from services.executor.causal.estimation.result import Rejected
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np

FEWEST_UNITS = 10


def settled(
    study: Study, influence: np.ndarray, error: float, df: float = math.inf, spent: int = 1
) -> tuple[float, float]:
    """The standard error of an estimate, and the degrees of freedom behind it.

    `error` and `df` themselves where every row stands for itself. Where rows belong to units, the
    influence of each row (n, whose sum of squares would be the variance) is summed by unit (Liang
    & Zeger 1986), scaled by G / (G - `spent`) for G units, with a t distribution on G - 1 degrees
    of freedom; where units are treated as a whole, on those of the smaller side. `spent` are the
    coefficients that the influence leaves out of account, one at least.
    """
    import numpy as np

    if study.units is None:
        return error, df
    sums = by_unit(influence[:, None], study.units)
    count = len(sums)
    smaller = min(_arms(study)) if treated_as_a_whole(study) else count
    return float(np.sqrt(count / max(count - spent, 1) * (sums**2).sum())), float(
        max(smaller - 1, 1)
    )


def by_unit(scores: np.ndarray, units: np.ndarray | None) -> np.ndarray:
    """The sums of rows (n by k) over each unit; the rows themselves where there are none."""
    import numpy as np

    if units is None:
        return scores
    _, unit = np.unique(units, return_inverse=True)
    sums = np.zeros((int(unit.max()) + 1, scores.shape[1]))
    np.add.at(sums, unit, scores)
    return sums


def unit_numbers(study: Study) -> tuple[np.ndarray, np.ndarray]:
    """The first row of each unit, and the number of each row's unit (n); where there are no units
    every row is one."""
    import numpy as np

    if study.units is None:
        return np.arange(len(study)), np.arange(len(study))
    _, first, unit = np.unique(study.units, return_index=True, return_inverse=True)
    return first, unit


def treated_as_a_whole(study: Study) -> bool:
    """Whether there are units, of which each is treated in all of its rows or in none."""
    if study.units is None or not study.binary:
        return False
    first, unit = unit_numbers(study)
    return bool((study.treatment == study.treatment[first][unit]).all())


def counted(study: Study, mask: np.ndarray) -> int:
    """How many rows `mask` (n booleans) keeps; of how many units where rows belong together, for
    rows of one unit say little that the first has not said."""
    import numpy as np

    return int(mask.sum()) if study.units is None else len(np.unique(study.units[mask]))


def require_units(study: Study) -> None:
    """Raises Rejected where too few units are there for an error to be told."""
    if study.units is None:
        return
    if (count := counted(study, study.rows == study.rows)) < FEWEST_UNITS:
        raise Rejected(
            f"the rows are of {count} units; an error needs {FEWEST_UNITS} to be believed."
        )
    if treated_as_a_whole(study) and min(arms := _arms(study)) < FEWEST_UNITS:
        raise Rejected(
            f"{arms[0]} units are treated and {arms[1]} are not; an error needs {FEWEST_UNITS} of "
            "each to be believed."
        )


def _arms(study: Study) -> tuple[int, int]:
    """Units with a treated row, and with an untreated one."""
    return counted(study, study.treatment == 1), counted(study, study.treatment == 0)
