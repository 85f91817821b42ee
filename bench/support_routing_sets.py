"""Questions with the domain they are about: Banking77, and questions over small databases."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.support_routing_bank import BANKING, INTENTS
from services.planner.domain.routing.domain import Domain, DomainTable

_GROUP = 8
_VALUES = 30


@dataclass(frozen=True)
class RoutingSet:
    """Domains, and questions each of which is about one of them."""

    name: str
    domains: tuple[Domain, ...]
    questions: tuple[tuple[str, str], ...]
    """(question, name of its domain)"""


def banking(data: Path, part: str, every: int = 1) -> RoutingSet:
    """Each `every`-th question of a part of Banking77, "train" or "test"."""
    domain = {intent: name for name, intents in INTENTS.items() for intent in intents}
    with (data / "intents" / f"{part}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))[::every]
    questions = tuple((row["text"], domain[row["category"]]) for row in rows)
    return RoutingSet(f"banking {part}", BANKING, questions)


def databases(data: Path, odd: bool) -> Iterator[RoutingSet]:
    """The development databases by name, in groups of eight: every second group.

    A domain is only what the database holds: names of tables and columns and some values. The
    first phrasing of each question counts.
    """
    folder = data / "questions_dev" / "databases"
    names = sorted(path.stem for path in folder.glob("*.sqlite"))
    # A stride, so that "music_1" and "music_2" are seldom in one group.
    groups = len(names) // _GROUP
    items = json.loads((data / "questions_dev" / "questions.json").read_text())
    for number in range(groups):
        if number % 2 != odd:
            continue
        group = names[number::groups]
        questions = tuple(
            (item["questions"][0], _name(item["db"])) for item in items if item["db"] in group
        )
        domains = tuple(_domain(folder / f"{name}.sqlite") for name in group)
        yield RoutingSet(f"databases {number}", domains, questions)


def _name(database: str) -> str:
    return "_".join(part for part in database.lower().split("_") if part)


def _domain(path: Path) -> Domain:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        ]
        return Domain(
            name=_name(path.stem),
            display_name=_name(path.stem).replace("_", " "),
            tables=tuple(_table(connection, name) for name in sorted(tables)),
        )


def _table(connection: sqlite3.Connection, table: str) -> DomainTable:
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    values: list[str] = []
    for column in columns:
        wanted = f'SELECT DISTINCT "{column}" FROM "{table}" ORDER BY 1 LIMIT {_VALUES}'
        values += [row[0] for row in connection.execute(wanted) if isinstance(row[0], str)]
    return DomainTable(name=table, columns=tuple(columns), values=tuple(dict.fromkeys(values)))
