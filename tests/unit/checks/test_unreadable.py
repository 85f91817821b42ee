"""What cannot be judged is refused in words that say why, and what to do."""

from __future__ import annotations

import pytest

from services.planner.adapters.llm.numbers import known_numbers
from services.planner.adapters.llm.queries import query_problems
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.unreadable import unreadable
from services.planner.domain.facts import ColumnFacts, Facts, TableFacts, ValueCount
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
        (
            "PIVOT orders ON region USING sum(freight) GROUP BY customer_id",
            "PIVOT turns values of region into columns",
            "a column for each value, as sum(amount) FILTER",
        ),
        (
            "SELECT * FROM (PIVOT orders ON year(ordered) USING sum(freight))",
            "PIVOT turns values of YEAR(ordered)",
            "FILTER",
        ),
        (
            "WITH p AS (PIVOT orders ON region IN ('South') USING sum(freight)) SELECT * FROM p",
            "PIVOT turns",
            "SELECT SUM(freight) FILTER(WHERE region = 'South') AS \"South\" FROM orders",
        ),
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
        "SELECT * FROM orders PIVOT (sum(freight) FOR region IN ('North') GROUP BY customer_id)",
    ],
)
def test_nothing_is_wrong_with_names_that_the_statement_gives(statement: str) -> None:
    assert unreadable(statement, CATALOGUE) is None


def test_a_pivot_is_written_out_where_facts_know_the_values() -> None:
    values = tuple(ValueCount(value=name, rows=2) for name in ("South", "North"))
    region = ColumnFacts(column="region", whole=True, values=values)
    measured = TableFacts(table="orders", rows=5, measured_rows=5, columns=(region,))
    known = CATALOGUE.model_copy(update={"facts": Facts(tables=(measured,))})
    text = "PIVOT orders ON region USING sum(freight) GROUP BY customer_id"

    found = unreadable(text, known)

    assert found is not None
    written = found.hint.removeprefix("Write it so: ")
    assert unreadable(written, known) is None
    data = SmallData(SHOP)
    assert sorted(data.rows(written), key=repr) == sorted(data.rows(text), key=repr)
    assert query_problems(text, known, known_numbers([text]))[0].endswith(written)
