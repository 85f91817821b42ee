"""The same answer in other forms: a month as a date or a text, a person in one column or two, the
youngest with or without the date of birth."""

from __future__ import annotations

from datetime import date

import duckdb
import pytest

from services.planner.adapters.llm.agreement import compared
from services.planner.domain.proposals.comparing import Rows
from services.planner.domain.proposals.rewriting import compare_as_written
from services.planner.domain.proposals.widening import widened
from tests.unit.planner.llm_world import BY_REGION, given
from tests.unit.planner.shop_rows import shop_rows
from tests.unit.planner.test_plans_compared import draft
from tests.unit.planner.test_results_compared import result

MONTHS = result("month n", (date(2024, 1, 1), 5), (date(2024, 2, 1), 7))
YEARS = result("year n", (date(2023, 1, 1), 5), (date(2024, 1, 1), 7))
QUARTERS = result("quarter n", (date(2023, 4, 1), 5), (date(2024, 10, 1), 7))
PEOPLE = result("forename surname", ("Enzo", "Ricci"), ("Ada", "Venn"))
YOUNGEST = "SELECT forename FROM drivers ORDER BY dob DESC LIMIT 1"


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        (MONTHS, result("m n", ("2024-02", 7), ("2024-01", 5)), "same"),
        (MONTHS, result("m n", (1, 5), (2, 7)), "same"),
        (MONTHS, result("m n", ("January", 5), ("February", 7)), "same"),
        (MONTHS, result("m n", (1, 7), (2, 5)), "differs"),
        (MONTHS, result("m n", (3, 5), (4, 7)), "differs"),
        (YEARS, result("y n", (2023, 5), (2024, 7)), "same"),
        (YEARS, result("y n", ("2023", 5), ("2024", 7)), "same"),
        # January of two years is no number of a month.
        (YEARS, result("m n", (1, 5), (1, 7)), "differs"),
        (QUARTERS, result("q n", ("2023-Q2", 5), ("2024-Q4", 7)), "same"),
        (QUARTERS, result("q n", (2, 5), (4, 7)), "differs"),
        (result("d", (date(2024, 1, 9),)), result("d", ("2024-01",)), "differs"),
        (PEOPLE, result("name", ("Ada Venn",), ("Enzo Ricci",)), "same"),
        (PEOPLE, result("name", ("Venn, Ada",), ("Ricci, Enzo",)), "same"),
        (PEOPLE, result("name", ("Ada Ricci",), ("Enzo Venn",)), "differs"),
        (PEOPLE, result("name born", ("Enzo Ricci", 2002), ("Ada Venn", 2001)), "subset"),
        (result("f l n", ("Enzo", "Ricci", 1)), result("who n", ("Enzo Ricci", 2)), "differs"),
    ],
)
def test_periods_and_names_are_one_in_any_form(left: Rows, right: Rows, kind: str) -> None:
    assert compare_as_written(left, right).kind == kind
    assert compare_as_written(right, left).kind == kind


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (YOUNGEST, [("Enzo", 2002)]),
        (
            "SELECT forename FROM (SELECT *, row_number() OVER (PARTITION BY team ORDER BY dob) "
            "AS place FROM drivers) WHERE place = 1 ORDER BY 1",
            [("Ada", 2001), ("Enzo", 2002)],
        ),
        (
            "WITH t AS (SELECT team, count(*) AS n FROM drivers GROUP BY team) "
            "SELECT team FROM t WHERE n > 1",
            [("red", 2)],
        ),
        ("SELECT team FROM drivers GROUP BY team HAVING count(*) > 1", [("red", 2)]),
        ("SELECT forename FROM drivers WHERE dob > 2001", [("Enzo", 2002)]),
    ],
)
def test_what_rows_are_chosen_by_is_shown_beside_them(
    text: str, shown: list[tuple[object, ...]]
) -> None:
    with duckdb.connect() as data:
        data.execute(
            "CREATE TABLE drivers AS SELECT * FROM (VALUES ('Enzo', 'blue', 2002), "
            "('Ada', 'red', 2001), ('Bo', 'red', 2001)) AS v(forename, team, dob) "
            "WHERE forename <> 'Bo' OR team = 'red'"
        )
        found = data.execute(widened(text)).fetchall()
    assert sorted({(row[0], row[-1]) for row in found}) == shown


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*) FROM drivers WHERE dob > 2001",
        "SELECT DISTINCT team FROM drivers ORDER BY team",
        "SELECT team FROM drivers UNION SELECT forename FROM drivers",
        "SELECT forename, dob FROM drivers ORDER BY dob",
        "SELECT forename FROM drivers ORDER BY dob + ?",
        "no statement",
    ],
)
def test_nothing_is_shown_that_would_change_the_rows_or_is_there(text: str) -> None:
    assert widened(text) == ""


async def test_a_column_that_only_the_other_gives_must_be_what_rows_are_chosen_by() -> None:
    best = "SELECT region FROM orders GROUP BY region ORDER BY sum(amount) DESC LIMIT 1"
    with_number = best.replace("region FROM", "region, sum(amount) AS money FROM")
    with_another = best.replace("region FROM", "region, count(*) AS orders FROM")

    told = await compared(draft(best), draft(with_number), given(evidence=shop_rows))
    assert told.agrees
    told = await compared(draft(best), draft(with_another), given(evidence=shop_rows))
    assert told.note == "the same and 1 column more" and not told.agrees


async def test_a_second_that_tells_less_agrees() -> None:
    less = f"SELECT region FROM ({BY_REGION})"
    told = await compared(draft(BY_REGION), draft(less), given(evidence=shop_rows))
    assert told.compared == "subset"
