"""What cannot be judged is refused in words that say why, and what to do."""

from __future__ import annotations

import pytest

from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.unreadable import unreadable
from tests.unit.checks.small_data import SmallData

CATALOGUE = SmallData(SHOP).catalogue


@pytest.mark.parametrize(
    ("statement", "why", "hint"),
    [
        ("SELECT TOP 3 * FROM orders", "T-SQL", "In DuckDB's: SELECT * FROM orders LIMIT 3"),
        ("SELECT `region` FROM orders", "MySQL", 'In DuckDB\'s: SELECT "region" FROM orders'),
        ("DROP TABLE orders", "DROP is no SELECT", "Check the SELECT"),
        ("SELECT 1; SELECT 2", "2 statements", "one after another"),
        ("SELECT region, sum(freight FROM orders", "line 1, column", "bracket"),
        ("SELECT * FROM order", "no table order", "Near it is orders"),
        ("SELECT * FROM ordrs", "no table ordrs", "Near it is orders"),
        ("SELECT * FROM people", "no table people", "The tables are"),
        ("SELECT freigt FROM orders", "no column freigt", "Near it is freight"),
        ("", "no statement", "one SELECT"),
        ("hello there", "no statement", "one SELECT"),
    ],
)
def test_what_is_wrong_is_said(statement: str, why: str, hint: str) -> None:
    found = unreadable(statement, CATALOGUE)

    assert found is not None
    assert why in found.why
    assert hint in found.hint


@pytest.mark.parametrize(
    "statement",
    [
        "WITH t AS (SELECT region AS place FROM orders) SELECT place FROM t",
        "SELECT t.place FROM (SELECT region FROM orders) AS t(place)",
        "SELECT sum(freight) AS total FROM orders ORDER BY total",
    ],
)
def test_nothing_is_wrong_with_names_that_the_statement_gives(statement: str) -> None:
    assert unreadable(statement, CATALOGUE) is None
