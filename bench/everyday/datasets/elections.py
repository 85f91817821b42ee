"""Votes by candidate and district in two elections, and how many could have voted."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables

_PARTIES = {"Green": 0.18, "Labor": 0.33, "Conservative": 0.34, "Liberal": 0.15}
_STATES = {"Northmark": 6, "Eastvale": 5, "Westhaven": 7, "Southmoor": 4}
_FIRST = "Ann Bob Cleo Dirk Ella Fred Gwen Hans Inga Jack Kora Leif Mara Nick Ona Phil".split()
_LAST = "Archer Bell Cross Doyle Ellis Flynn Gale Hunt Innes Judd Knox Lowe Marsh North".split()


def _make(random: Random) -> Tables:
    votes: list[tuple[object, ...]] = []
    turnout: list[tuple[object, ...]] = []
    number = 0
    for state, count in _STATES.items():
        lean = random.normal(0, 0.25, len(_PARTIES))
        for place in range(1, count + 1):
            number += 1
            district = f"{number:02d}"
            home = random.normal(0, 0.22, len(_PARTIES))
            size = int(random.normal(71_000, 13_000))
            for year, swing in ((2020, 0.0), (2024, 0.12)):
                cast = int(
                    size * np.clip(random.normal(0.64 + (year == 2024) * 0.03, 0.04), 0.4, 0.9)
                )
                spoiled = int(cast * random.uniform(0.004, 0.012))
                pull = np.log(list(_PARTIES.values())) + lean + home + random.normal(0, 0.1, 4)
                pull[0] += swing
                parts = random.multinomial(cast - spoiled, np.exp(pull) / np.exp(pull).sum())
                for party, got in zip(_PARTIES, parts, strict=True):
                    name = f"{random.choice(_FIRST)} {random.choice(_LAST)}"
                    votes.append((year, state, district, name, party, int(got)))
                if random.random() < 0.3:
                    votes.append(
                        (
                            year,
                            state,
                            district,
                            f"{_FIRST[place]} {_LAST[place]}",
                            None,
                            int(random.integers(150, 900)),
                        )
                    )
                    cast += int(str(votes[-1][5]))
                turnout.append((year, state, district, size + (year == 2024) * 900, cast))
    return {
        "results": pd.DataFrame(
            votes, columns=["Year", "State", "District", "Candidate", "Party", "Votes"]
        ),
        "turnout": pd.DataFrame(
            turnout, columns=["Year", "State", "District", "RegisteredVoters", "BallotsCast"]
        ),
    }


DATASET = Dataset("elections", _make)
