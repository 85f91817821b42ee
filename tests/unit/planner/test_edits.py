"""What a follow-up changed, told from two statements, and what it is held to."""

from __future__ import annotations

import pytest

from services.planner.domain.analysis.edited import edited
from services.planner.domain.analysis.in_sight import statement_in_sight
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.proposals.editing import edit_of
from services.planner.domain.proposals.held import find_current_text, held_to
from tests.unit.planner.llm_world import BY_REGION, SHOP, by_rules

ONLY_NORTH = BY_REGION.replace(" GROUP", " WHERE \"region\" = 'North' GROUP")


def query(arguments: dict[str, object], tool: str = "sql.run") -> Planning:
    task = Subtask(task_id="load", description="query", tool_name=tool, arguments=arguments)
    return Planning(draft=PlanDraft(subtasks=(task,), reasoning="", answer_task="load"))


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (BY_REGION, "as before"),
        ("SELECT o.region AS area, SUM(o.amount) AS s FROM orders o GROUP BY area", "as before"),
        (
            BY_REGION.replace("sum", "avg"),
            "as before, but average amount instead of total amount",
        ),
        (ONLY_NORTH, "as before, but region is North"),
        ('SELECT sum("amount") FROM "orders"', "as before, but not by region"),
        (
            "SELECT date_trunc('month', sold_on), sum(amount) FROM orders GROUP BY 1",
            "as before, but by month of sold_on instead of by region",
        ),
        (
            f"{BY_REGION.removesuffix('ORDER BY 1')} ORDER BY 2 DESC LIMIT 3",
            "as before, but the first 3, ordered by total amount, the highest first",
        ),
        (
            "SELECT region, sum(amount) * 100.0 / sum(sum(amount)) OVER () AS share FROM orders "
            "GROUP BY 1",
            "as before, but share instead of total amount",
        ),
        (
            "WITH t AS (SELECT region r, sum(amount) m FROM orders GROUP BY 1) "
            "SELECT r, m FROM t WHERE m > 5",
            "as before, but total amount above 5",
        ),
        (
            "SELECT city, sum(amount) FROM orders JOIN customers ON customer_id = id GROUP BY 1",
            "as before, but by city instead of by region",
        ),
    ],
)
def test_an_edit_is_told_from_the_statements_alone(after: str, told: str) -> None:
    assert edit_of(BY_REGION, after, SHOP).description == told


def test_a_condition_takes_the_place_of_one_of_the_same_column() -> None:
    south = ONLY_NORTH.replace("North", "South")
    edit = edit_of(ONLY_NORTH, south, SHOP)
    assert edit.description == "as before, but region is South instead of region is North"
    assert edit.lost("and South?") == ()


@pytest.mark.parametrize(
    ("before", "after", "words", "lost"),
    [
        (BY_REGION, "SELECT sum(amount) FROM orders", "only North", ("not by region",)),
        (BY_REGION, "SELECT sum(amount) FROM orders", "in total", ()),
        (BY_REGION, "SELECT sum(amount) FROM orders", "forget the regions", ()),
        (ONLY_NORTH, BY_REGION, "by region", ("without region is North",)),
        (ONLY_NORTH, BY_REGION, "for all regions", ()),
        (f"{BY_REGION} LIMIT 3", BY_REGION, "the mean", ("not only the first 3",)),
        (f"{BY_REGION} LIMIT 3", f"{BY_REGION} LIMIT 5", "make it 5", ()),
    ],
)
def test_what_is_gone_unasked_is_a_doubt(
    before: str, after: str, words: str, lost: tuple[str, ...]
) -> None:
    assert edit_of(before, after, SHOP).lost(words) == lost


def test_the_statement_in_sight_has_its_parameters_in_their_places() -> None:
    made = query({"query": "SELECT * FROM orders WHERE region = ?", "params": ["North"]})
    assert statement_in_sight(made) == "SELECT * FROM orders WHERE region = 'North'"
    deep = "SELECT a FROM t WHERE b = ? AND c > ? GROUP BY a HAVING COUNT(*) > ?"
    made = query({"query": deep, "params": ["North", 1, 2]})
    assert statement_in_sight(made) == (
        "SELECT a FROM t WHERE b = 'North' AND c > 1 GROUP BY a HAVING COUNT(*) > 2"
    )
    assert statement_in_sight(by_rules(BY_REGION)) == BY_REGION
    assert statement_in_sight(query({"input": "x"}, "df.transform")) == ""
    assert statement_in_sight(Planning()) == ""


def test_words_that_an_edit_took_back_are_held_against_nothing() -> None:
    by_month = "SELECT date_trunc('month', sold_on), avg(amount) FROM orders GROUP BY 1"
    said = ("total amount by region", "the average by month instead")
    assert held_to(said, BY_REGION, by_month) == "amount by\nthe average by month instead"
    assert held_to(said, BY_REGION, BY_REGION) == "\n".join(said), "nothing is gone"


def test_without_a_statement_in_sight_every_word_counts() -> None:
    held = edited(BY_REGION, ("amount by region", "net"), None, SHOP)
    assert (held.words, held.note, held.lost) == ("amount by region\nnet", "", ())


@pytest.mark.parametrize(
    ("now", "left"),
    [
        ("the mean, not the sum", "the mean"),
        ("mean instead of total, please", "mean, please"),
        ("not the sum but the mean", "but the mean"),
        ("the mean rather than the total", "the mean"),
        ("the mean, not in Berlin", "the mean, not in Berlin"),
        ("the mean, not the sum of returns", "the mean, not the sum of returns"),
    ],
)
def test_what_an_edit_sets_aside_is_nothing_to_hold_it_to(now: str, left: str) -> None:
    mean = BY_REGION.replace("sum(", "avg(").replace('"total"', '"mean"')
    assert find_current_text(now, BY_REGION, mean) == left
    assert held_to(("amount by region", now), BY_REGION, mean).endswith(f"\n{left}")
    assert find_current_text(now, BY_REGION, BY_REGION) == now, "the sum is still there"
