"""The first of each: read from many wordings, ranked within groups, the same in every dialect."""

from __future__ import annotations

import asyncio
import sqlite3

import pytest
import sqlglot

from services.planner.domain.query.intent import Dimension, Field, Intent, Order, TopOfEach
from services.planner.domain.query.planning.sql import render
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader import read
from services.planner.domain.reader.chart.leading import leading_of
from services.planner.domain.reader.choice.model import learnt
from tests.unit.language.truth_help import TODAY, Shop

Rows = list[tuple[object, ...]]
_DEAREST: Rows = [
    ("Cakes", "Plum Slice"),
    ("Coffee", "Mocha"),
    ("Gifts", "Candle"),
    ("Tea", "Black Leaf"),
]


def answers(shop: Shop, question: str) -> list[Rows]:
    """The rows of every candidate, without the columns that a question may or may not want."""
    scene = asyncio.run(read.scene_of(question, shop.catalogue, shop.lookup, today=TODAY))
    weighed = read.weighed_of(read.local_of(scene), learnt())
    found: list[Rows] = []
    for one in read.composed(weighed, learnt()):
        assert one.query is not None
        rows = shop.run(one.query.text, one.query.params)[1]
        found.append(sorted((tuple(row[:2]) for row in rows), key=repr))
    return found


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("the most expensive product in each category", _DEAREST),
        (
            "cheapest product per category",
            [
                ("Cakes", "Plum Slice"),
                ("Coffee", "Espresso"),
                ("Gifts", "Candle"),
                ("Tea", "Green Leaf"),
            ],
        ),
        ("for every category, the product with the highest price", _DEAREST),
        (
            "the last status of each customer",
            [
                ("Ann Abbot", "open"),
                ("Bob Baker", "cancelled"),
                ("Cy Cole", "paid"),
                ("Di Dunn", "paid"),
                ("Ed Evans", "paid"),
            ],
        ),
        (
            "which payment was used most often in each status",
            [("cancelled", "cash"), ("open", "cash"), ("paid", "card")],
        ),
    ],
)
def test_the_first_of_each_is_among_the_candidates(shop: Shop, question: str, rows: Rows) -> None:
    assert rows in answers(shop, question)


@pytest.mark.parametrize(
    "question",
    [
        "number of orders of each customer, highest first",
        "average price per category in the last year",
        "customers with at least 2 orders in each city",
        "first name of each customer",
        "number of products by category",
    ],
)
def test_words_that_sort_or_bound_pick_nothing(shop: Shop, question: str) -> None:
    scene = asyncio.run(read.scene_of(question, shop.catalogue, shop.lookup, today=TODAY))

    told = leading_of(scene)

    assert told is None or not told.outright


def _last_orders(most: int) -> Intent:
    return Intent(
        base="orders",
        dimensions=(
            Dimension(expression=Field(table="orders", column="payment"), label="payment"),
            Dimension(expression=Field(table="orders", column="status"), label="status"),
        ),
        top_of_each=TopOfEach(
            within=(0,),
            most=most,
            by=Order(target="field", field=Field(table="orders", column="status")),
        ),
    )


def test_ties_are_kept_and_told(shop: Shop) -> None:
    intent = _last_orders(1)

    query = render(intent, shop.catalogue)

    rows = shop.run(query.text, query.params)[1]
    assert rows == [*[("card", "paid")] * 5, ("cash", "cancelled"), ("paypal", "paid")]
    assert "of each payment the one with the lowest status, ties kept" in summarise(
        intent, shop.catalogue
    )


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "spark"])
def test_every_dialect_says_it_without_a_word_of_one_engine(shop: Shop, dialect: str) -> None:
    query = render(_last_orders(2), shop.catalogue)

    told = sqlglot.transpile(query.text, read="duckdb", write=dialect)[0]

    assert "QUALIFY" not in told.upper()
    if dialect == "sqlite":
        with sqlite3.connect(f"file:{shop.path}?mode=ro", uri=True) as source:
            assert source.execute(told).fetchall() == shop.run(query.text, query.params)[1]


@pytest.mark.parametrize("end", ["first", "earliest", "last", "latest"])
def test_the_first_date_is_no_day_of_the_least_of_something_else(shop: Shop, end: str) -> None:
    """ "First order date" was asked back, with the total amount by order date, lowest first."""
    every = shop.run("SELECT order_date FROM orders ORDER BY order_date", [])[1]
    wanted = every[0][0] if end in ("first", "earliest") else every[-1][0]
    found = [rows for rows in answers(shop, f"{end} order date") if len(rows) == 1]
    assert found and {row[-1] for [row] in found} == {wanted}, found
