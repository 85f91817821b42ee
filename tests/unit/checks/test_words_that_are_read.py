"""Right statements are not doubted for words that ask for nothing, that are read in another form,
or that their proposal has tied to what the statement does; beside each a wrong one that is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from services.planner.domain.checks.examples import ACCOUNTS, SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.judging import judge
from services.planner.domain.statements.proposal import Binding
from tests.unit.checks.small_data import SmallData

WORKSHOP = {
    "papers": "paper_id,author,score,result,price_per_page\n"
    "1,Ada,7,Accepted,1.5\n2,Bo,5,Rejected,2.5\n3,Cy,9,Accepted,2.0\n4,Di,4,Rejected,1.0\n"
}
_DATA = {
    name: SmallData(held)
    for name, held in (("shop", SHOP), ("papers", WORKSHOP), ("accounts", ACCOUNTS))
}


def codes(data: str, question: str, sql: str, bindings: Sequence[Binding] = ()) -> set[str]:
    """The codes of what is told of a statement with an error or a doubt."""
    held = _DATA[data]
    told = asyncio.run(
        judge(sql, held.catalogue, held.evidence, question=question, bindings=bindings)
    )
    assert told.readable
    return {one.code for one in told.findings if one.severity is not Severity.NOTE}


@pytest.mark.parametrize(
    ("data", "question", "right", "wrong", "code"),
    [
        (
            "shop",
            "lines with 3 or more pieces",
            "SELECT count(*) FROM lines WHERE quantity > 2",
            "SELECT count(*) FROM lines WHERE quantity > 7",
            "W01",
        ),
        (
            "shop",
            "how many orders before 2025",
            "SELECT count(*) FROM orders WHERE ordered <= '2024-12-31'",
            "SELECT count(*) FROM orders WHERE ordered < '2026-01-01'",
            "W01",
        ),
        (
            "shop",
            "how many orders were sent within 48 hours",
            "SELECT count(*) FROM orders WHERE sent - ordered <= INTERVAL '2' DAY",
            "SELECT count(*) FROM orders",
            "W01",
        ),
        (
            "papers",
            "how many papers have a score of 9 out of 10",
            "SELECT count(*) FROM papers WHERE score = 9",
            "SELECT count(*) FROM papers WHERE score = 10",
            "W01",
        ),
        (
            "papers",
            "how many papers did not make it",
            "SELECT count(*) FROM papers WHERE result = 'Rejected'",
            "SELECT count(*) FROM papers",
            "W01",
        ),
        (
            "shop",
            "longest time without an order, in days",
            "SELECT max(d) FROM (SELECT date_diff('day', lag(ordered) OVER (ORDER BY ordered), "
            "ordered) AS d FROM orders)",
            "SELECT count(*) FROM orders",
            "W01",
        ),
        (
            "shop",
            "customers with at least one order",
            "SELECT name FROM customers WHERE customer_id IN (SELECT customer_id FROM orders)",
            "SELECT name FROM customers",
            "W01",
        ),
        (
            "shop",
            "combined freight of the three biggest orders by freight",
            "SELECT sum(freight) FROM (SELECT freight FROM orders ORDER BY freight DESC LIMIT 3)",
            "SELECT count(*) FROM orders",
            "S01",
        ),
        (
            "shop",
            "what is the average freight per order",
            "SELECT avg(freight) FROM orders",
            "SELECT sum(freight) FROM orders",
            "W04",
        ),
        (
            "papers",
            "mean price per page",
            "SELECT avg(price_per_page) FROM papers",
            "SELECT max(price_per_page) FROM papers",
            "W04",
        ),
        (
            "shop",
            "average freight per day of the week",
            "SELECT sum(freight) / 7 FROM orders",
            "SELECT sum(freight) FROM orders",
            "W04",
        ),
    ],
)
def test_what_is_read_in_another_form(
    data: str, question: str, right: str, wrong: str, code: str
) -> None:
    assert code not in codes(data, question, right)
    assert code in codes(data, question, wrong)


def tied(words: str, fragment: str) -> Binding:
    return Binding(words=words, fragment=fragment, kind="value")


def test_a_word_that_is_tied_to_a_condition_is_read() -> None:
    question = "how many orders never left Oslo"
    sql = "SELECT count(*) FROM orders WHERE freight > 9"
    assert "W01" in codes("shop", question, sql)
    assert "W01" not in codes("shop", question, sql, [tied("never left", "freight > 9")])


@pytest.mark.parametrize(
    "bindings",
    [
        [tied("never left", "orders")],  # a bare name
        [tied("never left", "freight > 8")],  # not in the statement
        [tied(word, "freight > 9") for word in "how many orders never left Oslo today".split()],
    ],
)
def test_who_ties_words_to_nothing_or_all_to_one_has_said_nothing(
    bindings: list[Binding],
) -> None:
    sql = "SELECT count(*) FROM orders WHERE freight > 9"
    assert "W01" in codes("shop", "how many orders never left Oslo", sql, bindings)
