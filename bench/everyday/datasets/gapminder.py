"""Countries every five years: people, life expectancy and GDP per head; none adds up over years."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables

_COUNTRIES = {
    "Africa": "Egypt Ghana Kenya Mali Morocco Nigeria Senegal|South Africa|Tunisia Uganda",
    "Americas": "Argentina Bolivia Brazil Canada Chile Cuba Mexico Peru|United States|Uruguay",
    "Asia": "China India Indonesia Iran Japan|Korea, Rep.|Nepal Thailand Vietnam",
    "Europe": "Austria Denmark France Germany Greece Italy Norway Poland Spain|United Kingdom",
    "Oceania": "Australia|New Zealand",
}
_PEOPLE = {  # the logarithm of how many live there in 1960, where it is far from that of others
    20.1: ["China", "India"],
    18.6: ["United States", "Indonesia", "Japan", "Brazil", "Germany"],
    14.8: ["Uruguay", "New Zealand", "Norway", "Denmark"],
}
_LEVEL = {"Africa": 46.0, "Americas": 58.0, "Asia": 54.0, "Europe": 67.0, "Oceania": 70.0}


def _names(text: str) -> list[str]:
    parts = text.split("|")
    return [name for part in parts for name in ([part] if part in _TWO_WORDS else part.split())]


_TWO_WORDS = {"South Africa", "United States", "Korea, Rep.", "United Kingdom", "New Zealand"}


def _make(random: Random) -> Tables:
    years = np.arange(1960, 2021, 5)
    rows = []
    for continent, text in _COUNTRIES.items():
        for country in _names(text):
            start = _LEVEL[continent] + random.normal(0, 3.5)
            gain = random.uniform(0.12, 0.42) * (84 - start) / 30
            size = next((size for size, names in _PEOPLE.items() if country in names), 16.8)
            people = float(np.exp(random.normal(size, 0.3)))
            growth = random.uniform(0.003, 0.028)
            wealth = float(np.exp((start - 40) / 11 + 6.3 + random.normal(0, 0.35)))
            rise = random.uniform(-0.002, 0.042)
            for place, year in enumerate(years):
                life = start + gain * (year - 1960) + random.normal(0, 0.7)
                if country in ("Uganda", "South Africa") and 1990 <= year <= 2005:
                    life -= 6
                rows.append(
                    (
                        country,
                        continent,
                        int(year),
                        round(life, 2),
                        int(people * (1 + growth) ** (5 * place)),
                        round(wealth * (1 + rise) ** (5 * place) * (1 + random.normal(0, 0.04)), 2),
                    )
                )
    columns = ["country", "continent", "year", "lifeExp", "pop", "gdpPercap"]
    return {"gapminder": pd.DataFrame(rows, columns=columns)}


DATASET = Dataset("gapminder", _make)
