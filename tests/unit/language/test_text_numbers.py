"""Numbers kept as text: what can be read is summed, the rest is counted, nothing is guessed."""

from __future__ import annotations

import pytest

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.doubt import Doubt, Repair
from services.planner.domain.query.intent import Aggregate, NotUnderstood, Understood
from services.planner.domain.reader.understand import understand
from tests.unit.language.shops import TODAY, Values, number, table, text


def sales(*amounts: str) -> Catalogue:
    return Catalogue(
        tables=(table("sales", 9, text("region", "West", "East"), text("amount", *amounts)),)
    )


@pytest.mark.parametrize("amounts", [("oops", "none"), ("10", "oops", "12.5")])
@pytest.mark.parametrize("question", ["total amount by region", "average amount by region"])
async def test_text_is_never_counted_where_it_should_be_added(
    question: str, amounts: tuple[str, ...]
) -> None:
    data = sales(*amounts)
    found = await understand(question, data, Values(data), today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert found.message == (
        "amount in sales holds text: it cannot be summed or averaged. Ask for the number of rows, "
        "or have it read as numbers, as in --read type.amount=number"
    )


async def test_a_total_of_things_that_are_named_is_their_number() -> None:
    data = sales("10")
    found = await understand("total regions", data, Values(data), today=TODAY, assume=True)
    if isinstance(found, Understood):  # else it is refused, which will do
        assert all(m.aggregate is not Aggregate.SUM for m in found.intent.measures)


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
