"""How plainly a statement answers a question: words that became nothing, and joins by a guess."""

from __future__ import annotations

import pytest

from services.planner.domain.catalogue import Catalogue, Relationship
from services.planner.domain.confidence.plainly import Plainly, plainly
from services.planner.domain.confidence.seen import Seen

LINK = Relationship(
    from_table="orders", from_column="customer_id", to_table="customers", to_column="id"
)
DECLARED = Catalogue(tables=(), relationships=(LINK,))
GUESSED = Catalogue(tables=(), relationships=(LINK.model_copy(update={"declared": False}),))
JOINED = (
    "SELECT customers.city, AVG(orders.amount) FROM orders"
    " JOIN customers ON orders.customer_id = customers.id GROUP BY customers.city"
)
COUNTED = "SELECT COUNT(*) FROM orders WHERE orders.country = 'Germany'"


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("average amount by city", JOINED, 0),
        ("median amount by city", JOINED, 1),
        ("typical order amount per city", JOINED, 0),
        ("average discount by city", JOINED, 1),
        ("how many orders are there in Germany?", COUNTED, 0),
        ("how many late orders in Germany", COUNTED, 1),
        ("orders in 2024", "SELECT COUNT(*) FROM orders WHERE day >= DATE '2024-01-01'", 0),
        ("highest amount", "SELECT MAX(amount) FROM orders", 0),
        ("highest amount", "SELECT amount FROM orders", 1),
    ],
)
def test_a_word_counts_where_it_is_in_the_statement_or_asks_for_what_is(
    question: str, text: str, words: int
) -> None:
    assert plainly(question, text, DECLARED).words == words


def test_a_join_that_nobody_declared_is_counted() -> None:
    assert plainly("", JOINED, DECLARED) == Plainly(0, 0)
    assert plainly("", JOINED, GUESSED) == Plainly(0, 1)
    assert plainly("", JOINED, Catalogue(tables=())) == Plainly(0, 1)


def test_what_cannot_be_read_is_not_told_of() -> None:
    assert plainly("average amount", "no statement", DECLARED) == Plainly()


def test_a_plain_question_has_nothing_left_open() -> None:
    plain = Seen(level="high", reading=0.95, odds=0.99)

    assert plain.plain and "plain" in plain.features
    for less in (
        {"unread": 1},
        {"undeclared": 1},
        {"assumptions": 1},
        {"odds": 0.9},
        {"odds": None},
        {"level": "medium"},
        {"denied": True},
    ):
        assert not plain.model_copy(update=less).plain, less
    assert "plain" not in plain.model_copy(update={"proposer": "model"}).features
