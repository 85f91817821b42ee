"""What rose or fell, of many things: kept by the way it went, or ranked by how far."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from services.planner.domain.lexicon.tokens import tokenise
from services.planner.domain.reader import read
from services.planner.domain.reader.choice.forms import asked_outright, changes
from services.planner.domain.reader.choice.model import learnt
from services.planner.domain.reader.grammar.rules import Words
from tests.unit.language.truth_help import TODAY, Shop

_MILLS = """
create table mills (mill text, valley text, year integer, flour_tons real, staff integer);
insert into mills values ('Ash', 'North', 2010, 90, 7), ('Ash', 'North', 2015, 60, 8),
  ('Ash', 'North', 2020, 70, 9), ('Beck', 'North', 2010, 50, 5), ('Beck', 'North', 2015, 55, 4),
  ('Beck', 'North', 2020, 80, 4), ('Croft', 'South', 2010, 30, 3), ('Croft', 'South', 2015, 25, 6),
  ('Croft', 'South', 2020, 20, 2), ('Dell', 'South', 2010, 10, 1), ('Dell', 'South', 2015, 12, 5),
  ('Dell', 'South', 2020, 11, 9);
"""


@pytest.fixture(scope="module")
def mills(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder: Path = tmp_path_factory.mktemp("mills")
    path = folder / "mills.sqlite"
    with sqlite3.connect(path) as source:
        source.executescript(_MILLS)
    return Shop(path, folder / "home")


def named(shop: Shop, question: str) -> list[list[object]]:
    """The first column of every candidate's rows."""
    scene = asyncio.run(read.scene_of(question, shop.catalogue, shop.lookup, today=TODAY))
    weighed = read.weighed_of(read.local_of(scene), learnt())
    found: list[list[object]] = []
    for one in read.composed(weighed, learnt()):
        assert one.query is not None
        if one.intent.derived:
            rows = shop.run(one.query.text, one.query.params)[1]
            found.append(sorted((row[0] for row in rows), key=repr))
    return found


@pytest.mark.parametrize(
    ("question", "mills_meant"),
    [
        ("mills where flour tons fell between 2010 and 2015", ["Ash", "Croft"]),
        ("which mills made less flour tons in 2020 than in 2015", ["Croft", "Dell"]),
        ("which mills made more flour tons in 2010 than in 2020", ["Ash", "Croft"]),
        ("which mill had the biggest drop in flour tons from 2010 to 2020", ["Ash"]),
        ("which mill's flour tons grew most between 2010 and 2020", ["Beck"]),
        ("which mill lost the most staff since 2015", ["Croft"]),
        ("which mills have gained staff since 2015", ["Ash", "Dell"]),
    ],
)
def test_what_rose_or_fell_is_among_the_candidates(
    mills: Shop, question: str, mills_meant: list[object]
) -> None:
    assert mills_meant in named(mills, question)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("countries where life expectancy fell between 1985 and 1990", True),
        ("who improved most", True),
        ("revenue by month where country is Kent", False),
        ("by how much did revenue grow from 2019 to 2020", False),
        ("most expensive products", False),
    ],
)
def test_only_things_that_changed_are_asked_for_outright(question: str, asked: bool) -> None:
    assert changes(Words(tokenise(question))) is asked


def test_a_day_that_is_asked_for_is_a_form_of_its_own(mills: Shop) -> None:
    scene = asyncio.run(read.scene_of("the worst year", mills.catalogue, mills.lookup, today=TODAY))

    assert asked_outright(scene)
