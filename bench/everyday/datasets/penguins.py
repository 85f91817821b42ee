"""Penguins weighed and measured on three islands; what was not measured is "NA"."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, holes

_MEANS = {  # bill length, bill depth, flipper in mm, mass in g
    "Adelie": (38.9, 18.3, 190, 3690),
    "Chinstrap": (48.7, 18.4, 196, 3740),
    "Gentoo": (47.4, 15.0, 217, 5070),
}


def _make(random: Random) -> Tables:
    count = 318
    species = random.choice(list(_MEANS), count, p=[0.44, 0.2, 0.36])
    island = [
        {"Gentoo": "Biscoe", "Chinstrap": "Dream"}.get(
            name, str(random.choice(["Torgersen", "Biscoe", "Dream"]))
        )
        for name in species
    ]
    sex = random.choice(["male", "female"], count)
    means = np.array([_MEANS[name] for name in species])
    size = np.where(sex == "male", 1.04, 0.96) + random.normal(0, 0.035, count)
    scale = size[:, None] ** np.array([1, 1, 0.5, 2])
    body = means * scale * (1 + random.normal(0, 0.02, (count, 4)))
    return {
        "penguins": pd.DataFrame(
            {
                "species": species,
                "island": island,
                "bill_length_mm": holes(random, body[:, 0].round(1), 0.01),
                "bill_depth_mm": holes(random, body[:, 1].round(1), 0.01),
                "flipper_length_mm": holes(random, body[:, 2].round().astype(int), 0.01),
                "body_mass_g": holes(random, (body[:, 3] / 25).round().astype(int) * 25, 0.015),
                "sex": holes(random, sex, 0.03),
                "year": random.integers(2019, 2022, count),
            }
        )
    }


_COLUMNS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "sex")
DATASET = Dataset("penguins", _make, missing={f"penguins.{name}": "NA" for name in _COLUMNS})
