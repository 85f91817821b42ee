"""Players, their batting by season and their teams, under the short column names of the sport."""

from __future__ import annotations

import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, holes

_TEAMS = {
    "HAR": ("Harbor City Gulls", "EL"),
    "RVR": ("River Falls Mudcats", "EL"),
    "CAP": ("Capital Senators", "EL"),
    "BAY": ("Bay Area Pilots", "EL"),
    "DES": ("Desert Scorpions", "WL"),
    "MTN": ("Mountain View Rams", "WL"),
    "PRA": ("Prairie Dogs", "WL"),
    "ISL": ("Island Sharks", "WL"),
}
_FIRST = (
    "Abe Bo Carl Dan Eli Frank Gus Hank Ike Joe Ken Lou Max Ned Otis Pete Ray Sid Ty Walt".split()
)
_LAST = (
    "Alder Brock Crane Dunn Estes Ford Gomez Hart Irwin Jansen Kemp Lopez Moss Nunez Ortiz Pruitt "
    "Quill Rios Soto Tate Ulrich Vega Wynn Yates Zamora"
).split()


def _people(random: Random, count: int) -> pd.DataFrame:
    first = random.choice(_FIRST, count)
    last = random.choice(_LAST, count)
    return pd.DataFrame(
        {
            "playerID": [
                f"{family[:5].lower()}{name[:2].lower()}{place:02d}"
                for place, (name, family) in enumerate(zip(first, last, strict=True), 1)
            ],
            "nameFirst": first,
            "nameLast": last,
            "birthYear": holes(random, random.integers(1972, 1998, count), 0.03),
            "weight": random.normal(198, 19, count).round().astype(int),
            "height": random.normal(73, 2.3, count).round().astype(int),
            "bats": random.choice(["L", "R", "B"], count, p=[0.3, 0.6, 0.1]),
            "throws": random.choice(["L", "R"], count, p=[0.2, 0.8]),
        }
    )


def _make(random: Random) -> Tables:
    people = _people(random, 96)
    batting: list[dict[str, object]] = []
    for place, player in enumerate(people["playerID"]):
        power, speed = random.uniform(0.01, 0.07), random.uniform(0, 0.3)
        team = list(_TEAMS)[place % 8]
        first = int(random.integers(2008, 2016))
        for year in range(first, first + int(random.integers(2, 8))):
            if random.random() < 0.12:
                team = str(random.choice(list(_TEAMS)))
            games = int(random.integers(30, 160))
            at_bats = int(games * random.uniform(2.2, 4))
            hits = int(at_bats * random.normal(0.262, 0.03))
            homers = int(at_bats * power * random.uniform(0.6, 1.3))
            batting.append(
                {
                    "playerID": player,
                    "yearID": year,
                    "teamID": team,
                    "lgID": _TEAMS[team][1],
                    "G": games,
                    "AB": at_bats,
                    "R": int(hits * 0.45 + homers * 0.4),
                    "H": hits,
                    "2B": int(hits * 0.2),
                    "HR": min(homers, hits),
                    "RBI": int(hits * 0.35 + homers * 1.3),
                    "SB": int(games * speed * random.uniform(0.5, 1.2)),
                    "BB": int(at_bats * random.uniform(0.04, 0.14)),
                    "SO": int(at_bats * random.uniform(0.12, 0.28)),
                }
            )
    teams = [
        (year, league, code, name, wins, 150 - wins, int(random.normal(1_900_000, 420_000)))
        for year in range(2008, 2023)
        for code, (name, league) in _TEAMS.items()
        for wins in [int(random.normal(75, 11))]
    ]
    return {
        "People": people,
        "Batting": pd.DataFrame(batting),
        "Teams": pd.DataFrame(
            teams, columns=["yearID", "lgID", "teamID", "name", "W", "L", "attendance"]
        ),
    }


DATASET = Dataset("baseball", _make)
