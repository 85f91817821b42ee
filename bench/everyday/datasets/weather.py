"""A year of daily weather at six stations, in Fahrenheit, inches and miles as the headers say."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, days, holes

_STATIONS = {  # city, state, feet above the sea, mean and swing of the day's highest in °F
    "PDX01": ("Portland", "Oregon", 39, 63, 18),
    "PHX02": ("Phoenix", "Arizona", 1086, 87, 21),
    "MSP03": ("Minneapolis", "Minnesota", 830, 55, 32),
    "MIA04": ("Miami", "Florida", 7, 84, 7),
    "DEN05": ("Denver", "Colorado", 5280, 65, 23),
    "BOS06": ("Boston", "Massachusetts", 19, 59, 24),
}
_WET = {"PDX01": 0.42, "PHX02": 0.08, "MSP03": 0.3, "MIA04": 0.38, "DEN05": 0.2, "BOS06": 0.34}


def _make(random: Random) -> Tables:
    dates = days("2024-01-01", 366)
    season = -np.cos((np.asarray(dates.day_of_year) - 18) / 366 * 2 * np.pi)
    tables = []
    for station, (_, _, _, mean, swing) in _STATIONS.items():
        high = mean + swing * season + random.normal(0, 6, len(dates))
        low = high - random.gamma(9, 2, len(dates))
        wet = random.random(len(dates)) < _WET[station]
        tables.append(
            pd.DataFrame(
                {
                    "station": station,
                    "date": dates,
                    "Max Temp (F)": holes(random, high.round(1), 0.01),
                    "Min Temp (F)": low.round(1),
                    "Rain (in)": np.where(wet, random.gamma(0.8, 0.42, len(dates)) + 0.01, 0).round(
                        2
                    ),
                    "Wind (mph)": random.gamma(4, 2.3, len(dates)).round(1),
                }
            )
        )
    stations = [(code, *facts[:3]) for code, facts in _STATIONS.items()]
    return {
        "daily": pd.concat(tables, ignore_index=True),
        "stations": pd.DataFrame(stations, columns=["station", "city", "state", "elevation_ft"]),
    }


DATASET = Dataset("weather", _make)
