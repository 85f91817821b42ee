"""Lists of things, averages over things, comparisons of values, and the best of each group."""

from __future__ import annotations

import pytest

from services.planner.domain.query.intent import (
    Aggregate,
    ChartType,
    Condition,
    Field,
    Grain,
    Operator,
    Order,
)
from services.planner.domain.query.planning.sql import render
from tests.unit.language.shops import PENGUINS, SHOP, meaning

NAME = Field(table="Categories", column="CategoryName")


async def test_a_list_has_a_row_for_each_thing_whatever_its_name() -> None:
    intent = (await meaning("list all customers in Germany")).intent
    assert not intent.distinct
    assert intent.dimensions[0].identity == Field(table="Customers", column="CustomerID")


async def test_things_of_one_name_stay_apart_where_joins_repeat_them() -> None:
    intent = (await meaning("customers of Seafood")).intent
    assert '"Customers"."CustomerID"' in render(intent, SHOP).text.split("GROUP BY")[1]


async def test_a_list_shows_the_number_that_it_is_narrowed_by() -> None:
    intent = (await meaning("products with unit price above 50")).intent
    assert [d.label for d in intent.dimensions] == ["product"]
    assert [(m.label, m.aggregate) for m in intent.measures] == [("unit price", None)]
    assert intent.order[0] == Order(target="measure", descending=True)


async def test_a_verb_before_a_time_says_which_date_is_meant() -> None:
    intent = (await meaning("employees hired before 1993")).intent
    hired = Field(table="Employees", column="HireDate")
    assert [d.label for d in intent.dimensions] == ["employee", "hire date"]
    [wanted] = intent.filters
    assert isinstance(wanted, Condition)
    assert (wanted.field, wanted.operator) == (hired, Operator.LESS)


async def test_a_verb_after_what_is_counted_only_dates_it() -> None:
    intent = (await meaning("number of orders required in 2022 by country")).intent
    assert [d.label for d in intent.dimensions] == ["country"]
    assert '"Orders"."RequiredDate" BETWEEN' in render(intent, SHOP).text


@pytest.mark.parametrize("question", ["average order value", "average revenue per order"])
async def test_an_order_is_worth_its_lines_together(question: str) -> None:
    found = await meaning(question)
    [measure] = found.intent.measures
    assert measure.label == "average revenue per order"
    assert (measure.aggregate, measure.additive) == (Aggregate.AVERAGE, False)
    assert measure.per == Field(table="OrderDetails", column="OrderID")
    assert "summed per order id and averaged" in found.summary


async def test_compared_values_are_told_apart_and_nothing_else_is_shown() -> None:
    intent = (await meaning("compare Beverages and Seafood by month")).intent
    assert [d.grain for d in intent.dimensions] == [Grain.MONTH, None]
    assert intent.dimensions[1].expression == NAME
    assert set(render(intent, SHOP).params) == {"Beverages", "Seafood"}


async def test_compared_values_keep_the_number_that_was_named() -> None:
    found = await meaning("compare number of customers in France and Germany")
    assert [m.label for m in found.intent.measures] == ["number of customers"]
    assert [d.label for d in found.intent.dimensions] == ["country"]
    assert len(found.intent.filters) == 1


@pytest.mark.parametrize(
    "question",
    [
        "top 3 products per category by revenue",
        "top 3 products in each category by revenue",
        "for each category, the top 3 products by revenue",
    ],
)
async def test_the_best_few_are_taken_of_each_group(question: str) -> None:
    found = await meaning(question)
    assert [d.label for d in found.intent.dimensions] == ["category name", "product name"]
    assert "of each category name the 3 with the highest total revenue" in found.summary


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("cheapest product per category", "lowest unit price"),
        ("most expensive product in each category", "highest unit price"),
    ],
)
async def test_the_one_best_is_taken_of_each_group(question: str, end: str) -> None:
    found = await meaning(question)
    assert f"of each category name the one with the {end}" in found.summary
    labels = [d.label for d in found.intent.dimensions]
    assert labels[:2] == ["category name", "product name"]


@pytest.mark.parametrize(
    "question", ["compare revenue in 2022 and 2023", "compare revenue 2022 vs 2023"]
)
async def test_compared_years_are_told_apart(question: str) -> None:
    intent = (await meaning(question)).intent
    assert [d.grain for d in intent.dimensions] == [Grain.YEAR]
    assert len(intent.filters) == 1


async def test_words_for_rows_are_understood() -> None:
    intent = (await meaning("number of records per island", PENGUINS)).intent
    assert [m.aggregate for m in intent.measures] == [Aggregate.COUNT]
    assert [d.label for d in intent.dimensions] == ["island"]


async def test_the_best_of_each_month_are_ranked_by_month() -> None:
    intent = (await meaning("top 2 products per month by revenue")).intent
    assert [d.grain for d in intent.dimensions] == [None, Grain.MONTH]


async def test_days_of_the_week_are_bars() -> None:
    assert (await meaning("number of orders by weekday")).intent.chart is ChartType.BAR
