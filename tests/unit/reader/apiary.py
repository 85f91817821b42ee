"""Beekeepers, their hives and harvests: tables that nothing was made for."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bench.support_catalogue import Sources
from bench.training.probing import LocalProbe
from services.executor.engines.workspace import Workspace
from services.planner.domain.acceptance import Result, broken_by
from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.query.intent import Clarification, NotUnderstood, Understood
from services.planner.domain.query.planning.accepting import criteria_of
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader import read
from services.planner.domain.reader.choice.model import learnt
from services.planner.domain.reader.chosen import Choice
from services.planner.domain.reader.understand import choose, understand

TODAY = date(2024, 6, 1)
_SCRIPT = """
create table keepers (keeper_id integer primary key, name text, village text, born integer);
create table hives (
    hive_id integer primary key, label text, keeper_id integer references keepers (keeper_id),
    wood text, bought_on date, height_m real
);
create table harvests (
    harvest_id integer primary key, hive_id integer references hives (hive_id),
    gathered_on date, nectar text, honey_kg real, water_l real, revenue_eur real, cost_eur real
);
"""
_NECTARS, _WOODS = ("heather", "lime", "clover"), ("pine", "cedar")


@dataclass(frozen=True)
class Apiary:
    """The tables, opened, with questions asked of them as the product does."""

    catalogue: Catalogue
    lookup: ValueLookup
    evidence: LocalProbe
    workspace: Workspace
    path: Path

    async def read(
        self, question: str, *, assume: bool = False
    ) -> Understood | Clarification | NotUnderstood:
        """What comes of a question."""
        return await understand(
            question,
            self.catalogue,
            self.lookup,
            today=TODAY,
            evidence=self.evidence,
            assume=assume,
        )

    async def chosen(self, question: str) -> Choice:
        """Its ranked readings, by the ranker alone."""
        scene = await read.scene_of(question, self.catalogue, self.lookup, today=TODAY)
        weighed = read.weighed_of(read.local_of(scene), learnt())
        found = await choose(weighed, self.evidence, learnt())
        assert found is not None
        return found

    def rows(self, read: Understood) -> list[tuple[object, ...]]:
        """The rows of a reading, which are held against what the question asked for."""
        query = render(read.intent, self.catalogue)
        with self.workspace.cursor() as cursor:
            table = cursor.execute(query.text, list(query.params)).to_arrow_table()
            result = Result(table.num_rows, tuple(table.column_names), table)
            assert not (why := broken_by(criteria_of(read.intent, query), result)), why
            return cursor.execute(query.text, list(query.params)).fetchall()

    def truth(self, sql: str) -> list[tuple[object, ...]]:
        """The rows of a query in the database's own SQL."""
        with sqlite3.connect(self.path) as connection:
            return connection.execute(sql).fetchall()


def apiary(folder: Path) -> Apiary:
    """The tables with rows, in a database of their own."""
    path = folder / "apiary.sqlite"
    with sqlite3.connect(path) as made:
        made.executescript(_SCRIPT)
        names = ("Ada Holm", "Bo Krag", "Cia Lund", "Dan Moe")
        made.executemany(
            "insert into keepers values (?, ?, ?, ?)",
            [(n, name, ("Elm", "Ash")[n % 2], 1950 + 7 * n) for n, name in enumerate(names, 1)],
        )
        made.executemany(
            "insert into hives values (?, ?, ?, ?, ?, ?)",
            [
                (
                    n,
                    f"H{n}",
                    1 + n % 4,
                    _WOODS[n % 2],
                    f"20{18 + n % 5}-04-0{1 + n % 8}",
                    1 + n / 10,
                )
                for n in range(1, 13)
            ],
        )
        made.executemany(
            "insert into harvests values (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    n,
                    1 + n * n % 12,
                    f"2023-{1 + n % 9:02}-{1 + n % 27:02}",
                    _NECTARS[n % 3],
                    5 + n * 7 % 23,
                    2 + n * 5 % 11,
                    60 + n * 13 % 41,
                    10 + n * 3 % 17,
                )
                for n in range(1, 91)
            ],
        )
    catalogue, lookup, workspace = Sources(folder / "kept").open_together((path,))
    return Apiary(catalogue, lookup, LocalProbe(workspace), workspace, path)
