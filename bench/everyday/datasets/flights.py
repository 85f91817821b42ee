"""A year of departures from three airports, with airlines, airports and planes; gaps are "NA".

Times: `year`, `month`, `day` are local, `time_hour` is UTC, so the two differ late in the evening.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, holes

_AIRLINES = {
    "GP": "Great Plains Airways",
    "LS": "Lakeshore Air",
    "NX": "Northern Express Inc.",
    "BH": "Blue Heron Airlines Co.",
    "SK": "Skylark Regional",
    "ZE": "Zephyr Jet",
}
_AIRPORTS = {  # name, altitude in feet, miles from the region
    "ORD": ("Chicago O Hare Intl", 668, 0),
    "MDW": ("Chicago Midway Intl", 620, 0),
    "MKE": ("General Mitchell Intl", 723, 0),
    "LAX": ("Los Angeles Intl", 126, 1745),
    "DEN": ("Denver Intl", 5431, 890),
    "ATL": ("Hartsfield Jackson Atlanta Intl", 1026, 606),
    "BOS": ("General Edward Lawrence Logan Intl", 19, 867),
    "SEA": ("Seattle Tacoma Intl", 433, 1721),
    "MIA": ("Miami Intl", 8, 1197),
    "MSP": ("Minneapolis St Paul Intl", 841, 334),
    "DCA": ("Ronald Reagan Washington Natl", 15, 612),
    "HNL": ("Honolulu Intl", 13, 4243),
    "DTW": ("Detroit Metro Wayne County", 645, 235),
    "PHX": ("Phoenix Sky Harbor Intl", 1135, 1440),
}
_AWAY = [*list(_AIRPORTS)[3:], "SJU"]  # SJU is flown to and not among the airports


def _planes(random: Random) -> pd.DataFrame:
    count = 260
    maker = random.choice(
        ["BOEING", "AIRBUS", "EMBRAER", "CESSNA"], count, p=[0.4, 0.33, 0.24, 0.03]
    )
    seats = {"BOEING": 172, "AIRBUS": 182, "EMBRAER": 76, "CESSNA": 8}
    return pd.DataFrame(
        {
            "tailnum": [f"N{number}{'ABCDE'[number % 5]}" for number in range(101, 101 + count)],
            "year": holes(random, random.integers(1988, 2022, count), 0.04),
            "manufacturer": maker,
            "model": [f"{make[:1]}{random.integers(2, 9)}00" for make in maker],
            "engines": np.where(maker == "CESSNA", 1, 2),
            "seats": [seats[make] for make in maker],
        }
    )


def _flights(random: Random, count: int, tails: pd.Series[str]) -> pd.DataFrame:
    origin = random.choice(["ORD", "MDW", "MKE"], count, p=[0.55, 0.3, 0.15])
    weights = np.linspace(3, 1, len(_AWAY))
    dest = random.choice(_AWAY, count, p=weights / weights.sum())
    carrier = random.choice(list(_AIRLINES), count, p=[0.3, 0.22, 0.18, 0.14, 0.1, 0.06])
    date = pd.Timestamp("2023-01-01") + pd.to_timedelta(random.integers(0, 365, count), unit="D")
    hour = random.integers(5, 23, count)
    minute = random.integers(0, 12, count) * 5
    late = {name: 4 + 3 * place for place, name in enumerate(_AIRLINES)}
    delay = np.array([late[name] for name in carrier]) + random.gamma(0.8, 22, count) - 12
    delay = np.round(delay + (date.month.isin([6, 7, 12])) * 7 + (hour - 12) * 0.6)
    offset = {"ORD": 0, "MDW": 7, "MKE": -31}
    distance = [
        _AIRPORTS.get(to, ("", 0, 2072))[2] + offset[at]
        for to, at in zip(dest, origin, strict=True)
    ]
    departed = (hour * 60 + minute + delay).astype(int) % 1440
    cancelled = random.random(count) < 0.02 + 0.02 * (date.month == 2)
    flown = pd.Series(~cancelled)
    air = np.round(np.array(distance) / 7.6 + 18 + random.normal(0, 6, count))
    local = date + pd.to_timedelta(hour, unit="h")
    return pd.DataFrame(
        {
            "year": date.year,
            "month": date.month,
            "day": date.day,
            "dep_time": pd.Series(departed // 60 * 100 + departed % 60)
            .astype("Int64")
            .where(flown),
            "sched_dep_time": hour * 100 + minute,
            "dep_delay": pd.Series(delay).astype("Int64").where(flown),
            "arr_delay": pd.Series(np.round(delay + random.normal(-4, 11, count)))
            .astype("Int64")
            .where(flown),
            "carrier": carrier,
            "flight": random.integers(100, 2600, count),
            "tailnum": pd.Series(random.choice(tails, count)).where(
                pd.Series(random.random(count) > 0.01)
            ),
            "origin": origin,
            "dest": dest,
            "air_time": pd.Series(air).astype("Int64").where(flown),
            "distance": distance,
            "time_hour": local + pd.Timedelta(hours=6),
        }
    ).sort_values(["month", "day", "sched_dep_time", "carrier", "flight"], ignore_index=True)


def _make(random: Random) -> Tables:
    planes = _planes(random)
    flights = _flights(random, 12_000, planes["tailnum"])
    airports = pd.DataFrame(
        [(code, name, alt) for code, (name, alt, _) in _AIRPORTS.items()],
        columns=["faa", "name", "alt"],
    )
    airlines = pd.DataFrame(_AIRLINES.items(), columns=["carrier", "name"])
    return {"flights": flights, "airports": airports, "airlines": airlines, "planes": planes}


_GAPS = ("dep_time", "dep_delay", "arr_delay", "tailnum", "air_time")
DATASET = Dataset("flights", _make, missing={f"flights.{column}": "NA" for column in _GAPS})
