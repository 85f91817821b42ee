"""From a question to candidate readings: what was meant is among them, and each runs."""

from __future__ import annotations

import asyncio

import pytest

from services.planner.domain.reader import read
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.choice.model import learnt
from tests.unit.language.truth_help import TODAY, Shop

Rows = list[tuple[object, ...]]


def candidates(shop: Shop, question: str) -> list[Candidate]:
    scene = asyncio.run(read.scene_of(question, shop.catalogue, shop.lookup, today=TODAY))
    weighed = read.weighed_of(read.local_of(scene), learnt())
    return read.composed(weighed, learnt())


def answers(shop: Shop, question: str) -> list[Rows]:
    found: list[Rows] = []
    for one in candidates(shop, question):
        assert one.query is not None
        found.append(sorted(shop.run(one.query.text, one.query.params)[1], key=repr))
    return found


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many customers are there", [(6,)]),
        ("number of customers in each city", [("Bath", 1), ("Hull", 1), ("Leeds", 2), ("York", 2)]),
        ("names of products that cost more than 8", [("Candle",), ("Mocha",)]),
        ("which customers live in York", [("Cy Cole",), ("Ed Evans",)]),
        ("the most expensive product", [("Candle",)]),
        (
            "average price of products by category",
            [("Cakes", 5.0), ("Coffee", 8.5), ("Gifts", 20.0), ("Tea", 5.0)],
        ),
        ("customers without orders", [("Flo Ford",)]),
        ("products named with the word Leaf", [("Black Leaf",), ("Green Leaf",)]),
        ("customers with at least 2 orders", [("Ann Abbot", 2), ("Bob Baker", 2), ("Cy Cole", 2)]),
        ("products priced between 5 and 8", [("Black Leaf",), ("Espresso",), ("Plum Slice",)]),
        ("customers from Leeds or Hull", [("Ann Abbot",), ("Bob Baker",), ("Di Dunn",)]),
    ],
)
def test_what_was_meant_is_among_the_candidates(shop: Shop, question: str, rows: Rows) -> None:
    assert rows in answers(shop, question)


def test_the_same_question_gives_the_same_candidates(shop: Shop) -> None:
    once, again = (candidates(shop, "average price by category") for _ in range(2))
    assert [c.query for c in once] == [c.query for c in again]
    assert [c.features for c in once] == [c.features for c in again]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("median price of products", [(7.0,)]),
        (
            "price per stock by category",
            [("Cakes", None), ("Coffee", 17 / 12), ("Gifts", 20 / 3), ("Tea", 1.0)],
        ),
        ("share of orders that are paid", [(0.75,)]),
        ("orders in May 2024", [(1,)]),
    ],
)
def test_numbers_worked_out_are_among_the_candidates(shop: Shop, question: str, rows: Rows) -> None:
    assert rows in answers(shop, question)
