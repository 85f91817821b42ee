"""What a question of this set is, and the tables that are asked about."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Value = Any
"""A number, a text, a truth value, or a list of texts."""

Truth = Callable[[Any], dict[str, Value]]

HELD_OUT = ("gapminder", "statecrime", "staff")
"""Tables whose failures were not looked at while the reader was built."""

_ROOT = Path(os.environ.get("ASSAY_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
_FILES = {
    "penguins": "csv/palmerpenguins_penguins.csv",
    "bechdel": "csv/fivethirtyeight_bechdel.csv",
    "weather": "csv/nycflights13_weather.csv",
    "safety": "csv/fivethirtyeight_airline_safety.csv",
    "gapminder": "csv/gapminder_gapminder.csv",
}


@dataclass(frozen=True)
class Asked:
    """A question and the code that works out what is right.

    The truth is told by the names that the question gives its figures; where it gives none, by
    names of our own, and then each value must be among the figures told, whatever these are called.
    A truth without anything says that refusing is what is right.
    """

    text: str
    truth: Truth
    named: bool = True


def tables(folder: Path) -> dict[str, Path]:
    """Every table as a file of `folder`; those whose source is not there are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Path] = {}
    made = {**_public(), "passengers": _passengers(), "staff": _staff()}
    for name, frame in made.items():
        path = folder / f"{name}.csv"
        frame.to_csv(path, index=False)
        found[name] = path
    return found


def _public() -> dict[str, pd.DataFrame]:
    import statsmodels.api as sm

    found: dict[str, pd.DataFrame] = {}
    for name, where in _FILES.items():
        if (_ROOT / where).exists():
            found[name] = pd.read_csv(_ROOT / where)
    cars = _ROOT / "causal" / "auto-mpg.data.mixed.max.3.categories.txt"
    if cars.exists():
        found["autompg"] = pd.read_csv(cars, sep="\t")
    found["fair"] = sm.datasets.fair.load_pandas().data
    found["statecrime"] = sm.datasets.statecrime.load_pandas().data.reset_index()
    return found


def _passengers() -> pd.DataFrame:
    """A ship's passengers, some without an age or cabin; fares lean far to the right."""
    rng = np.random.default_rng(11)
    n = 620
    sex = rng.choice(["male", "female"], n, p=[0.62, 0.38])
    pclass = rng.choice([1, 2, 3], n, p=[0.24, 0.22, 0.54])
    age = np.clip(rng.normal(36 - 4 * pclass / 2, 13, n), 0.5, 79).round(1)
    age[rng.random(n) < 0.18] = np.nan
    fare = np.round(np.exp(rng.normal(4.3 - 0.75 * pclass, 0.6, n)), 4)
    fare[rng.random(n) < 0.02] = 0.0
    odds = 1 / (1 + np.exp(-(1.6 * (sex == "female") - 0.6 * (pclass - 2) - 0.7)))
    cabin = [f"{'ABCDE'[int(rng.integers(5))]}{int(rng.integers(1, 120))}" for _ in range(n)]
    return pd.DataFrame(
        {
            "PassengerId": np.arange(1, n + 1),
            "Survived": (rng.random(n) < odds).astype(int),
            "Pclass": pclass,
            "Sex": sex,
            "Age": age,
            "SibSp": rng.poisson(0.5, n),
            "Parch": rng.poisson(0.4, n),
            "Fare": fare,
            "Cabin": [c if rng.random() < 0.23 else None for c in cabin],
            "Embarked": [
                ("S", "C", "Q", None)[k] for k in rng.choice(4, n, p=[0.7, 0.19, 0.09, 0.02])
            ],
        }
    )


def _staff() -> pd.DataFrame:
    """People of a firm, some without a rating."""
    rng = np.random.default_rng(29)
    n = 410
    unit = rng.choice(["Sales", "Support", "Engineering", "Finance"], n, p=[0.32, 0.28, 0.27, 0.13])
    years = np.round(rng.gamma(2.2, 2.6, n), 1)
    base = pd.Series(unit).map(
        {"Sales": 48_000, "Support": 39_000, "Engineering": 66_000, "Finance": 58_000}
    )
    rating = np.round(np.clip(rng.normal(3.4, 0.8, n), 1, 5), 1)
    rating[rng.random(n) < 0.09] = np.nan
    commute = np.round(np.exp(rng.normal(2.4, 0.7, n)), 1)
    return pd.DataFrame(
        {
            "employee_id": np.arange(4_001, 4_001 + n),
            "department": unit,
            "gender": rng.choice(["F", "M"], n, p=[0.47, 0.53]),
            "remote": rng.choice(["Yes", "No"], n, p=[0.38, 0.62]),
            "years_at_company": years,
            "annual_salary": np.round(base + 1_900 * years + rng.normal(0, 7_500, n)).astype(int),
            "bonus": np.round(np.abs(rng.normal(0.06, 0.03, n)) * base).astype(int),
            "performance_rating": rating,
            "commute_km": commute,
        }
    )
