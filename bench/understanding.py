"""How long it takes to understand a question over 50 tables with 1,000 columns, once indexed.

Run `python -m bench.understanding`. Every question is asked of the wide catalogue and of a single
table of it in the same run; the figure that counts is the slowest median over the wide catalogue,
against the target of 150 ms. The first question, which indexes, is asked of single tables of 1,000
and of 2,000 columns: twice the columns should take about twice as long.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.measure import milliseconds, repeated_async
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    ValueHit,
)
from services.planner.domain.query.intent import Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand

_TODAY = date(2025, 1, 1)
_TARGET_MS = 150.0
_TABLES, _COLUMNS = 50, 20
_ENTITIES = "order customer product invoice payment shipment return supplier store campaign".split()
_PARTS = "header line event status summary".split()
_ATTRIBUTES = "region channel segment colour brand carrier currency priority source".split()
_AMOUNTS = "amount weight score margin tax quantity rebate distance duration".split()
_QUESTIONS = (
    "total amount by region of order header",
    "number of customer events per month in 2024",
    "average weight of shipment lines by carrier for priority high",
    "top 5 brands by margin in product summary",
    "year-over-year growth of payment amount by month",
    "is there a significant difference in score between segments of campaign events?",
)


async def lookup(phrases: Sequence[str]) -> Sequence[ValueHit]:
    """One value that a question names; the executor's index is not what is measured here."""
    return [
        ValueHit(phrase=p, table="shipment_line", column="priority", value="high", score=1.0)
        for p in phrases
        if p.lower() == "high"
    ]


def wide_catalogue(tables: int = _TABLES) -> Catalogue:
    """Tables of 20 columns each, every one with a key and a reference to the one before it."""
    names = [f"{entity}_{part}" for entity in _ENTITIES for part in _PARTS][:tables]
    made = tuple(_table(name, names[position - 1]) for position, name in enumerate(names))
    links = tuple(
        Relationship(
            from_table=name,
            from_column=f"{names[position - 1]}_id",
            to_table=names[position - 1],
            to_column=f"{names[position - 1]}_id",
        )
        for position, name in enumerate(names)
        if position
    )
    return Catalogue(tables=made, relationships=links)


def _table(name: str, parent: str) -> Table:
    key = Column(name=f"{name}_id", data_type=DataType.INTEGER, role=ColumnRole.ID, distinct=10_000)
    reference = key.model_copy(update={"name": f"{parent}_id", "distinct": 900})
    texts = [
        Column(
            name=a,
            data_type=DataType.STRING,
            role=ColumnRole.DIMENSION,
            distinct=12,
            samples=("high", "low", "north"),
        )
        for a in _ATTRIBUTES
    ]
    numbers = [
        Column(
            name=a,
            data_type=DataType.FLOAT,
            role=ColumnRole.MEASURE,
            distinct=5_000,
            minimum="0",
            maximum="900",
        )
        for a in _AMOUNTS[:8]
    ]
    moment = Column(
        name="created_on",
        data_type=DataType.DATE,
        role=ColumnRole.TIMESTAMP,
        distinct=700,
        minimum="2023-01-01",
        maximum="2024-12-31",
    )
    columns = (key, reference, moment, *texts, *numbers)[:_COLUMNS]
    return Table(
        name=name, source_name=name, rows=10_000, columns=columns, primary_key=(f"{name}_id",)
    )


async def measured(question: str, catalogue: Catalogue, rounds: int) -> dict[str, float]:
    """Milliseconds from the question to its SQL."""

    async def once() -> None:
        found = await understand(question, catalogue, lookup, today=_TODAY, assume=True)
        if isinstance(found, Understood):
            render(found.intent, catalogue)

    return milliseconds(await repeated_async(once, rounds, warm_up=1))


async def first_question(columns: int) -> float:
    """Milliseconds of the first question over a table of so many columns."""
    numbers = tuple(
        Column(name=f"measure_{n}", data_type=DataType.FLOAT, role=ColumnRole.MEASURE, distinct=9)
        for n in range(columns)
    )
    table = Table(name="wide", source_name="wide", rows=10, columns=numbers)
    began = time.perf_counter()
    await understand("total measure 7", Catalogue(tables=(table,)), lookup, today=_TODAY)
    return round((time.perf_counter() - began) * 1000, 1)


async def run(rounds: int) -> dict[str, object]:
    """Every question over the wide catalogue and over one table."""
    wide, narrow = wide_catalogue(), wide_catalogue(1)
    figures: dict[str, object] = {
        "tables": len(wide.tables),
        "columns": sum(len(table.columns) for table in wide.tables),
    }
    slowest = 0.0
    for question in _QUESTIONS:
        many = await measured(question, wide, rounds)
        one = await measured(question, narrow, rounds)
        ratio = round(many["median_ms"] / max(one["median_ms"], 0.1), 1)
        figures[question] = {"wide": many, "one table": one, "ratio": ratio}
        slowest = max(slowest, many["median_ms"])
        print(f"{many['median_ms']:8.1f} ms  {ratio:5.1f}x one table  {question}")
    half, whole = await first_question(1_000), await first_question(2_000)
    figures["first question"] = {"1,000 columns": half, "2,000 columns": whole}
    print(f"{whole:8.1f} ms  {whole / half:5.1f}x 1,000 columns  first question over 2,000 columns")
    met = slowest < _TARGET_MS
    figures |= {"slowest_median_ms": slowest, "target_ms": _TARGET_MS, "met": met}
    text = "met" if met else "missed"
    print(f"slowest median {slowest:.1f} ms of {_TARGET_MS:g} ms allowed: target {text}")
    return figures


def main() -> None:
    """Reads the options, measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args()
    figures = asyncio.run(run(options.rounds))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
