"""Stays in a hospital. Patient numbers begin with zeros; who is still in has no discharge date."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, days, holes

_WARDS = {
    "Cardiology": ["Heart failure", "Arrhythmia", "Chest pain"],
    "Orthopedics": ["Hip fracture", "Knee replacement", "Back pain"],
    "Pulmonology": ["Pneumonia", "COPD", "Asthma"],
    "Neurology": ["Stroke", "Migraine", "Epilepsy"],
    "Pediatrics": ["Asthma", "Appendicitis", "Fever"],
}


def _make(random: Random) -> Tables:
    people = 380
    numbers = [
        f"{number:06d}" for number in random.choice(np.arange(120, 90_000), people, replace=False)
    ]
    age = random.integers(18, 96, people)
    patients = pd.DataFrame(
        {
            "PatientNo": numbers,
            "Sex": random.choice(["F", "M"], people, p=[0.53, 0.47]),
            "Age": age,
            "Smoker": random.choice(["Yes", "No"], people, p=[0.24, 0.76]),
            "ZipCode": [
                f"{code:05d}" for code in random.choice([501, 1040, 1201, 2139, 10001], people)
            ],
            "Weight (kg)": holes(random, np.round(random.normal(77, 15, people), 1), 0.04),
            "Height (cm)": random.normal(170, 9, people).round().astype(int),
        }
    )
    count = 1_100
    who = random.integers(0, people, count)
    ward = random.choice(list(_WARDS), count, p=[0.28, 0.24, 0.2, 0.18, 0.1])
    admitted = pd.Series(random.choice(days("2024-01-01", 366), count))
    stay = np.round(random.gamma(2.0, 2.4, count) + (age[who] > 70) * 1.6).astype(int)
    left = admitted + pd.to_timedelta(stay, unit="D")
    left = left.mask((left > pd.Timestamp("2024-12-31")) | (random.random(count) < 0.005))
    diagnosis = [str(random.choice(_WARDS[name])) for name in ward]
    visits = pd.DataFrame(
        {
            "VisitID": np.arange(70_001, 70_001 + count),
            "PatientNo": np.array(numbers)[who],
            "Ward": ward,
            "Diagnosis": [name.lower() if random.random() < 0.05 else name for name in diagnosis],
            "AdmissionDate": admitted,
            "DischargeDate": left,
            "Emergency": random.choice(["Y", "N"], count, p=[0.42, 0.58]),
            "Readmitted": (random.random(count) < 0.11).astype(int),
            "Cost (EUR)": np.round(900 + stay * random.normal(640, 120, count), 2),
        }
    ).sort_values("AdmissionDate", ignore_index=True)
    return {"patients": patients, "visits": visits}


DATASET = Dataset("hospital", _make)
