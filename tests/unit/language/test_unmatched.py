"""Values that the data does not hold are conditions as written, or refused; never left out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from services.planner.domain.catalogue import ValueHit
from services.planner.domain.query.filters import conditions_of
from services.planner.domain.query.intent import (
    Aggregate,
    Condition,
    Field,
    NotUnderstood,
    Operator,
    Understood,
)
from services.planner.domain.reader.understand import understand
from tests.unit.language.shops import SALES, SHOP, TODAY, Values, meaning

REGION = Field(table="sales", column="region")


@pytest.mark.parametrize(
    "question",
    [
        "total amount where region is North",
        "total amount where region = 'North'",
        "total amount for region North",
        "total amount in the North region",
    ],
)
async def test_a_value_that_nothing_matches_still_narrows_the_rows(question: str) -> None:
    intent = (await meaning(question, SALES)).intent
    assert intent.filters == (Condition(field=REGION, operator=Operator.EQUAL, values=("North",)),)
    assert [m.aggregate for m in intent.measures] == [Aggregate.SUM]
    assert intent.dimensions == ()


async def test_a_value_can_be_ruled_out_though_nothing_matches_it() -> None:
    [wanted] = (await meaning("total amount where region is not North", SALES)).intent.filters
    assert wanted == Condition(field=REGION, operator=Operator.NOT_EQUAL, values=("North",))


async def test_an_unknown_value_beside_a_known_one_is_of_the_same_column() -> None:
    intent = (await meaning("total amount where region is North or West", SALES)).intent
    told = conditions_of(intent.filters)
    assert sorted(c.values for c in told) == [("North",), ("West",)]


async def test_words_with_capitals_stay_together() -> None:
    [wanted] = (await meaning("number of orders with customer country New Atlantis")).intent.filters
    assert isinstance(wanted, Condition)
    assert (wanted.field.column, wanted.values) == ("Country", ("New Atlantis",))


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("orders from Atlantis", "Atlantis"),
        ("orders shipped to Atlantis", "Atlantis"),
        ("orders from atlantis", "atlantis"),
        ("revenue for Acme Corp", "Acme Corp"),
        ("revenue by colour", "colour"),
        ("customers in Atlantis", "Atlantis"),
    ],
)
async def test_where_no_column_can_be_told_the_word_is_named(question: str, word: str) -> None:
    found = await understand(question, SHOP, Values(SHOP), today=TODAY, assume=True)
    assert isinstance(found, NotUnderstood)
    assert f'"{word}"' in found.message


@pytest.mark.parametrize(
    "question",
    ["total amount in North", "total amount for 'North'", "total amount in West or North"],
)
async def test_a_name_beside_no_column_is_never_left_out(question: str) -> None:
    found = await understand(question, SALES, Values(SALES), today=TODAY, assume=True)
    assert isinstance(found, NotUnderstood)
    assert '"North"' in found.message


async def test_a_grouping_is_kept_beside_a_value_of_the_same_column() -> None:
    intent = (await meaning("total amount by region in West", SALES)).intent
    assert [d.label for d in intent.dimensions] == ["region"]
    assert len(intent.filters) == 1


async def test_a_value_that_is_only_nearly_written_is_said_to_be_meant() -> None:
    async def near(phrases: Sequence[str]) -> Sequence[ValueHit]:
        return [
            ValueHit(phrase=p, table="sales", column="region", value="West", score=0.9)
            for p in phrases
            if p == "Wets"
        ]

    found = await understand("total amount where region is Wets", SALES, near, today=TODAY)
    assert isinstance(found, Understood)
    assert found.assumptions == ('"West" is meant by "Wets"',)
