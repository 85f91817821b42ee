"""Repeated observations of units, as difference in differences takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from services.executor.causal.estimation.result import Rejected
from services.executor.causal.estimation.support import standardised
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

NEVER = 1_000_000


@dataclass(frozen=True)
class Panel:
    """`outcome` is units by times (NaN where not observed), `covariates` units by times by k.

    `first` is the place in `times` at which a unit is first treated (NEVER without); `groups`
    are the places at which some are, after the first period. `rows_…` are the observations as they
    came.
    """

    times: np.ndarray
    first: np.ndarray
    outcome: np.ndarray
    covariates: np.ndarray
    groups: list[int]
    rows_unit: np.ndarray
    rows_time: np.ndarray
    rows_outcome: np.ndarray
    rows_treatment: np.ndarray

    @property
    def treated_units(self) -> int:
        """Units whose treatment begins within the panel."""
        return int(sum((self.first == each).sum() for each in self.groups))

    @property
    def control_units(self) -> int:
        """Units untreated when the first group's treatment begins, so comparable at some time."""
        return int((self.first > min(self.groups)).sum())


def panel_of(study: Study) -> Panel:
    """The panel that a study's rows make. Raises Rejected where they make none."""
    import numpy as np
    import pandas as pd

    if not study.binary:
        raise Rejected("difference in differences needs a treatment that is on or off.")
    unit, _ = pd.factorize(study.others[study.roles["unit"]], sort=True)
    moment = study.others[study.roles["time"]]
    if not (pd.api.types.is_numeric_dtype(moment) or _is_moment(moment)):
        raise Rejected("the time is text, whose order nobody knows: give it as a number or a date.")
    time, times = pd.factorize(moment, sort=True)
    if len(times) < 2:
        raise Rejected("there is one period only.")
    if len(set(zip(unit.tolist(), time.tolist(), strict=True))) < len(study):
        raise Rejected("some units have several rows at one time.")
    shape = (int(unit.max()) + 1, len(times))
    treatment, outcome = np.full(shape, np.nan), np.full(shape, np.nan)
    treatment[unit, time], outcome[unit, time] = study.treatment, study.outcome
    covariates = np.full((*shape, study.covariates.shape[1]), np.nan)
    covariates[unit, time] = standardised(study)
    first = _first_treated(treatment)
    kept = first > 0
    groups = sorted({int(each) for each in first[kept] if each < NEVER})
    if not groups:
        raise Rejected("no unit's treatment begins after the first period.")
    if not (first > groups[0]).any():
        raise Rejected("all units are treated at the same time: there is nobody to compare with.")
    rows = kept[unit]
    return Panel(
        np.asarray(times),
        first[kept],
        outcome[kept],
        covariates[kept],
        groups,
        unit[rows],
        time[rows],
        study.outcome[rows],
        study.treatment[rows],
    )


def _is_moment(values: pd.Series) -> bool:
    import datetime

    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(values):
        return True
    return all(isinstance(each, datetime.date) for each in values)


def _first_treated(treatment: np.ndarray) -> np.ndarray:
    """The first treated place of each unit (0: treated all along, left out; NEVER). Raises Rejected
    where a treatment ends again."""
    import numpy as np

    on = np.nan_to_num(treatment) == 1
    first = np.where(on.any(axis=1), on.argmax(axis=1), NEVER)
    later = np.arange(treatment.shape[1]) >= first[:, None]
    if (later & (treatment == 0)).any():
        raise Rejected("some units' treatment ends again; only lasting treatments can be compared.")
    return np.asarray(first)
