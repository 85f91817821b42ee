"""The truths of the shared sets agree with the queries that they were made by."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bench.reading.judging import Judgement, judged
from bench.reading.protocol import Rows
from bench.reading.sets import Item, load
from bench.reading.truths import truths


def items(folder: Path, name: str) -> list[Item]:
    told: list[str] = []
    found = load([name], folder, told.append)
    if not found:
        pytest.skip(f"the shared data holds no {name}: {told}")
    return found


def meant(item: Item) -> Rows:
    """What the query meant gives, as SQLite has it."""
    with closing(sqlite3.connect(f"file:{item.paths[0]}?mode=ro", uri=True)) as source:
        answer = source.execute(item.sql)
        return Rows([column[0] for column in answer.description], answer.fetchall())


def test_each_query_meant_is_right_and_turned_round_it_is_not(shared_data: Path) -> None:
    for item in items(shared_data, "queries")[:300]:
        rows, right = meant(item), truths(item)
        assert judged(rows, right) is Judgement.RIGHT, item.sql
        ranks = right[0].ranks
        if ranks is not None and len(set(ranks)) > 1:
            turned = Rows(rows.columns, list(rows.rows)[::-1])
            assert judged(turned, right) is Judgement.WRONG, item.sql


def test_each_chart_of_two_columns_is_right_by_its_query(shared_data: Path) -> None:
    of_two = [i for i in items(shared_data, "train") if not any(r[2] for r in i.rows or ())]
    first = {item.gold: item for item in of_two}
    for item in list(first.values())[:300]:
        assert judged(meant(item), truths(item)) is Judgement.RIGHT, item.sql
