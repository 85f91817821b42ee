"""Rows that are none: subtotals, headings again, footnotes, rules, group titles, statistics."""

from __future__ import annotations

from random import Random
from statistics import mean, stdev
from typing import Any

from bench.untidy.held.making import NONE, book, text
from bench.untidy.inputs import Asked, Input, groups, summed, table, value


def rows_that_are_none() -> list[Input]:
    """The inputs of this kind."""
    return [_subtotals(), _again(), _footnotes(), _printed(), _group_titles(), _statistics()]


def _subtotals() -> Input:
    dice = Random(11)
    rows = [
        (f"Pharmacie {c}", f"produit {k}", round(dice.uniform(2, 60), 2))
        for c in "ABCDE"
        for k in range(8)
    ]
    laid: list[tuple[Any, ...]] = []
    for site, whole in summed(rows, 0, 2).items():
        laid += [r for r in rows if r[0] == site]
        laid.append((f"Sous-total {site}", None, round(whole, 2)))
    laid.append(("Total général", None, round(sum(r[2] for r in rows), 2)))
    return Input(
        "rows that are none",
        "sous-totaux",
        (
            Asked("total montant", (value(sum(r[2] for r in rows)),), NONE),
            Asked("average montant", (value(mean(r[2] for r in rows)),), NONE),
            Asked("total montant by pharmacie", (groups(summed(rows, 0, 2)),), NONE),
        ),
        {"ventes.csv": table(("pharmacie", "produit", "montant"), laid, ";", ",")},
    )


def _again() -> Input:
    dice = Random(12)
    heads = ("run", "valve", "pressure")
    rows = [(n, f"v{n % 7}", round(dice.uniform(1, 5), 3)) for n in range(500)]
    laid: list[tuple[Any, ...]] = []
    for n, row in enumerate(rows):
        laid += [heads, row] if n and n % 50 == 0 else [row]
    return Input(
        "rows that are none",
        "headings again",
        (
            Asked("how many runs are there?", (value(500),), NONE),
            Asked("average pressure", (value(mean(r[2] for r in rows)),), NONE),
            Asked(
                "highest pressure by valve",
                (groups({f"v{k}": max(r[2] for r in rows if r[1] == f"v{k}") for k in range(7)}),),
                NONE,
            ),
        ),
        {"pages.tsv": table(heads, laid, "\t")},
    )


def _footnotes() -> Input:
    dice = Random(13)
    rows = [(f"Dorf {n}", dice.randint(100, 900)) for n in range(80)]
    below = "* vorläufig\nQuelle: Ministerium für Landwirtschaft, 2024\n"
    return Input(
        "rows that are none",
        "footnotes",
        (
            Asked("total Ernte", (value(sum(r[1] for r in rows)),), NONE),
            Asked("how many Gemeinden are there?", (value(80),), NONE),
        ),
        {"ernte.csv": table(("Gemeinde", "Ernte"), rows, ";") + below.encode()},
    )


def _printed() -> Input:
    dice = Random(14)
    rows = [(n, ("open", "shut")[n % 2], dice.randint(1, 99)) for n in range(200)]
    laid = [
        " id  | state | amount ",
        "-----+-------+--------",
        *(f" {n:3} | {state:5} | {amount:6} " for n, state, amount in rows),
        "(200 rows)",
    ]
    return Input(
        "rows that are none",
        "printed by a database",
        (
            Asked("how many rows are there?", (value(200),), NONE),
            Asked("total amount by state", (groups(summed(rows, 1, 2)),), NONE),
        ),
        {"accounts.txt": text(laid)},
    )


def _group_titles() -> Input:
    dice = Random(15)
    rows = [
        (zone, f"{zone[:1]}{n}", dice.randint(10, 60))
        for zone in ("North", "South", "Isles")
        for n in range(9)
    ]
    laid: list[list[Any]] = [["Farm", "Sheep"]]
    for zone in ("North", "South", "Isles"):
        laid += [[f"Region: {zone}", None], *([r[1], r[2]] for r in rows if r[0] == zone)]
        laid.append([None, None])
    return Input(
        "rows that are none",
        "titles of groups",
        (
            Asked("how many farms are there?", (value(27),), NONE),
            Asked("total sheep", (value(sum(r[2] for r in rows)),), NONE),
            Asked("total sheep by region", (groups(summed(rows, 0, 2)),), NONE),
        ),
        {"farms.xlsx": book({"Flock": laid})},
    )


def _statistics() -> Input:
    dice = Random(16)
    rows = [(f"well {n:02}", round(dice.uniform(0.1, 1.9), 3)) for n in range(96)]
    read = [r[1] for r in rows]
    laid = [
        *rows,
        ("Mean", round(mean(read), 3)),
        ("StdDev", round(stdev(read), 3)),
        ("Max", max(read)),
    ]
    return Input(
        "rows that are none",
        "statistics below",
        (
            Asked("average absorbance", (value(mean(read)),), NONE),
            Asked("how many samples are there?", (value(96),), NONE),
        ),
        {"plate.csv": table(("sample", "absorbance"), laid)},
    )
