"""What customers answered: whole questions as headers, Likert texts, flags of 0 and 1, bands."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, holes

_LIKERT = ["Very dissatisfied", "Dissatisfied", "Neutral", "Satisfied", "Very satisfied"]
_AGES = ["18-24", "25-34", "35-49", "50-64", "65+"]


def _make(random: Random) -> Tables:
    count = 640
    mood = random.normal(3.4, 1.1, count)
    satisfied = np.clip(np.round(mood), 1, 5).astype(int) - 1
    again = np.clip(np.round(mood * 1.9 + random.normal(0, 1.4, count)), 0, 10).astype(int)
    remote = (random.random(count) < 0.37).astype(int)
    region = random.choice(["North", "South", "East", "West"], count, p=[0.3, 0.27, 0.23, 0.2])
    return {
        "survey": pd.DataFrame(
            {
                "Respondent": np.arange(1, count + 1),
                "Age Group": random.choice(_AGES, count, p=[0.14, 0.25, 0.28, 0.21, 0.12]),
                "Gender": holes(
                    random,
                    random.choice(["Woman", "Man", "Other"], count, p=[0.5, 0.47, 0.03]),
                    0.03,
                ),
                "Region": [f"{name} " if random.random() < 0.04 else name for name in region],
                "How satisfied are you with our service?": holes(
                    random, np.array(_LIKERT)[satisfied], 0.05
                ),
                "How likely are you to recommend us? (0-10)": holes(random, again, 0.04),
                "owns_car": (random.random(count) < 0.61).astype(int),
                "owns_bike": (random.random(count) < 0.48).astype(int),
                "works_remotely": remote,
                "Commute (min)": holes(
                    random,
                    np.round(random.gamma(3, 11, count) * (1 - 0.5 * remote)).astype(int),
                    0.05,
                ),
                "Household Income": random.choice(
                    ["<30k", "30-60k", "60-100k", ">100k"], count, p=[0.2, 0.38, 0.29, 0.13]
                ),
            }
        )
    }


DATASET = Dataset("survey", _make)
