"""Rows that are counted by that word, and numbers of things beside a column of amounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.reader.files import Rows, Tables


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    found = Tables(tmp_path)
    rows: Rows = [(n, ("ok", "late")[n % 2], n * 2 + 1) for n in range(40)]
    found.write("export", "id,status,amount", rows)
    return found


@pytest.mark.parametrize(
    "question",
    [
        "how many rows are there?",
        "number of rows",
        "how many records are there?",
        "number of exports",
        "count of the exports",
    ],
)
async def test_rows_are_counted_by_that_word(tables: Tables, question: str) -> None:
    sql = await tables.sql(question, "export")
    assert "COUNT(" in sql and "amount" not in sql and "GROUP BY" not in sql


async def test_a_number_of_rows_by_group_is_no_amount(tables: Tables) -> None:
    sql = await tables.sql("number of rows by status", "export")
    assert "COUNT(*)" in sql and "GROUP BY export.status" in sql and "amount" not in sql


async def test_a_number_that_is_of_nothing_may_be_an_amount(tables: Tables) -> None:
    assert "export.amount" in await tables.sql("total amount by status", "export")
