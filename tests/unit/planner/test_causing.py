"""Which column a message takes for the cause of what is in sight."""

from __future__ import annotations

import pytest

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.conversation.causing import column_called

NAMES = ("age", "promo", "prior_spend", "spend", "disc", "discount_code")


@pytest.mark.parametrize(
    ("words", "column"),
    [
        ("promo", "promo"),
        ("promotion", "promo"),
        ("the promotions", "promo"),
        ("prior spend", "prior_spend"),
        ("spend", "spend"),
        ("discount", "discount_code"),  # of which it says a part; "disc" might be a record
        ("the discounts code", "discount_code"),
        ("ages", "age"),
        ("pro", ""),
        ("weather", ""),
    ],
)
def test_a_column_is_known_by_its_name_a_part_of_it_or_in_short(words: str, column: str) -> None:
    columns = tuple(
        Column(name=name, data_type=DataType.FLOAT, role=ColumnRole.MEASURE) for name in NAMES
    )
    table = Table(name="visits", source_name="visits.csv", rows=10, columns=columns)
    assert column_called(words, Catalogue(tables=(table,)), "visits") == column
