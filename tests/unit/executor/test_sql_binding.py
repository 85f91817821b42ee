"""Parameters become literals in the order of their question marks, whatever they hold."""

from __future__ import annotations

from datetime import date

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.tool import ToolError
from services.executor.engines.binding import bound


def test_question_marks_are_filled_in_the_order_of_the_text() -> None:
    sql = "WITH c AS (SELECT ? AS z) SELECT ?, z FROM c WHERE z IN (?, ?) ORDER BY 1 LIMIT ?"
    assert bound(sql, [1, 2, 3, 4, 5]) == (
        "WITH c AS (SELECT 1 AS z) SELECT 2, z FROM c WHERE z IN (3, 4) ORDER BY 1 LIMIT 5"
    )


def test_a_question_mark_inside_a_text_or_a_name_stays() -> None:
    assert bound("""SELECT '?' AS "a?", ?""", ["x"]) == """SELECT '?' AS "a?", 'x'"""


def test_dates_keep_their_type() -> None:
    assert "1997-01-02" in bound("SELECT ?", [date(1997, 1, 2)])


def test_too_few_and_too_many_are_refused() -> None:
    for parameters in ([], [1, 2]):
        with pytest.raises(ToolError, match="1 question marks"):
            bound("SELECT ?", parameters)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40))
def test_no_text_can_leave_its_literal(value: str) -> None:
    found = duckdb.connect().execute(bound("SELECT ?", [value])).fetchone()
    assert found == (value,)
