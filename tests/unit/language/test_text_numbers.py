"""Numbers kept as text: what can be read is summed, the rest is counted, nothing is guessed."""

from __future__ import annotations

import pytest

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.doubt import Doubt, Repair
from services.planner.domain.query.intent import Aggregate, NotUnderstood, Operator
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand
from tests.unit.language.shops import TODAY, Values, meaning, number, table, text


def sales(*amounts: str) -> Catalogue:
    return Catalogue(
        tables=(table("sales", 9, text("region", "West", "East"), text("amount", *amounts)),)
    )


async def test_cells_that_are_no_numbers_are_left_out_and_counted() -> None:
    data = sales("10", "oops", "12.5")
    found = await meaning("total amount by region", data)
    total, left_out = found.intent.measures
    assert (total.aggregate, total.label) == (Aggregate.SUM, "total amount")
    assert (left_out.aggregate, left_out.label) == (Aggregate.COUNT, "amount not a number")
    assert left_out.where is not None
    assert left_out.where.operator is Operator.NOT_A_NUMBER  # type: ignore[union-attr]
    assert 'TRY_CAST("sales"."amount" AS DOUBLE) IS NULL' in render(found.intent, data).text
    assert found.assumptions == ("cells of amount that are not numbers are left out, and counted",)


@pytest.mark.parametrize("question", ["total amount by region", "average amount by region"])
async def test_text_without_any_number_is_never_counted_instead(question: str) -> None:
    data = sales("oops", "none")
    found = await understand(question, data, Values(data), today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert found.message == (
        "amount in sales holds text: it cannot be summed or averaged. Ask for the number of rows, "
        "or have it read as numbers, as in --read type.amount=number."
    )


async def test_a_total_of_things_that_are_named_is_their_number() -> None:
    data = sales("10")
    [measure] = (await meaning("total regions", data)).intent.measures
    assert measure.aggregate is not Aggregate.SUM


async def test_of_amounts_that_are_text_there_is_no_highest() -> None:
    fans = text("followers", "1.5M", "350K")
    data = Catalogue(tables=(table("channels", 30, text("genre", "rock", "pop"), fans),))
    found = await understand("highest followers by genre", data, Values(data), today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert (
        found.message == '"highest" of which number? followers in channels is text, such as 1.5M.'
    )


async def test_keys_in_two_spellings_are_named_where_nothing_relates() -> None:
    data = Catalogue(
        tables=(
            table("sales", 9, text("shop", "1", "2"), number("amount")),
            table("places", 2, text("code", "01", "02"), text("city", "Ulm", "Bonn")),
        ),
        doubts=(
            Doubt(
                code="key-spelling",
                table="places",
                column="code",
                said="code goes with sales.shop in 100 % of its values if it is read plain",
                repairs=(Repair(kind="plain", column="code"),),
            ),
        ),
    )
    found = await understand("total amount by city", data, Values(data), today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert found.message.endswith("if it is read plain: read it with --read plain.code=.")
