"""Metrics, periods and segments are called as people call them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from types import SimpleNamespace
from typing import cast

import pytest

from mesh.text.spelling import capitalised
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.catalogue import ValueHit
from services.planner.domain.investigation.hypothesising import in_words
from services.planner.domain.investigation.metric_words import metric_in_words
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.plain_names import in_plain_names
from services.planner.domain.investigation.wording import (
    called,
    chance,
    counted,
    days_called,
    is_share,
    when_called,
)
from services.planner.investigation.caveats import caveats_of
from tests.unit.investigation.frames import ground
from tests.unit.investigation.shop import shop


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("sum(amount)", "total amount"),
        ("sum(Invoice.Total)", "Total"),
        ("avg(average_rate)", "average rate"),
        ('SUM("orders"."net_amount")', "total net amount"),
        ("avg(delay)", "average delay"),
        ("count(*)", "number of rows"),
        ("count(distinct customer_id)", "number of different customer ids"),
        ("avg(m.revenue) filter (where m.channel = 'web')", "average revenue of channel web"),
        (
            "sum(revenue) filter (where channel = 'web' and region = 'North')",
            "total revenue of channel web and region North",
        ),
        (
            "sum(revenue) filter (where revenue > 5)",
            "sum(revenue) filter (where revenue > 5)",
        ),
        ("sum(revenue) / count(*)", "revenue per row"),
        ("sum(revenue) / nullif(sum(visits), 0)", "revenue per visit"),
        ("sum(price * quantity)", "total price × quantity"),
        ("avg(case when returned then 1 else 0 end)", "share of returned"),
        ("count_if(status = 'late') / count(*)", "share of status late"),
        ("revenue", "revenue"),
        ("late deliveries, all of them", "late deliveries, all of them"),
        ("sum(a) - sum(b)", "sum(a) - sum(b)"),
    ],
)
def test_a_metric_is_called_by_words_where_words_can_say_it(label: str, said: str) -> None:
    assert called(ground(label=label)) == said


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ((2024, 2, 1), (2024, 2, 29), "February 2024"),
        ((2024, 4, 1), (2024, 6, 30), "April to June 2024"),
        ((2024, 1, 1), (2024, 12, 31), "2024"),
        ((2023, 1, 1), (2024, 12, 31), "2023 to 2024"),
        ((2023, 11, 1), (2024, 1, 31), "November 2023 to January 2024"),
        ((2024, 3, 3), (2024, 3, 9), "3 to 9 March 2024"),
        ((2024, 2, 26), (2024, 3, 3), "26 February to 3 March 2024"),
        ((2023, 12, 30), (2024, 1, 2), "30 December 2023 to 2 January 2024"),
        ((2024, 3, 3), (2024, 3, 3), "3 March 2024"),
    ],
)
def test_whole_months_and_years_are_called_so(
    start: tuple[int, int, int], end: tuple[int, int, int], said: str
) -> None:
    assert days_called(DateRange(start=date(*start), end=date(*end))) == said


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ((2024, 2, 1), (2024, 2, 29), "in February 2024"),
        ((2024, 1, 1), (2024, 12, 31), "in 2024"),
        ((2023, 1, 1), (2024, 12, 31), "in 2023 to 2024"),
        ((2024, 3, 3), (2024, 3, 9), "between 3 and 9 March 2024"),
        ((2024, 2, 15), (2024, 3, 14), "between 15 February and 14 March 2024"),
        ((2024, 3, 3), (2024, 3, 3), "on 3 March 2024"),
    ],
)
def test_a_sentence_says_when_with_its_preposition(
    start: tuple[int, int, int], end: tuple[int, int, int], said: str
) -> None:
    assert when_called(DateRange(start=date(*start), end=date(*end))) == said


def test_tools_speak_of_the_metric_by_its_own_name() -> None:
    of = ground()
    said = '3 rows have no finite number in "assay_numerator"; assay_time runs to Monday'
    assert in_plain_names(said, of) == (
        "3 rows have no finite number in amount; ordered_at runs to Monday"
    )
    rate = ground(label="sum(won) / count(*)", ratio=True)
    assert in_plain_names("assay_numerator", rate) == "what won per row is made of"


def test_a_bound_of_a_probability_is_the_bound_and_nothing_larger() -> None:
    assert chance(0.0005, at_most=True) == "below 0.0005"
    assert chance(0.0002) == "below 0.001" and chance(0.03) == "0.03"


def test_a_share_is_a_count_among_a_count_or_called_so() -> None:
    share = "COUNT(*) FILTER(WHERE won) / COUNT(*)"
    assert is_share(ground(label=share, metric=share, ratio=True))
    assert is_share(ground(label="return rate", metric="SUM(a) / SUM(b)", ratio=True))
    assert not is_share(ground(label="avg(amount)", metric="AVG(amount)", ratio=True))
    assert not is_share(ground(label="sum(amount)", metric="SUM(amount)"))
    per_cent = f"100 * {share}"
    assert not is_share(ground(label="x", metric=per_cent, ratio=True))


def test_segments_read_as_one_thing_and_names_as_words() -> None:
    both = (("channel", "web"), ("customer_segment", None))
    assert in_words(both) == "channel web with customer segment (missing)"
    assert in_words(()) == "everything"
    assert counted(1, "row") == "1 row" and counted(2_000, "row") == "2,000 rows"


def test_of_values_folded_twice_the_last_is_told() -> None:
    first = 'city: 9 values, those of the least change and size, are told as "(other)"'
    last = 'city: 200 of 209 values by name, the others as "(other)"'
    alone = first.replace("city", "shop")
    notes = (first, last, alone)
    made = SimpleNamespace(
        call=SimpleNamespace(tool_name="metric.cube"), observation=SimpleNamespace(notes=notes)
    )
    told = caveats_of(ground(said=()), cast("dict[str, Evidence]", {"cube": made}))
    assert told == (capitalised(last), capitalised(alone))


@pytest.mark.parametrize(
    ("words", "sql", "unread"),
    [
        ("orders", "COUNT(*)", ()),
        ("total revenue", 'SUM("orders"."revenue")', ()),
        ("online revenue", 'SUM("orders"."revenue")', ("online",)),
    ],
)
async def test_words_without_a_part_in_a_metric_are_told(
    words: str, sql: str, unread: tuple[str, ...]
) -> None:
    async def nothing(phrases: Sequence[str]) -> Sequence[ValueHit]:
        return []

    found = await metric_in_words(words, shop(), nothing, date(2024, 4, 2))
    assert found is not None and (found.sql, found.unread) == (sql, unread)
