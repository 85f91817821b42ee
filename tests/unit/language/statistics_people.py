"""People on a ship, made up, and what scipy and pandas say of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from tests.unit.language.statistics_help import Sheet

SIZE = 600
_RANDOM = np.random.default_rng(11)
_AGE = np.where(_RANDOM.random(SIZE) < 0.1, np.nan, _RANDOM.normal(32, 14, SIZE).clip(1).round(1))
PEOPLE = pd.DataFrame(
    {
        "PassengerId": np.arange(1, SIZE + 1),
        "Survived": _RANDOM.integers(0, 2, SIZE),
        "Pclass": _RANDOM.choice([1, 2, 3], SIZE),
        "Sex": _RANDOM.choice(["female", "male"], SIZE),
        "Age": _AGE,
        "SibSp": _RANDOM.poisson(0.6, SIZE),
        "Parch": _RANDOM.poisson(0.4, SIZE),
        "Fare": _RANDOM.lognormal(2.8, 0.8, SIZE).round(4),
        "Port": _RANDOM.choice(["Cork", "Hull", "Brest"], SIZE),
    }
)
PEOPLE.loc[PEOPLE.Sex == "male", "Fare"] += 3.0
FAMILY = PEOPLE.SibSp + PEOPLE.Parch + 1
FEMALE, MALE = (PEOPLE[PEOPLE.Sex == sex] for sex in ("female", "male"))
QUARTILES = PEOPLE.Fare.quantile([0.25, 0.75])
REACH = 1.5 * (QUARTILES[0.75] - QUARTILES[0.25])
USUAL = PEOPLE[PEOPLE.Fare.between(QUARTILES[0.25] - REACH, QUARTILES[0.75] + REACH)]
KNOWN = PEOPLE.dropna(subset=["Age"])
PEARSON = stats.pearsonr(KNOWN.Age, KNOWN.Fare)
WELCH = stats.ttest_ind(FEMALE.Fare, MALE.Fare, equal_var=False)
PORTS = stats.f_oneway(*(PEOPLE.Fare[PEOPLE.Port == p] for p in ("Brest", "Cork", "Hull")))
TWO = stats.ttest_ind(*(PEOPLE.Fare[PEOPLE.Port == p] for p in ("Cork", "Hull")), equal_var=False)
TABLE = stats.chi2_contingency(pd.crosstab(PEOPLE.Sex, PEOPLE.Pclass), correction=False)


def ship(folder: Path) -> Sheet:
    """The people as a file that can be asked."""
    PEOPLE.to_csv(folder / "titanic.csv", index=False)
    return Sheet(folder / "titanic.csv", folder)
