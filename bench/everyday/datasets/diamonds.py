"""Cut stones with the natural orders of cut, colour (D is best) and clarity (IF is best)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables

_CUTS = ["Fair", "Good", "Very Good", "Premium", "Ideal"]
_COLORS = list("DEFGHIJ")
_CLARITIES = ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"]


def _make(random: Random) -> Tables:
    count = 3_000
    carat = np.round(np.clip(np.exp(random.normal(-0.4, 0.55, count)), 0.2, 6.0), 2)
    cut = random.choice(5, count, p=[0.03, 0.09, 0.22, 0.26, 0.4])
    color = random.choice(7, count, p=[0.13, 0.18, 0.18, 0.2, 0.15, 0.1, 0.06])
    clarity = random.choice(8, count, p=[0.02, 0.17, 0.24, 0.22, 0.15, 0.1, 0.07, 0.03])
    value = 8.35 + 1.68 * np.log(carat) + 0.03 * cut - 0.08 * color + 0.11 * clarity
    price = np.round(np.exp(value + random.normal(0, 0.12, count)) * 0.7)
    side = 6.5 * carat ** (1 / 3)
    width = np.round(side + random.normal(0, 0.04, count), 2)
    return {
        "diamonds": pd.DataFrame(
            {
                "carat": carat,
                "cut": np.array(_CUTS)[cut],
                "color": np.array(_COLORS)[color],
                "clarity": np.array(_CLARITIES)[clarity],
                "depth": np.round(random.normal(61.7, 1.4, count), 1),
                "table": np.round(random.normal(57.4, 2.1, count)),
                "price": price.astype(int),
                "x": np.where(random.random(count) < 0.002, 0.0, width),
                "y": np.round(width + random.normal(0, 0.02, count), 2),
                "z": np.round(width * 0.617, 2),
            }
        )
    }


DATASET = Dataset("diamonds", _make)
