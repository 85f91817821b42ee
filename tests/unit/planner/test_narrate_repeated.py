"""A count of rows that several are of one thing is told as one of rows, not of the things."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.planner.domain.analysis.narrate import Story, narrate
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType
from services.planner.domain.query.intent import Intent, Order, Understood
from services.planner.domain.reader.multiplied import with_repeat_notes
from services.planner.domain.reporting.evidence import ClaimBook
from tests.unit.planner.stories import CATALOGUE, COUNTRY, MONTH, MONTHS, ORDERS, story

COUNT = ORDERS.label
HIGHEST_FIRST = (Order(target="measure", descending=True),)


def of_lines(different: int) -> Catalogue:
    """The orders, a row for each of their lines."""
    (orders,) = CATALOGUE.tables
    number = Column(
        name="order_id",
        data_type=DataType.INTEGER,
        role=ColumnRole.ID,
        distinct=different,
    )
    update = {"columns": (*orders.columns, number)}
    return Catalogue(tables=(orders.model_copy(update=update),))


def text_of(given: Story, different: int = 400) -> str:
    return narrate(replace(given, catalogue=of_lines(different)), ClaimBook()).text


@pytest.mark.parametrize(
    ("count", "text"),
    [(830, "There are 830 rows of orders."), (1, "There is 1 row of orders.")],
)
def test_one_count_is_of_rows(count: int, text: str) -> None:
    intent = Intent(base="Orders", measures=(ORDERS,))
    assert text_of(story("how many orders", intent, {COUNT: [count]})) == text


def test_a_split_count_is_of_rows_in_all_its_sentences() -> None:
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,))
    data = {"ship country": ["USA", "Germany", "Brazil"], COUNT: [122, 121, 83]}
    given = story("orders by country", intent, data, facts={f"total {COUNT}": [326]})
    assert text_of(given).startswith("There are 326 rows of orders in total. Their number is ")
    assert text_of(story("orders by country", intent, data)).startswith(
        "The number of rows of orders is highest for USA (122)"
    )


def test_who_has_the_most_has_rows() -> None:
    intent = Intent(
        base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,), order=HIGHEST_FIRST, limit=1
    )
    given = story("who has most orders", intent, {"ship country": ["USA"], COUNT: [122]})
    assert text_of(given) == "USA has the most rows of orders (122)."


def test_one_named_row_has_rows() -> None:
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,))
    given = story("orders of the USA", intent, {"ship country": ["USA"], COUNT: [1]})
    assert text_of(given) == "USA has 1 row of orders."


def test_rows_over_time_are_rows() -> None:
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(MONTH,))
    given = story("orders by month", intent, {"month": MONTHS, COUNT: list(range(12))})
    assert text_of(given).startswith("The number of rows of orders peaked in ")


@pytest.mark.parametrize("different", [400, 800])
def test_the_sentence_speaks_of_rows_where_the_note_does(different: int) -> None:
    """Where nearly every row has an order of its own they are orders to whoever asks."""
    intent = Intent(base="Orders", measures=(ORDERS,))
    read = Understood(intent=intent, summary="number of orders", confidence=0.9)
    noted = with_repeat_notes(read, of_lines(different)).assumptions
    text = text_of(story("how many orders", intent, {COUNT: [830]}), different)
    assert ("rows of orders" in text) == bool(noted) == (different == 400)
