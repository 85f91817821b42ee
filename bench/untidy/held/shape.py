"""Shape: folders, partitions, sheets, months side by side, nested objects, tables in one file."""

from __future__ import annotations

import json
from datetime import date, timedelta
from random import Random
from statistics import mean
from typing import Any

from bench.untidy.held.making import PARTS, book, parquet
from bench.untidy.inputs import Asked, Input, groups, summed, table, value

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def shapes() -> list[Input]:
    """The inputs of this kind."""
    return [
        _grown(),
        _partitions(),
        _branches(),
        _side_by_side(),
        _nested(),
        _two_tables(),
        _plan_and_actual(),
    ]


def _grown() -> Input:
    dice = Random(51)
    rows = [(date(2024, 5, 6) + timedelta(n), dice.randint(50, 200), n // 7) for n in range(28)]
    files = {}
    for week in range(4):
        part = [r for r in rows if r[2] == week]
        heads: tuple[str, ...] = ("day", "pallets")
        cells: list[tuple[Any, ...]] = [r[:2] for r in part]
        if week > 1:
            heads, cells = (*heads, "shift"), [(*r[:2], "early") for r in part]
        files[f"2024-W{19 + week}.tsv"] = table(heads, cells, "\t")
    return Input(
        "shape",
        "a column added later",
        (
            Asked("total pallets", (value(sum(r[1] for r in rows)),), PARTS),
            Asked("how many days are there?", (value(28),), PARTS),
            Asked("average pallets", (value(mean(r[1] for r in rows)),), PARTS),
        ),
        files,
        folder=True,
    )


def _partitions() -> Input:
    dice = Random(52)
    rows = [
        (y, m, f"s{n % 6}", dice.randint(1, 9))
        for y in (2023, 2024)
        for m in (1, 2, 3)
        for n in range(100)
    ]
    files = {}
    for year, month in sorted({r[:2] for r in rows}):
        part = [r for r in rows if r[:2] == (year, month)]
        files[f"year={year}/month={month}/part-0.parquet"] = parquet(
            {"sensor": [r[2] for r in part], "alarms": [r[3] for r in part]}
        )
    years = summed(rows, 0, 3)
    return Input(
        "shape",
        "partitions",
        (
            Asked(
                "total alarms by year",
                (groups(years), groups({date(y, 1, 1): of for y, of in years.items()})),
                PARTS,
            ),
            Asked("total alarms", (value(sum(years.values())),), PARTS),
            Asked("total alarms by sensor", (groups(summed(rows, 2, 3)),), PARTS),
        ),
        files,
        folder=True,
    )


def _branches() -> Input:
    dice = Random(53)
    rows = [(b, f"P{n}", dice.randint(1, 50)) for b in ("Nord", "Süd", "Ost") for n in range(20)]
    sheets: dict[str, list[list[Any]]] = {
        branch: [["Produkt", "Stück"], *([p, of] for b, p, of in rows if b == branch)]
        for branch in ("Nord", "Süd", "Ost")
    }
    return Input(
        "shape",
        "a sheet for each branch",
        (
            Asked("total Stück", (value(sum(r[2] for r in rows)),), PARTS),
            Asked("total Stück by Filiale", (groups(summed(rows, 0, 2)),), PARTS),
            Asked("total Stück of P3", (value(sum(r[2] for r in rows if r[1] == "P3")),), PARTS),
        ),
        {"filialen.xlsx": book(sheets)},
    )


def _side_by_side() -> Input:
    dice = Random(54)
    rows: list[tuple[Any, ...]] = [
        (f"Ward {n}", *(dice.randint(10, 90) for _ in _MONTHS)) for n in range(30)
    ]
    whole = {m: sum(r[1 + k] for r in rows) for k, m in enumerate(_MONTHS)}
    best = max(whole, key=lambda m: whole[m])
    return Input(
        "shape",
        "months side by side",
        (
            Asked("total in Mar", (value(whole["Mar"]),), PARTS),
            Asked("total admissions of Ward 7", (value(sum(rows[7][1:])),), PARTS),
            Asked("which month has the most admissions?", (value(best),), PARTS),
        ),
        {"admissions.csv": table(("ward", *_MONTHS), rows)},
    )


def _nested() -> Input:
    dice = Random(55)
    orders: list[dict[str, Any]] = [
        {
            "order": n,
            "customer": {"name": f"c{n % 9}", "city": ("Rome", "Milan")[n % 2]},
            "items": [
                {"sku": f"k{dice.randint(1, 5)}", "qty": dice.randint(1, 4)}
                for _ in range(1 + n % 3)
            ],
        }
        for n in range(48)
    ]
    items = [(i["sku"], i["qty"]) for o in orders for i in o["items"]]
    return Input(
        "shape",
        "orders with their items",
        (
            Asked("number of orders by city", (groups({"Rome": 24, "Milan": 24}),), PARTS),
            Asked("total qty", (value(sum(of for _, of in items)),), PARTS),
            Asked("total qty by sku", (groups(summed(items, 0, 1)),), PARTS),
        ),
        {"orders.json": json.dumps({"made": "2024-02-01", "orders": orders}).encode()},
    )


def _two_tables() -> Input:
    dice = Random(56)
    trips = [(f"bus {n}", dice.randint(10, 70)) for n in range(25)]
    stops = [(f"stop {n}", "AB"[n % 2], dice.randint(1, 9)) for n in range(15)]
    both = table(("bus", "trips"), trips) + b"\n" + table(("stop", "zone", "benches"), stops)
    return Input(
        "shape",
        "two tables in a file",
        (
            Asked("total trips", (value(sum(r[1] for r in trips)),), PARTS),
            Asked("how many buses are there?", (value(25),), PARTS),
            Asked("total benches by zone", (groups(summed(stops, 1, 2)),), PARTS),
        ),
        {"network.csv": both},
    )


def _plan_and_actual() -> Input:
    dice = Random(57)
    plan = [(f"KST {n}", dice.randint(100, 900)) for n in range(22)]
    real = [(k, of + dice.randint(-50, 50)) for k, of in plan]
    return Input(
        "shape",
        "plan and actual",
        (
            Asked("total Betrag in actual", (value(sum(r[1] for r in real)),), PARTS),
            Asked("total Betrag", (), r"(?i)actual|plan|tables?\b"),
        ),
        {
            "plan.csv": table(("Kostenstelle", "Betrag"), plan, ";"),
            "actual.csv": table(("Kostenstelle", "Betrag"), real, ";"),
        },
        folder=True,
    )
