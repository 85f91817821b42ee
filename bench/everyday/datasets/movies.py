"""Films with money, ratings of two kinds and several genres in one cell, joined by |."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, days, holes

_HEADS = "Love,Midnight,Winter,The Last,Return of the,Silent,Broken,Summer,A Distant,Golden".split(
    ","
)
_TAILS = "Harbor,Love,Station,Robot,Wedding,Empire,Letters,Detective,Orchard,Signal,Monster".split(
    ","
)
_GENRES = [
    "Action",
    "Comedy",
    "Drama",
    "Horror",
    "Romance",
    "Science Fiction",
    "Thriller",
    "Animation",
]
_DIRECTORS = (
    "Ines Calder,Tom Abara,Yuki Sandoval,Petra Lindqvist,Omar Haddad,Greta Novak,Sam Okoro,"
    "Lena Fiore,Viktor Lund,Priya Raman,Jack Whitlow,Mei Tanaka"
).split(",")


def _titles(random: Random, count: int) -> list[str]:
    titles: list[str] = []
    seen: dict[str, int] = {}
    for _ in range(count):
        title = f"{random.choice(_HEADS)} {random.choice(_TAILS)}"
        seen[title] = seen.get(title, 0) + 1
        titles.append(title if seen[title] == 1 else f"{title} {seen[title]}")
    return titles


def _make(random: Random) -> Tables:
    count = 420
    budget = np.round(np.exp(random.normal(17, 1.1, count)), -5)
    stars = np.clip(random.normal(6.37, 1.14, count), 1.6, 9.9).round(1)
    gross = np.round(budget * np.exp(random.normal(0.5, 0.9, count) + (stars - 6.4) * 0.15))
    genres = [
        "|".join(
            sorted(
                str(name) for name in random.choice(_GENRES, random.integers(1, 4), replace=False)
            )
        )
        for _ in range(count)
    ]
    return {
        "movies": pd.DataFrame(
            {
                "Title": _titles(random, count),
                "Release Date": random.choice(days("1990-01-05", 12_400), count),
                "MPAA Rating": holes(
                    random,
                    random.choice(["G", "PG", "PG-13", "R"], count, p=[0.08, 0.2, 0.38, 0.34]),
                    0.05,
                ),
                "Genres": genres,
                "Budget ($)": holes(random, budget.astype(int), 0.03),
                "Worldwide Gross ($)": holes(random, gross.astype(int), 0.02),
                "Running Time (min)": np.clip(random.normal(108, 17, count), 71, 201)
                .round()
                .astype(int),
                "IMDB Rating": stars,
                "IMDB Votes": np.round(np.exp(random.normal(9.5, 1.3, count))).astype(int),
                "Director": random.choice(_DIRECTORS, count),
            }
        )
    }


DATASET = Dataset("movies", _make)
