"""What a text may quote: words from anywhere in the record, numbers as they stand there."""

from __future__ import annotations

import pytest

from mesh.proof.quotation import quotable


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("in 2025", "orders in 2025"),
        ("in 2025", "revenue 2025 versus 2024"),
        ("where unit price > 1000", "unit price > 1,000 by region"),
        ("where unit price > 1,000", "products whose unit price > 1000"),
        ("above 736.50", "orders above 736.50"),
        ("discount above 10 %", "discount above 10 percent"),
        ("from 1 October 2025 to 15 November 2025", "from 1 October 2025 to 15 November 2025"),
        ("2025-10-01", "2025-10-01"),
        ("in Q4 2025", "orders per weekday in Q4 2025"),
        ("address line 1", "AddressLine1"),
        ("sales 2024", "sales2024"),
        ("fatty acid 2", "fatty_acid_2"),
        ("number of orders", "Number of order"),
    ],
)
def test_what_stands_there_is_quoted(said: str, source: str) -> None:
    assert quotable([source]).strange_in(said) is None


@pytest.mark.parametrize(
    ("said", "source", "strange"),
    [
        ("736.50 by day", "736 of 50 by day", "736.50"),
        ("69 % of day", "69 of 100 per day", "69%"),
        ("69 of day", "day 8a69f2c4d1e0b7", "69"),
        ("by day 7", "day 5 of 7", "7"),
        ("1,000", "1 000", "1000"),
        ("above 50", "above 50.5", "50"),
        ("above 5", "above 50", "5"),
        ("in Q3", "in Q4 2025", "q3"),
        ("the champion", "the orders", "champion"),
    ],
)
def test_what_does_not_stand_there_so_is_strange(said: str, source: str, strange: str) -> None:
    assert quotable([source]).strange_in(said) == strange


def test_a_number_alone_is_quoted_of_a_text_that_is_no_more() -> None:
    """A column may be called 2013, a number of a question is beside something."""
    assert quotable(["2013", "top 3"]).strange_in("2013") is None
    assert quotable(["2013", "top 3"]).strange_in("3") == "3"
