"""All datasets of the everyday set, by name."""

from __future__ import annotations

from bench.everyday.datasets import (
    bank,
    baseball,
    cars,
    diamonds,
    elections,
    energy,
    flights,
    gapminder,
    hospital,
    movies,
    nests,
    payroll,
    penguins,
    races,
    school,
    shop,
    stocks,
    survey,
    tickets,
    weather,
)
from bench.everyday.making import Dataset

DATASETS: dict[str, Dataset] = {
    module.DATASET.name: module.DATASET
    for module in (
        bank,
        baseball,
        cars,
        diamonds,
        elections,
        energy,
        flights,
        gapminder,
        hospital,
        movies,
        nests,
        payroll,
        penguins,
        races,
        school,
        shop,
        stocks,
        survey,
        tickets,
        weather,
    )
}
