"""Text into tokens, names into words, and the set phrases for charts, sorting and time."""

from __future__ import annotations

from datetime import date

import pytest

from services.planner.domain.lexicon.normalise import (
    name_words,
    readable,
    stem,
    tokenise,
)
from services.planner.domain.query.calendar import last_range
from services.planner.domain.reader.times.times import time_spans
from tests.unit.language.shops import TODAY


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("EMP_FNAME", "employee first name"),
        ("UnitPrice", "unit price"),
        ("order_date", "order date"),
        ("lifeExpectancy", "life expectancy"),
        ("Order Details", "order details"),
    ],
)
def test_a_name_falls_into_its_words(name: str, words: str) -> None:
    assert name_words(name) == tuple(stem(word) for word in words.split())


def test_a_name_is_shown_as_people_write_it() -> None:
    assert readable("UnitPrice") == "unit price"
    assert readable("share_count") == "share count"


def test_quoted_text_numbers_and_possessives_keep_their_meaning() -> None:
    tokens = tokenise('artist\'s songs over 1,200 called "Let it be"')
    assert [t.text for t in tokens] == ["artist", "songs", "over", "1,200", "called", "Let it be"]
    assert tokens[3].number == 1200
    assert tokens[5].quoted


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("sales in 2022", date(2022, 1, 1), date(2023, 1, 1)),
        ("sales in Q1 2021", date(2021, 1, 1), date(2021, 4, 1)),
        ("sales in March 2023", date(2023, 3, 1), date(2023, 4, 1)),
        ("sales since 2022", date(2022, 1, 1), None),
        ("sales before June 2022", None, date(2022, 6, 1)),
        ("sales between 2021 and 2022", date(2021, 1, 1), date(2023, 1, 1)),
        ("sales on 2022-02-28", date(2022, 2, 28), date(2022, 3, 1)),
        ("sales this year", date(2024, 1, 1), date(2025, 1, 1)),
    ],
)
def test_spans_of_time_become_half_open_ranges(
    question: str, start: date | None, end: date | None
) -> None:
    [span] = time_spans(question, tokenise(question), TODAY)
    assert (span.start, span.end) == (start, end)


def test_a_count_is_no_year() -> None:
    question = "products with more than 2000 units"
    assert time_spans(question, tokenise(question), TODAY) == []


def test_the_last_months_end_with_the_latest_month_of_the_data() -> None:
    assert last_range(6, "month", date(2023, 12, 29)) == (date(2023, 7, 1), date(2024, 1, 1))
    assert last_range(7, "day", date(2023, 12, 29)) == (date(2023, 12, 23), date(2023, 12, 30))
