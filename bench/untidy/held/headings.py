"""Headings: titles above, groups above names, lines of units and of wordings, no names at all."""

from __future__ import annotations

from random import Random
from statistics import mean
from typing import Any

from bench.untidy.held.making import HEADS, book, text
from bench.untidy.inputs import Asked, Input, groups, summed, table, value


def headings() -> list[Input]:
    """The inputs of this kind."""
    return [_titles(), _groups(), _units(), _inset(), _wordings(), _nameless()]


def _titles() -> Input:
    dice = Random(1)
    kinds = ("Grundschule", "Gymnasium", "Realschule", "Gesamtschule")
    rows = [
        (f"Schule {n}", kinds[n % 4], dice.randint(80, 900), dice.randint(5, 70))
        for n in range(120)
    ]
    above = "Schulstatistik 2023;;;\nQuelle: Landesamt;;;\n;;;\n"
    body = table(("Schule", "Schulart", "Schüler", "Lehrkräfte"), rows, ";").decode()
    return Input(
        "headings",
        "titles",
        (
            Asked("total Schüler by Schulart", (groups(summed(rows, 1, 2)),), HEADS),
            Asked("how many Schulen are there?", (value(120),), HEADS),
            Asked("average Lehrkräfte", (value(mean(r[3] for r in rows)),), HEADS),
        ),
        {"schulen.csv": (above + body).encode()},
    )


def _groups() -> Input:
    dice = Random(2)
    rows: list[list[Any]] = [
        [
            f"P{n:03}",
            "MF"[n % 2],
            *(round(dice.uniform(60, 99), 1) for _ in range(2)),
            *(dice.randint(100, 150) for _ in range(2)),
        ]
        for n in range(60)
    ]
    heads: list[list[Any]] = [
        [None, None, "Baseline", None, "Week 12", None],
        ["Patient", "Sex", "Weight", "Pulse", "Weight", "Pulse"],
    ]
    for row in rows:
        row[3], row[4] = row[4], row[3]
    by_sex = {sex: mean(r[4] for r in rows if r[1] == sex) for sex in "MF"}
    return Input(
        "headings",
        "groups of columns",
        (
            Asked("average week 12 weight", (value(mean(r[4] for r in rows)),), HEADS),
            Asked("average week 12 weight by sex", (groups(by_sex),), HEADS),
            Asked("highest baseline pulse", (value(max(r[3] for r in rows)),), HEADS),
        ),
        {"trial.xlsx": book({"Visits": [*heads, *rows]}, ("C1:D1", "E1:F1"))},
    )


def _units() -> Input:
    dice = Random(3)
    rows = [
        (
            f"T{n}",
            ("oak", "beech", "pine")[n % 3],
            round(dice.uniform(4, 35), 1),
            dice.randint(10, 90),
        )
        for n in range(200)
    ]
    kinds = {k: mean(r[2] for r in rows if r[1] == k) for k in ("oak", "beech", "pine")}
    return Input(
        "headings",
        "a line of units",
        (
            Asked("average height by species", (groups(kinds),), HEADS),
            Asked("how many trees are there?", (value(200),), HEADS),
            Asked("largest girth", (value(max(r[3] for r in rows)),), HEADS),
        ),
        {
            "trees.tsv": table(
                ("tree", "species", "height", "girth"), [("", "", "m", "cm"), *rows], "\t"
            )
        },
    )


def _inset() -> Input:
    dice = Random(4)
    rows: list[list[Any]] = [
        [None, f"A-{n}", ("Nord", "Ost", "West")[n % 3], dice.randint(0, 400)] for n in range(45)
    ]
    above: list[list[Any]] = [
        [None] * 4,
        [None, "Bestandsliste", None, None],
        [None, "Stand: 31.12.2024", None, None],
        [None] * 4,
        [None, "Artikel", "Lager", "Menge"],
    ]
    return Input(
        "headings",
        "a table set in",
        (
            Asked("total Menge by Lager", (groups(summed(rows, 2, 3)),), HEADS),
            Asked("how many Artikel are there?", (value(45),), HEADS),
        ),
        {"bestand.xlsx": book({"Liste": [*above, *rows]})},
    )


def _wordings() -> Input:
    dice = Random(5)
    rows = [
        (f"R_{n}", dice.randint(18, 80), dice.randint(1, 7), ("Yes", "No")[n % 2])
        for n in range(150)
    ]
    texts = ("Response ID", "What is your age?", "How satisfied are you?", "Would you come again?")
    keys = ('{"ImportId":"_id"}', '{"ImportId":"Q1"}', '{"ImportId":"Q2"}', '{"ImportId":"Q3"}')
    return Input(
        "headings",
        "a survey's wordings",
        (
            Asked("average Q2", (value(mean(r[2] for r in rows)),), HEADS),
            Asked("how many responses are there?", (value(150),), HEADS),
            Asked("number of responses by Q3", (groups({"Yes": 75, "No": 75}),), HEADS),
        ),
        {"survey.csv": table(("ResponseId", "Q1", "Q2", "Q3"), [texts, keys, *rows])},
    )


def _nameless() -> Input:
    dice = Random(6)
    towns = ("Porto", "Faro", "Braga", "Évora", "Lisboa")
    rows = [(towns[n % 5], dice.randint(1, 90), round(dice.uniform(1, 9), 2)) for n in range(300)]
    return Input(
        "headings",
        "none",
        (
            Asked("how many rows are there?", (value(300),), HEADS),
            Asked("average of column 2", (value(mean(r[1] for r in rows)),), HEADS),
        ),
        {"leituras.csv": text(";".join(map(str, r)) for r in rows)},
    )
