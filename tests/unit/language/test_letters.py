"""Columns called by a letter, columns without values, and text that cannot be summed."""

from __future__ import annotations

import pytest

from services.planner.domain.query.intent import NotUnderstood
from services.planner.domain.reader.understand import understand
from tests.unit.language.shops import LETTERS, TODAY, Values, meaning


@pytest.mark.parametrize(
    ("question", "measure", "split"),
    [
        ("sum of b by a", "total b", ["a"]),
        ("count by a", "number of things", ["a"]),
        ("how many by c", "number of things", ["c"]),
        ("sum of b by a and c", "total b", ["a", "c"]),
        ("average b per a, c", "average b", ["a", "c"]),
    ],
)
async def test_a_letter_is_a_column_where_only_a_name_can_stand(
    question: str, measure: str, split: list[str]
) -> None:
    intent = (await meaning(question, LETTERS)).intent
    assert [m.label for m in intent.measures] == [measure]
    assert [d.label for d in intent.dimensions] == split


async def test_an_article_is_not_a_column() -> None:
    assert (await meaning("sum of b as a table", LETTERS)).intent.dimensions == ()


@pytest.mark.parametrize("question", ["sum of v", "average of v by a"])
async def test_a_sum_of_text_is_refused_with_the_reason(question: str) -> None:
    found = await understand(question, LETTERS, Values(LETTERS), today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert found.message.startswith("v in things holds text: it cannot be summed or averaged.")


async def test_with_one_table_a_column_needs_no_owner_in_its_label() -> None:
    assert (await meaning("count by name", LETTERS)).intent.dimensions[0].label == "name"
