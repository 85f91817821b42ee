"""Answers of domains are joined only by keys that are keys, and no amount is doubled in silence."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from services.planner.domain.routing.arguments import arguments_for
from services.planner.domain.routing.merging import Answer, join_of


def answer(domain: str, **columns: tuple[Any, ...]) -> Answer:
    return Answer(domain=domain, columns=columns)


def test_a_name_that_both_have_joins_and_what_has_no_partner_is_told() -> None:
    stock = answer("stock", product=("Tea", "Milk", "Oil"), units=(1, 2, 3))
    sales = answer("sales", Product=("Tea", "Milk", "Rye"), revenue=(5.0, 6.0, 7.0))

    plan = join_of(stock, sales)

    assert plan is not None
    assert (plan.left, plan.right, plan.on) == ("stock", "sales", (("product", "Product"),))
    assert plan.notes == (
        "stock and sales are joined by product.",
        "1 row of stock has no partner in sales.",
        "1 row of sales has no partner in stock.",
    )


def test_the_side_whose_keys_repeat_is_the_left_and_doubling_is_told() -> None:
    stock = answer("stock", product=("Tea", "Milk"), units=(1, 2))
    orders = answer("orders", product=("Tea", "Tea", "Milk"), amount=(5, 6, 7))

    plan = join_of(stock, orders)

    assert plan is not None and (plan.left, plan.right) == ("orders", "stock")
    assert "amounts must not be added up" in plan.notes[-1]
    assert join_of(orders, orders.model_copy(update={"domain": "again"})) is None


def test_names_of_the_same_words_are_one_key_and_so_are_those_with_words_more() -> None:
    units = answer("trade", **{"product name": ("Tea", "Milk"), "units": (1, 2)})
    shelves = answer("stock", ProductName=("Tea", "Milk"), shelf=("A", "B"))
    prices = answer("prices", product=("Tea", "Milk"), price=(1, 2))
    makers = answer("makers", maker=("Tea", "Milk"), since=(1, 2))

    plan, other = join_of(units, shelves), join_of(units, prices)

    assert plan is not None and plan.on == (("product name", "ProductName"),)
    assert other is not None and other.on == (("product name", "product"),)
    assert join_of(units, makers) is None


def test_all_keys_count_together() -> None:
    first = answer("a", region=("N", "N", "S"), year=(1, 2, 1), sold=(1, 2, 3))
    second = answer("b", region=("N", "S", "N"), year=(1, 1, 2), bought=(1, 2, 3))

    plan = join_of(first, second)

    assert plan is not None and plan.on == (("region", "region"), ("year", "year"))


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({"units": (1, 2)}, {"units": (1, 2)}),
        ({"price": (1.5, 2.5)}, {"price": (1.5, 2.5)}),
        ({"flag": (True, False)}, {"flag": (True, False)}),
        ({"name": ("a", "b", "c")}, {"name": ("a", "x", "y")}),
        ({"name": (None, None)}, {"name": ("a", None)}),
        ({"order_id": (1, 2)}, {"order_id": ("1", "2")}),
        ({"name": ("a",)}, {"title": ("a",)}),
        ({"name": ()}, {"name": ()}),
    ],
)
def test_what_is_no_key_joins_nothing(mine: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert join_of(answer("a", **mine), answer("b", **theirs)) is None


def test_numbers_and_dates_that_say_which_are_keys() -> None:
    days = (date(2026, 1, 1), date(2026, 1, 2))
    for name, cells in (("orderId", (1, 2)), ("year", (2024, 2025)), ("shipped", days)):
        assert join_of(answer("a", **{name: cells}), answer("b", **{name: cells})) is not None


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"properties": {"question": {"type": "string"}}, "required": ["question"]}, "question"),
        ({"properties": {"q": {"type": "string"}, "limit": {"type": "integer"}}}, "q"),
        ({"properties": {"wish": {"type": "string"}}, "required": ["wish"]}, "wish"),
        ({"properties": {"wish": {"type": "string"}}}, ""),
        ({}, ""),
    ],
)
def test_a_question_goes_where_a_question_belongs(schema: dict[str, Any], given: str) -> None:
    assert arguments_for(schema, "How many?") == ({given: "How many?"} if given else {})


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"limit": {"type": "integer"}}, "required": ["limit"]},
        {"properties": {"kind": {"type": "string", "enum": ["a"]}}, "required": ["kind"]},
        {
            "properties": {"question": {"type": "string"}, "city": {"type": "string"}},
            "required": ["question", "city"],
        },
        {"required": ["hidden"]},
    ],
)
def test_what_else_a_tool_needs_is_not_guessed(schema: dict[str, Any]) -> None:
    assert arguments_for(schema, "How many?") is None
