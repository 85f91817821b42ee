"""Nests that were watched: one row a clutch, with eggs, chicks, and how it ended."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, days, holes

_SPECIES = {
    "Great Tit": 8.2,
    "Blue Tit": 9.6,
    "Pied Flycatcher": 6.1,
    "Nuthatch": 6.9,
    "Redstart": 5.8,
}


def _make(random: Random) -> Tables:
    count = 360
    species = random.choice(list(_SPECIES), count, p=[0.34, 0.3, 0.18, 0.1, 0.08])
    eggs = np.clip(
        np.round(random.normal([_SPECIES[name] for name in species], 1.4)), 2, 13
    ).astype(int)
    fate = random.choice(
        ["fledged", "predated", "abandoned", "flooded"], count, p=[0.66, 0.2, 0.11, 0.03]
    )
    hatched = np.where(random.random(count) < 0.15, 0, random.binomial(eggs, 0.86))
    fate = np.where((hatched == 0) & (fate == "fledged"), "abandoned", fate)
    fledged = np.where(fate == "fledged", random.binomial(hatched, 0.9), 0)
    year = random.integers(2021, 2025, count)
    found = pd.to_datetime([f"{when}-04-10" for when in year]) + pd.to_timedelta(
        random.integers(0, 60, count), unit="D"
    )
    return {
        "nests": pd.DataFrame(
            {
                "NestID": [f"NB{number:04d}" for number in range(1, count + 1)],
                "Species": [name.lower() if random.random() < 0.03 else name for name in species],
                "Site": random.choice(["Oak Wood", "Mill Stream", "Long Meadow", "Quarry"], count),
                "FoundDate": found,
                "ClutchSize": eggs,
                "Hatched": hatched,
                "Fledged": fledged,
                "Completed": random.random(count) < 0.83,
                "Fate": fate,
                "NestHeight_cm": holes(
                    random, random.normal(210, 60, count).round().astype(int), 0.05
                ),
            }
        ),
        "checks": pd.DataFrame(
            {
                "NestID": [f"NB{number:04d}" for number in random.integers(1, 331, 900)],
                "CheckDate": random.choice(days("2021-04-15", 1_200), 900),
                "Observer": random.choice(["RW", "TM", "KL", "JS"], 900, p=[0.4, 0.3, 0.2, 0.1]),
            }
        ),
    }


DATASET = Dataset("nests", _make)
