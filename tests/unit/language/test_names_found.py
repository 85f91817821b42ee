"""Names that are cut short, described, alike in many tables, or half of two."""

from __future__ import annotations

import pytest

from bench.understanding import lookup, wide_catalogue
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import (
    Clarification,
    Condition,
    Field,
    NotUnderstood,
    Operator,
    Understood,
)
from services.planner.domain.reader.understand import understand
from tests.unit.language.shops import SHOP, TODAY, Values, key, meaning, number, table, text

PLAYERS = Catalogue(
    tables=(
        table(
            "players",
            90,
            key("pid", 90),
            text("ppos", "goalie", "mid"),
            number("hs", whole=True),
            number("yc", whole=True),
            number("x17").model_copy(update={"comment": "distance run in training"}),
            number("injuries_85_99"),
            number("injuries_00_14"),
        ),
    )
)


async def test_a_column_is_found_by_what_its_name_is_short_for() -> None:
    [measure] = (await meaning("average hours", PLAYERS)).intent.measures
    assert measure.expression == Field(table="players", column="hs")


@pytest.mark.parametrize("words", ["yellow cards", "training distance"])
async def test_letters_and_comments_alone_make_no_name(words: str) -> None:
    found = await understand(f"average {words}", PLAYERS, Values(PLAYERS), today=TODAY)
    assert isinstance(found, NotUnderstood)


async def test_letters_in_the_wrong_order_are_a_misspelling() -> None:
    places = Catalogue(tables=(table("visits", 9, text("region"), number("price")),))
    [measure] = (await meaning("average prcie by regoin", places)).intent.measures
    assert measure.expression == Field(table="visits", column="price")


async def test_a_word_that_is_half_of_two_names_is_asked_about() -> None:
    asked = await understand("total injuries", PLAYERS, Values(PLAYERS), today=TODAY)
    assert isinstance(asked, Clarification)
    assert asked.options == ("total injuries 85 99", "total injuries 00 14")


async def test_of_fifty_like_named_columns_the_one_of_the_table_spoken_of_is_meant() -> None:
    found = await understand(
        "average weight of shipment lines by carrier for priority high",
        wide_catalogue(),
        lookup,
        today=TODAY,
    )
    assert isinstance(found, Understood)
    carrier = found.intent.dimensions[0].expression
    assert carrier == Field(table="shipment_line", column="carrier")
    assert found.intent.joins == ()


async def test_a_flag_before_things_says_which_are_meant() -> None:
    intent = (await meaning("number of discontinued products by category")).intent
    target = Field(table="Products", column="Discontinued")
    assert intent.filters == (Condition(field=target, operator=Operator.EQUAL, values=("1",)),)
    assert [m.label for m in intent.measures] == ["number of products"]


async def test_the_price_of_each_thing_is_told_with_which() -> None:
    intent = (await meaning("unit price of each product")).intent
    assert [d.label for d in intent.dimensions] == ["product name"]


async def test_two_numbers_in_relation_make_one_chart_however_they_are_worded() -> None:
    bills = Catalogue(tables=(table("bills", 50, number("height"), number("weight")),))
    said = ["height and weight", "weight and height"]
    charts = [
        (await meaning(f"show the relationship between {pair}", bills)).intent for pair in said
    ]
    assert charts[0] == charts[1]


async def test_a_comparison_with_nothing_is_refused() -> None:
    question = "orders from Germany taller than 5"
    found = await understand(question, SHOP, Values(SHOP), today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert 'What is to be compared in "taller than 5" could not be told.' in found.message
