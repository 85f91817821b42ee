"""Cars of the seventies: `name` begins with the make, `origin` is where the make comes from."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, holes

_MAKES = {
    "USA": ["ford", "chevrolet", "plymouth", "dodge", "buick"],
    "Europe": ["volkswagen", "fiat", "peugeot", "volvo"],
    "Japan": ["toyota", "datsun", "honda", "mazda"],
}
_MODELS = "comet rapide lark 1200 620 sport wagon gt civic-like pinto-like custom deluxe".split()


def _make(random: Random) -> Tables:
    count = 390
    origin = random.choice(list(_MAKES), count, p=[0.6, 0.18, 0.22])
    home = origin == "USA"
    cylinders = np.where(
        home,
        random.choice([4, 6, 8], count, p=[0.3, 0.3, 0.4]),
        random.choice([4, 6], count, p=[0.93, 0.07]),
    )
    year = random.integers(70, 83, count)
    weight = np.round(1150 + cylinders * 330 + random.normal(0, 240, count)).astype(int)
    power = np.round(18 + cylinders * 14.5 + random.normal(0, 13, count)).astype(int)
    mpg = 47 - weight * 0.0078 + (year - 76) * 0.75 + random.normal(0, 2.2, count)
    names = [
        f"{random.choice(_MAKES[place])} {random.choice(_MODELS).replace('-like', '')}"
        for place in origin
    ]
    return {
        "cars": pd.DataFrame(
            {
                "name": names,
                "mpg": np.clip(mpg, 8.5, 48).round(1),
                "cylinders": cylinders,
                "displacement": np.round(cylinders * 38 + random.normal(-20, 22, count)).astype(
                    int
                ),
                "horsepower": holes(random, power, 0.02),
                "weight": weight,
                "acceleration": np.round(24 - power * 0.075 + random.normal(0, 1.4, count), 1),
                "model_year": year,
                "origin": origin,
            }
        )
    }


DATASET = Dataset("cars", _make, missing={"cars.horsepower": "?"})
