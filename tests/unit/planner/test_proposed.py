"""What the built-in reader, a recipe and a person propose: each a statement, and where its parts
come from."""

from __future__ import annotations

from typing import Any

import pytest

from services.planner.domain.checks.examples import SHOP
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.proposals.binding import bindings_of
from services.planner.domain.proposals.described import described
from services.planner.domain.proposals.proposing import by_person, by_recipe, by_rules
from services.planner.domain.query.intent import Link
from tests.unit.checks.small_data import SmallData

DATA = SmallData(SHOP).catalogue
QUERY = (
    'SELECT "orders"."region" AS "region", SUM("orders"."freight") AS "total freight" '
    'FROM "orders" '
    'WHERE "orders"."region" = ? GROUP BY "orders"."region" '
    'ORDER BY SUM("orders"."freight") DESC LIMIT 5'
)
LINKS = (
    Link(phrase="freight", target="freight in orders", score=1, reason="the same name",
         names=("orders", "freight")),
    Link(phrase="North", target="region", score=1, reason="a value in it",
         names=("orders", "region", "North")),
    Link(phrase="gone", target="elsewhere", score=1, reason="?", names=("other", "nothing")),
)  # fmt: skip


def draft(*queries: tuple[str, list[Any]]) -> PlanDraft:
    steps = [
        Subtask(task_id=f"load{n}", description="", tool_name="sql.run",
                arguments={"query": query, "params": params})
        for n, (query, params) in enumerate(queries)
    ]  # fmt: skip
    facts = Subtask(
        task_id="facts", description="", tool_name="df.transform", arguments={},
        dependencies=tuple(step.task_id for step in steps),
    )  # fmt: skip
    return PlanDraft(subtasks=(*steps, facts), reasoning="", answer_task="facts")


def test_words_are_bound_to_the_parts_of_the_statement_that_they_became() -> None:
    question = "top 5 freight of North by region"
    made = by_rules(question, "freight", LINKS, draft((QUERY, ["North"])), DATA)

    assert made is not None
    assert made.problems(question) == []
    assert "?" not in made.statement
    assert [(one.words, one.fragment, one.kind) for one in made.bindings] == [
        ("top", 'SUM("orders"."freight") DESC', "order"),
        ("5", "LIMIT 5", "limit"),
        ("freight", 'SUM("orders"."freight")', "metric"),
        ("North", '"orders"."region" = \'North\'', "value"),
    ]


def test_an_answer_of_several_statements_is_no_proposal() -> None:
    assert by_rules("q", "u", (), draft((QUERY, ["a"]), (QUERY, ["b"])), DATA) is None


def test_a_recipe_and_a_person_say_who_they_are() -> None:
    recipe = by_recipe(
        "ab" * 16, "freight in the north", "freight", draft((QUERY, ["North"])), DATA
    )
    person = by_person("SELECT count(*) AS n FROM orders", "as it is", DATA)

    assert recipe is not None and recipe.proposer == f"recipe:{'ab' * 16}"
    assert {"freight", "north"} <= {one.words for one in recipe.bindings}
    assert person is not None
    assert (person.proposer, person.bindings, person.grain) == ("person", (), "one row over all")
    assert by_person("SELECT 1 -- " + "x" * 10_000, "as it is", DATA) is None


@pytest.mark.parametrize(
    ("sql", "roles", "grain"),
    [
        (QUERY.replace("?", "'a'"), "label measure+", "one row for each region"),
        ("SELECT * FROM orders LIMIT 3", "key", "one row of orders"),
        ("SELECT date_trunc('month', ordered) AS month, avg(freight) AS f FROM orders GROUP BY 1",
         "date measure", "one row for each month"),
        ("SELECT region, sum(freight) / sum(sum(freight)) OVER () AS share FROM orders GROUP BY 1",
         "label share", "one row for each region"),
        ("SELECT region, rank() OVER (ORDER BY region) AS place FROM orders", "label rank",
         "one row of orders"),
        ("SELECT DISTINCT region FROM orders", "label", "one row for each combination"),
        ("SELECT n FROM (SELECT region, count(*) AS n FROM orders GROUP BY 1)", "measure",
         "one row for each region"),
        ("SELECT nothing FROM nowhere", "", ""),
    ],
)  # fmt: skip
def test_columns_have_roles_and_rows_a_meaning(sql: str, roles: str, grain: str) -> None:
    columns, told = described(sql, DATA)
    found = " ".join(f"{column.role}{'+' * column.additive}" for column in columns)
    assert found.startswith(roles) and bool(found) == bool(roles)
    assert told == grain


@pytest.mark.parametrize("text", ["", "DROP TABLE orders", "no statement at all"])
def test_of_what_is_no_statement_nothing_is_bound(text: str) -> None:
    assert bindings_of("freight", LINKS, text) == ()
