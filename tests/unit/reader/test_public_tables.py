"""What people first ask of well-known tables is among the candidates, whatever else is."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from services.planner.domain.reader import read
from services.planner.domain.reader.choice.model import learnt
from tests.unit.language.truth_help import TODAY, Shop

_TABLES = """
CREATE TABLE gapminder AS SELECT * FROM (VALUES
 ('Algeria', 'Africa', 1997, 69.2, 29072015), ('Algeria', 'Africa', 2007, 72.3, 33333216),
 ('Kenya', 'Africa', 1997, 54.4, 28263827), ('Kenya', 'Africa', 2007, 54.1, 35610177),
 ('Libya', 'Africa', 1997, 71.6, 4759670), ('Libya', 'Africa', 2007, 74.0, 6036914),
 ('Tunisia', 'Africa', 1997, 72.0, 9231669), ('Tunisia', 'Africa', 2007, 73.9, 10276158),
 ('Norway', 'Europe', 1997, 78.3, 4405672), ('Norway', 'Europe', 2007, 80.2, 4627926)
) t(country, continent, year, lifeExp, pop);
CREATE TABLE penguins AS SELECT * FROM (VALUES
 ('Gentoo', 5400), ('Gentoo', 4800), ('Gentoo', 5050), ('Adelie', 3700), ('Adelie', 5100)
) t(species, body_mass_g);
CREATE TABLE repairs AS SELECT * FROM (VALUES
 (1, 'Ann', DATE '2024-01-01', DATE '2024-01-05', 'High'),
 (2, 'Ann', DATE '2024-01-06', DATE '2024-01-08', 'high'),
 (3, 'Bo', DATE '2024-02-03', DATE '2024-02-13', 'low'),
 (4, 'Bo', DATE '2024-02-10', DATE '2024-02-12', 'Low')
) t(repair_id, mechanic, received_date, returned_date, urgency);
CREATE TABLE batting AS SELECT * FROM (VALUES
 ('a1', 'BOS', 2014, 12, 30), ('a1', 'BOS', 2015, 9, 5), ('b2', 'NYA', 2014, 15, 20),
 ('b2', 'CHI', 2015, 1, 4)
) t(playerID, teamID, yearID, HR, SB);
CREATE TABLE invoices AS SELECT * FROM (VALUES
 (1, 'North', 2, 10.0, 0.0), (2, 'North', 1, 20.0, 0.5), (3, 'South', 4, 5.0, 0.0)
) t(invoice_id, region, quantity, unit_price, discount);
"""
Rows = list[tuple[object, ...]]


class Public:
    """One file a table, opened when it is first asked of."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._open: dict[str, Shop] = {}
        self._made = duckdb.connect()
        self._made.execute(_TABLES)

    def answers(self, table: str, question: str) -> list[Rows]:
        """The rows of every candidate."""
        if table not in self._open:
            path = self._home / f"{table}.csv"
            self._made.execute(f"COPY {table} TO '{path}' (HEADER)")
            self._open[table] = Shop(path, self._home / table)
        shop = self._open[table]
        scene = asyncio.run(read.scene_of(question, shop.catalogue, shop.lookup, today=TODAY))
        weighed = read.weighed_of(read.local_of(scene), learnt())
        found: list[Rows] = []
        for one in read.composed(weighed, learnt()):
            assert one.query is not None
            rows = shop.run(one.query.text, one.query.params)[1]
            found.append(sorted((tuple(map(_plain, row)) for row in rows), key=repr))
        return found


def _plain(cell: object) -> object:
    """Numbers as floats, so that an average of whole ones is like any other."""
    return round(float(cell), 6) if isinstance(cell, int | float | Decimal) else cell


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Public:
    return Public(tmp_path_factory.mktemp("public"))


@pytest.mark.parametrize(
    ("table", "question", "rows"),
    [
        (
            "gapminder",
            "The 3 African countries with the highest life expectancy",
            [("Algeria",), ("Libya",), ("Tunisia",)],
        ),
        ("gapminder", "population of Norway", [(4627926.0,)]),
        (
            "gapminder",
            "which country's population grew most in percent from 1997 to 2007",
            [("Libya", round((6036914 - 4759670) / 4759670, 6))],
        ),
        ("penguins", "how many Gentoo over 5 kg", [(2.0,)]),
        ("penguins", "average body mass in kg", [(4.81,)]),
        ("repairs", "how long does a repair take on average", [(4.5,)]),
        ("repairs", "average days until returned by mechanic", [("Ann", 3.0), ("Bo", 6.0)]),
        ("repairs", "repairs by urgency", [("High", 2.0), ("Low", 2.0)]),
        ("batting", "which team stole most bases", [("BOS",)]),
        ("batting", "total home runs in 2014", [(27.0,)]),
        ("batting", "how many players played for more than one team", [(1.0,)]),
        ("invoices", "revenue by region", [("North", 30.0), ("South", 20.0)]),
    ],
)
def test_what_was_meant_is_among_the_candidates(
    public: Public, table: str, question: str, rows: Rows
) -> None:
    assert rows in public.answers(table, question)
