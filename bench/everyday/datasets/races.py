"""Three seasons of a racing series: a low position is good, and who did not finish has none."""

from __future__ import annotations

import pandas as pd

from bench.everyday.making import Dataset, Random, Tables

_POINTS = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1]
_DRIVERS = [
    ("Arlo", "Venn", "British", 1),
    ("Bastian", "Kroll", "German", 1),
    ("Carlos", "Ibarra", "Spanish", 2),
    ("Dmitri", "Orlov", "Finnish", 2),
    ("Enzo", "Ricci", "Italian", 3),
    ("Fabien", "Leclair", "French", 3),
    ("George", "Hadley", "British", 4),
    ("Hiroshi", "Endo", "Japanese", 4),
    ("Igor", "Sala", "Brazilian", 5),
    ("Jasper", "de Wit", "Dutch", 5),
    ("Kimi", "Aalto", "Finnish", 6),
    ("Lance", "Moreno", "Canadian", 6),
]
_TEAMS = ["Silverstone Racing", "Corsa Rossa", "Blue Arrow", "Vortex GP", "Nordlicht", "Kestrel"]
_PLACES = [
    ("Monaco", "Monaco"),
    ("Monza", "Italy"),
    ("Spa", "Belgium"),
    ("Silverstone", "UK"),
    ("Suzuka", "Japan"),
    ("Interlagos", "Brazil"),
    ("Zandvoort", "Netherlands"),
    ("Montreal", "Canada"),
]


def _make(random: Random) -> Tables:
    drivers = pd.DataFrame(
        [
            (
                place,
                first,
                last,
                nation,
                f"{1985 + place * 7 % 18}-{1 + place % 12:02d}-{3 + place:02d}",
                team,
            )
            for place, (first, last, nation, team) in enumerate(_DRIVERS, 1)
        ],
        columns=["driver_id", "forename", "surname", "nationality", "dob", "team_id"],
    )
    drivers["dob"] = pd.to_datetime(drivers["dob"])
    races: list[tuple[object, ...]] = []
    results: list[tuple[object, ...]] = []
    for season in (2022, 2023, 2024):
        for round_, (name, country) in enumerate(_PLACES, 1):
            race = len(races) + 1
            day = pd.Timestamp(f"{season}-03-06") + pd.Timedelta(days=21 * round_)
            races.append((race, season, round_, f"{name} Grand Prix", country, day))
            form = {driver: driver * 0.55 + random.normal(0, 2.6) for driver in range(1, 13)}
            grid = sorted(form, key=lambda driver: form[driver] + random.normal(0, 1.5))
            out = {driver for driver in form if random.random() < 0.12}
            order = [driver for driver in sorted(form, key=form.__getitem__) if driver not in out]
            for driver in form:
                at = order.index(driver) + 1 if driver in order else None
                points = _POINTS[at - 1] if at is not None and at <= 10 else 0
                lap = int(78_000 + form[driver] * 160 + random.normal(0, 400))
                why = "Finished" if at else str(random.choice(["Engine", "Collision", "Gearbox"]))
                results.append((race, driver, grid.index(driver) + 1, at, points, lap, why))
    columns = ["race_id", "driver_id", "grid", "position", "points", "fastest_lap_ms", "status"]
    table = pd.DataFrame(results, columns=columns)
    table["position"] = table["position"].astype("Int64")
    return {
        "teams": pd.DataFrame(enumerate(_TEAMS, 1), columns=["team_id", "team_name"]),
        "drivers": drivers,
        "races": pd.DataFrame(
            races, columns=["race_id", "season", "round", "race_name", "country", "race_date"]
        ),
        "results": table,
    }


DATASET = Dataset(
    "races",
    _make,
    form="sqlite",
    keys={
        "teams": "PRIMARY KEY (team_id)",
        "drivers": "PRIMARY KEY (driver_id), FOREIGN KEY (team_id) REFERENCES teams (team_id)",
        "races": "PRIMARY KEY (race_id)",
        "results": "PRIMARY KEY (race_id, driver_id), "
        "FOREIGN KEY (race_id) REFERENCES races (race_id), "
        "FOREIGN KEY (driver_id) REFERENCES drivers (driver_id)",
    },
)
