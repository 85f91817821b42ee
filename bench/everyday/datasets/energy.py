"""Hourly readings of electricity meters (kWh in the hour) and the buildings they hang in."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, holes

_METERS = [
    ("M001", "Town Hall", "office", 4200, 41.0),
    ("M002", "North School", "school", 6100, 52.0),
    ("M003", "Swimming Pool", "leisure", 2900, 88.0),
    ("M004", "Library", "office", 1800, 17.0),
    ("M005", "Depot", "workshop", 3500, 29.0),
    ("M006", "South School", "school", 5200, 44.0),
    ("M007", "Old Mill", "workshop", 900, 0.0),
]


def _make(random: Random) -> Tables:
    hours = pd.date_range("2025-01-01", "2025-03-01", freq="h", inclusive="left")
    open_hours = np.exp(-(((np.asarray(hours.hour) - 13) / 4.5) ** 2))
    weekend = np.where(np.asarray(hours.day_of_week) >= 5, 0.35, 1.0)
    tables = []
    for meter, _, kind, _, level in _METERS[:-1]:
        quiet = 1.0 if kind == "leisure" else weekend
        load = level * (0.35 + 0.9 * open_hours * quiet) * random.lognormal(0, 0.09, len(hours))
        tables.append(
            pd.DataFrame(
                {"meter_id": meter, "ts": hours, "kwh": holes(random, load.round(3), 0.004)}
            )
        )
    columns = ["meter_id", "building", "type", "floor_area_m2"]
    return {
        "readings": pd.concat(tables, ignore_index=True),
        "meters": pd.DataFrame([meter[:4] for meter in _METERS], columns=columns),
    }


DATASET = Dataset("energy", _make)
