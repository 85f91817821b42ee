"""How many statements are intents, and whether these are read back:
`python -m bench.proposals.intents`.

Of the readings of a set's questions, those that come back from their own queries; of the statements
that are right for them, those that an intent says as well, whose query is run beside the statement:
`other` counts those that gave other rows, of which there should be none.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import sqlglot
from sqlglot import exp

from bench.proposals.checks import Truth, rows, took, truths
from bench.reading.canonical import same
from services.planner.domain.query.from_sql.recover import intent_of
from services.planner.domain.query.intent import Intent, Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand

_TODAY = date(2025, 1, 1)
_SETS = ("everyday", "analytical", "queries", "dev")


@dataclass
class Figures:
    """What was counted."""

    read: int = 0
    back: int = 0
    statements: int = 0
    intents: int = 0
    other: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)


def measure(every: Sequence[Truth], *, readings: bool, show: bool) -> Figures:
    """Read back what the questions are read as, and the statements that are right."""
    figures = Figures()
    for truth in every:
        if readings and (intent := _read(truth)) is not None:
            figures.read += 1
            query = render(intent, truth.catalogue)
            found = intent_of(query.text, truth.catalogue, query.params)
            figures.back += found is not None
            if show and found is None:
                print(f"  {truth.database}: {truth.question}\n    {query.text}")
        _statement(truth, figures, show=show)
    return figures


def _read(truth: Truth) -> Intent | None:
    """What the built-in reader takes a question for, where that is one query."""
    read = asyncio.run(
        understand(
            truth.question,
            truth.catalogue,
            truth.lookup,
            today=_TODAY,
            evidence=truth.evidence,
            assume=True,
        )
    )
    if not isinstance(read, Understood):
        return None
    intent = read.intent
    is_mentioned = intent.statistic is not None or intent.profile or intent.cohort is not None
    return None if is_mentioned else intent


def _statement(truth: Truth, figures: Figures, *, show: bool) -> None:
    # Sets are written in another dialect, where what is missing comes first.
    text = truth.sql.replace(" NULLS FIRST", "")
    right = rows(truth.run, text)
    if right is None:
        return
    figures.statements += 1
    began = time.perf_counter()
    intent = intent_of(text, truth.catalogue, columns=_names(text))
    figures.seconds.append(time.perf_counter() - began)
    if intent is None:
        return
    figures.intents += 1
    query = render(intent, truth.catalogue)
    found = rows(truth.run, query.text, query.params)
    if found is None or not _same(found, right):
        figures.other[truth.database] += 1
        if show:
            print(f"  {truth.database}: {truth.question}\n    {text}\n    {query.text}")


def _names(text: str) -> list[str]:
    """A name for each column, as one who runs the statement knows them."""
    tree = sqlglot.parse_one(text, dialect="duckdb")
    given = tree.selects if isinstance(tree, exp.Query) else []
    return [one.alias_or_name or f"column {place}" for place, one in enumerate(given)]


def _same(found: Any, right: Any) -> bool:
    """Equal rows, whatever the order of columns."""
    ours, theirs = (
        sorted((sorted(row, key=repr) for row in table), key=repr) for table in (found, right)
    )
    if len(ours) != len(theirs):
        return False
    return all(len(a) == len(b) and all(map(same, a, b)) for a, b in zip(ours, theirs, strict=True))


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--statements", action="store_true", help="leave the readings out")
    parser.add_argument("--show", action="store_true", help="what is not read back")
    given = parser.parse_args()
    for name in given.set or _SETS:
        figures = measure(
            list(truths([name], given.limit)), readings=not given.statements, show=given.show
        )
        whole = max(figures.statements, 1)
        print(f"{name}: {figures.statements} statements, {figures.intents} are intents", end=" ")
        print(f"({100 * figures.intents / whole:.1f} %), {sum(figures.other.values())} give other")
        if figures.read:
            share = 100 * figures.back / figures.read
            print(f"  {figures.back} of {figures.read} readings come back ({share:.1f} %)")
        print(f"  {took(figures.seconds)} each")


if __name__ == "__main__":
    main()
