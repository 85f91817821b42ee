"""From questions to verdicts, over a small shop and with readers that say what they are told to."""

from __future__ import annotations

import functools
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from bench.reading.asking import ask_over
from bench.reading.protocol import Answered, Opened, Rows
from bench.reading.reader import FoldedReader
from bench.reading.report import failures, printed, written
from bench.reading.running import BoundedRun, OverTimeError
from bench.reading.sets import Item, fold_of, load, sample
from bench.reading.verdicts import Result, Verdict
from bench.support_catalogue import Sources

SQL = "SELECT city, count(*) FROM customers GROUP BY city"
RIGHT = Rows(["city", "n"], [("Oslo", 1), ("Rome", 2)])
FALSE = Rows(["city", "n"], [("Oslo", 2), ("Rome", 1)])
WIDE = Rows(["city", "n", "x"], [("Oslo", 1, 0), ("Rome", 2, 0)])


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)")
        people = [(1, "Ann", "Rome"), (2, "Bob", "Oslo"), (3, "Eve", "Rome")]
        made.executemany("INSERT INTO customers VALUES (?, ?, ?)", people)
    return path


def item(path: Path, number: int = 1) -> Item:
    return Item(
        id=f"queries/{number}/0",
        set="queries",
        database="shop",
        paths=(path,),
        question="How many customers are there in each city?",
        gold=f"queries/{number}",
        sql=SQL,
        rows=(("Oslo", 1), ("Rome", 2)),
    )


@functools.cache
def sources(home: Path) -> Sources:
    return Sources(home)


class Said:
    """A reader that says what it was given, or raises it."""

    def __init__(self, answer: Answered | Exception) -> None:
        self._answer = answer

    async def ask(self, question: str, database: Opened, after: Sequence[str] = ()) -> Answered:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


async def asked(path: Path, answer: Answered | Exception, **more: Any) -> Result:
    (result,) = await ask_over([replace(item(path), **more)], Said(answer), sources(path.parent))
    return result


@pytest.mark.parametrize(
    ("answer", "expect", "verdict"),
    [
        (Answered("answered", RIGHT), "answer", Verdict.RIGHT),
        (Answered("answered", WIDE), "answer", Verdict.EXTRA),
        (Answered("answered", FALSE, None, 1, "sure", ("since 2024",)), "answer", Verdict.DOUBTED),
        (Answered("answered", FALSE, word="doubtful"), "answer", Verdict.DOUBTED),
        (Answered("answered", FALSE, word="likely"), "answer", Verdict.UNDOUBTED),
        (Answered("answered", None, word="sure"), "answer", Verdict.UNDOUBTED),
        (Answered("asked", RIGHT), "answer", Verdict.ASKED),
        (Answered("refused"), "answer", Verdict.REFUSED),
        (Answered("refused"), "refuse", Verdict.RIGHT),
        (Answered("asked"), "ask", Verdict.RIGHT),
        (Answered("asked"), "refuse", Verdict.ASKED),
        (Answered("answered", RIGHT, word="sure"), "ask", Verdict.UNDOUBTED),
        (Answered("answered", RIGHT, None, 1, "sure", ("since 2024",)), "ask", Verdict.RIGHT),
        (Answered("answered", RIGHT, None, 1, "sure", ("since 2024",)), "refuse", Verdict.DOUBTED),
        (ValueError("no such thing"), "answer", Verdict.CRASHED),
    ],
)
async def test_every_answer_has_one_verdict(
    shop: Path, answer: Answered | Exception, expect: str, verdict: Verdict
) -> None:
    assert (await asked(shop, answer, expect=expect)).verdict is verdict


async def test_asking_is_no_answer_but_its_likelier_option_may_be_right(shop: Path) -> None:
    result = await asked(shop, Answered("asked", RIGHT))
    assert not result.good and result.rows_good and not result.answered


async def test_candidates_are_looked_at_up_to_the_first_that_is_right(shop: Path) -> None:
    def candidates() -> Iterator[Rows | None]:
        yield from (FALSE, None, WIDE, RIGHT)
        pytest.fail("nothing after the right one is worked out")

    result = await asked(shop, Answered("answered", FALSE, candidates=candidates()))
    assert (result.rank, result.candidates) == (4, 4)


async def test_order_matters_where_the_query_sorts_but_not_among_ties(shop: Path) -> None:
    sql = "SELECT name FROM customers ORDER BY city DESC"
    ordered = {"sql": sql, "rows": (("Ann",), ("Eve",), ("Bob",)), "ordered": True}
    tied = Answered("answered", Rows(["name"], [("Eve",), ("Ann",), ("Bob",)]), word="sure")
    turned = Answered("answered", Rows(["name"], [("Bob",), ("Ann",), ("Eve",)]), word="sure")
    assert (await asked(shop, tied, **ordered)).verdict is Verdict.RIGHT
    assert (await asked(shop, turned, **ordered)).verdict is Verdict.UNDOUBTED


async def test_todays_reader_counts_customers_by_city(shop: Path) -> None:
    (result,) = await ask_over([item(shop)], FoldedReader(None), sources(shop.parent))
    assert result.verdict is Verdict.RIGHT
    assert result.rank == 1 and result.seconds > 0


def test_a_query_that_takes_too_long_is_stopped(shop: Path) -> None:
    _, _, workspace = sources(shop.parent).open_together([shop])
    endless = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range <> b.range"
    with pytest.raises(OverTimeError, match="stopped after"):
        BoundedRun(workspace, seconds=0.05)(endless)
    with pytest.raises(duckdb.Error):
        BoundedRun(workspace)("SELECT nothing FROM nowhere")
    assert len(BoundedRun(workspace)("SELECT * FROM range(9)", rows=2)[1]) == 3


async def test_the_report_tells_verdicts_kinds_and_recall(shop: Path) -> None:
    reader = Said(Answered("answered", FALSE, word="sure", confidence=0.9, sql="SELECT 1 FROM x"))
    right = await asked(shop, Answered("answered", RIGHT, word="sure", confidence=0.9))
    (wrong,) = await ask_over([item(shop, 2)], reader, sources(shop.parent))
    text = printed([right, wrong], folds=2)
    assert "2 questions, 2 truths, 1 databases" in text
    assert "wrong table or join" in text
    assert "told as sure: 100.0% of all; right of these: 50.0%" in text
    assert "How many customers" in failures([right, wrong], "wrong table or join")
    figures = json.loads(written([right, wrong], 2))
    assert figures["sets"]["queries"]["verdicts"]["right"]["of_all"] == 0.5
    assert figures["sets"]["queries"]["constructs"]["group"]["recall"]["1"] == 0.5


def test_sets_that_are_not_there_are_told(tmp_path: Path) -> None:
    told: list[str] = []
    assert load(["dev", "queries"], tmp_path, told.append) == []
    assert [line.split(":")[0] for line in told] == ["dev", "queries"]


def test_questions_without_their_database_are_left_out_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "questions_train"
    (folder / "databases").mkdir(parents=True)
    (folder / "databases" / "here.sqlite").touch()
    entry = {"id": 1, "question": "How many?", "sql": "SELECT count(*) FROM t", "rows": [[2]]}
    entries = [{**entry, "db": "here"}, {**entry, "db": "gone"}]
    (folder / "queries.json").write_text(json.dumps(entries))
    told: list[str] = []
    (found,) = load(["queries"], tmp_path, told.append)
    assert (found.database, found.rows) == ("here", ((2,),))
    assert "1 databases that are not there: ['gone']" in told[0]


def test_a_sample_is_the_same_every_time_and_folds_keep_databases_whole(tmp_path: Path) -> None:
    items = [item(tmp_path, number) for number in range(30)]
    assert sample(items, 5) == sample(list(reversed(items)), 5)[::-1]
    assert len(sample(items, 5)) == 5 and sample(items, None) == items
    assert {fold_of("shop", 5) for _ in items} == {fold_of("shop", 5)}
