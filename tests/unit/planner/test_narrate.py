"""Answers in words: what is said for each kind of answer, and that every number is cited."""

from __future__ import annotations

import re
from typing import Any

import pytest

from services.planner.domain.analysis.narrate import Narration, Story, narrate
from services.planner.domain.query.intent import (
    Aggregate,
    Dimension,
    Grain,
    Having,
    Intent,
    Measure,
    Operator,
    Order,
)
from services.planner.domain.reporting.evidence import ClaimBook
from tests.unit.planner.stories import (
    COUNTRY,
    IN_1997,
    MONTH,
    MONTHLY,
    MONTHS,
    ORDERS,
    REVENUE,
    YEAR,
    column,
    revenue_by_month_and_category,
    story,
)

HIGHEST_FIRST = (Order(target="measure", descending=True),)
LOWEST_FIRST = (Order(target="measure", descending=False),)


def told(given: Story) -> Narration:
    return narrate(given, ClaimBook())


def test_one_number_is_one_sentence_with_its_year() -> None:
    intent = Intent(base="Orders", measures=(REVENUE,), filters=(IN_1997,))
    narration = told(story("revenue in 1997", intent, {"revenue": [617085.2]}))
    assert narration.text == "Revenue in 1997 was 617,085."
    assert narration.title == "Revenue in 1997 was 617,085"


@pytest.mark.parametrize(
    ("count", "text"), [(830, "There are 830 orders."), (1, "There is 1 order.")]
)
def test_a_count_is_told_in_the_right_number(count: int, text: str) -> None:
    intent = Intent(base="Orders", measures=(ORDERS,))
    assert told(story("how many orders", intent, {"number of orders": [count]})).text == text


def test_distinct_values_are_called_different() -> None:
    measure = Measure(
        aggregate=Aggregate.COUNT_DISTINCT,
        table="Orders",
        expression=column("ShipCountry"),
        label="number of different country",
    )
    narration = told(
        story(
            "how many countries", Intent(base="Orders", measures=(measure,)), {measure.label: [9]}
        )
    )
    assert narration.text == "There are 9 different countries."


def test_several_numbers_stand_in_one_sentence() -> None:
    average = Measure(
        aggregate=Aggregate.AVERAGE, table="Orders", expression=column("x"), label="average freight"
    )
    intent = Intent(base="Orders", measures=(REVENUE, average))
    narration = told(story("?", intent, {"revenue": [1000], "average freight": [78.244]}))
    assert narration.text == "Revenue is 1,000 and average freight is 78.24."


def test_a_series_over_time_has_total_peak_low_and_start() -> None:
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(MONTH,), filters=(IN_1997,))
    narration = told(
        story(
            "revenue by month in 1997",
            intent,
            {"month": MONTHS, "revenue": MONTHLY},
            facts={"rows": [12], "total revenue": [617085.2]},
        )
    )
    assert narration.title == "Revenue in 1997 peaked in December at 71,398"
    assert narration.text == (
        "Revenue in 1997 was 617,085. It peaked in December (71,398) and was lowest in June "
        "(36,363). It began at 61,258 in January."
    )


def test_months_carry_their_year_where_the_question_names_none() -> None:
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(MONTH,))
    narration = told(story("by month", intent, {"month": MONTHS, "revenue": MONTHLY}))
    assert "peaked in December 1997 (71,398)" in narration.text


def test_years_are_names_without_separators() -> None:
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(YEAR,))
    data = {"year": [1996, 1997, 1998], "number of orders": [152, 408, 270]}
    assert told(story("orders by year", intent, data)).text == (
        "The number of orders peaked in 1997 (408) and was lowest in 1996 (152). "
        "It ended at 270 in 1998."
    )


def test_a_line_that_never_moves_is_told_as_such() -> None:
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(YEAR,))
    data = {"year": [1996, 1997], "number of orders": [7, 7]}
    text = told(story("orders by year", intent, data)).text
    assert text == "The number of orders is the same throughout: 7."


def test_series_by_category_name_the_leader_with_its_share() -> None:
    narration = told(revenue_by_month_and_category())
    assert narration.title == "Dairy Products led with 115,388 (19 %) of revenue in 1997"
    assert narration.text == (
        "Revenue in 1997 was 617,085. It peaked in December (71,398) and was lowest in June "
        "(36,363). Dairy Products led with 115,388 (19 %)."
    )
    assert narration.display_task == "shape"


def test_series_without_prepared_totals_name_the_highest_cell_only() -> None:
    full = revenue_by_month_and_category()
    alone = {"load": full.tables["load"]}
    bare = Story(full.request, "", full.intent, "load", alone, full.catalogue, 24)
    assert told(bare).text == (
        "Revenue in 1997 was highest for December 1997 / Beverages and "
        "December 1997 / Dairy Products (35,699 each)."
    )
    assert told(bare).display_task == ""


def test_categories_are_told_by_their_ends_with_shares() -> None:
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(COUNTRY,))
    countries = ["USA", "Germany", "Austria", "Norway"]
    values = [245584.6, 230284.6, 128003.8, 5735.2]
    narration = told(
        story(
            "revenue by country",
            intent,
            {"ship country": countries, "revenue": values},
            facts={"rows": [4], "total revenue": [609608.2]},
            leaders={
                "ship country": countries,
                "revenue": values,
                "share": [0.4, 0.38, 0.21, 0.009],
            },
        )
    )
    assert narration.title == "USA has the highest revenue (245,585)"
    assert narration.text == (
        "Revenue is 609,608 in total. It is highest for USA (245,585, 40 %) and lowest for Norway "
        "(5,735.20, 0.9 %)."
    )


def test_a_top_list_names_who_follows() -> None:
    intent = Intent(
        base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,), limit=3, order=HIGHEST_FIRST
    )
    data = {"ship country": ["USA", "Germany", "Brazil"], "number of orders": [122, 121, 83]}
    narration = told(story("top 3 countries", intent, data))
    assert narration.title == "USA has the most orders (122)"
    assert narration.text == (
        "The number of orders is highest for USA (122), followed by Germany (121) and Brazil (83)."
    )


def test_the_total_of_a_top_list_is_not_passed_off_as_the_total() -> None:
    intent = Intent(
        base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,), limit=2, order=HIGHEST_FIRST
    )
    data = {"ship country": ["USA", "Germany"], "number of orders": [122, 121]}
    given = story("top 2", intent, data, facts={"total number of orders": [243]})
    assert "243" not in told(given).text
    having = Intent(
        base="Orders",
        measures=(ORDERS,),
        dimensions=(COUNTRY,),
        having=(Having(measure=ORDERS, operator=Operator.GREATER, values=(100,)),),
    )
    given = story("more than 100", having, data, facts={"total number of orders": [243]})
    assert "243" not in told(given).text


def test_a_bottom_list_begins_with_the_lowest() -> None:
    intent = Intent(
        base="Orders", measures=(REVENUE,), dimensions=(COUNTRY,), limit=2, order=LOWEST_FIRST
    )
    data = {"ship country": ["Norway", "Poland"], "revenue": [10.5, 20.25]}
    narration = told(story("bottom 2", intent, data))
    assert narration.title == "Norway has the lowest revenue (10.50)"
    assert narration.text == "Revenue is lowest for Norway (10.50), followed by Poland (20.25)."


def test_a_tie_is_told_as_a_tie() -> None:
    intent = Intent(
        base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,), limit=3, order=HIGHEST_FIRST
    )
    data = {"ship country": ["USA", "Germany", "Brazil"], "number of orders": [122, 122, 83]}
    narration = told(story("top 3", intent, data))
    assert narration.title == "USA and Germany have the most orders"
    assert "highest for USA and Germany (122 each)" in narration.text


def test_sums_that_rounding_alone_tells_apart_are_told_as_a_tie() -> None:
    data = {
        "ship country": ["USA", "Norway", "Poland", "Spain"],
        "revenue": [523.06, 37.62, 37.620000000000005, 37.61999999999999],
    }
    narration = told(
        story(
            "revenue by country",
            Intent(base="Orders", measures=(REVENUE,), dimensions=(COUNTRY,)),
            data,
        )
    )
    assert "lowest for Poland, Norway and Spain (37.62 each)" in narration.text


def test_the_single_best_is_the_finding() -> None:
    intent = Intent(
        base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,), limit=1, order=HIGHEST_FIRST
    )
    data = {"ship country": ["USA"], "number of orders": [122]}
    assert told(story("which", intent, data)).text == "USA has the most orders (122)."


def test_a_share_of_all_rows_of_a_name_is_not_put_to_one_of_them() -> None:
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,))
    given = story(
        "orders by country",
        intent,
        {"ship country": ["USA", "USA", "Norway"], "number of orders": [9, 8, 1]},
        leaders={
            "ship country": ["USA", "Norway"],
            "number of orders": [17, 1],
            "share": [0.944, 0.056],
        },
    )
    text = told(given).text
    assert "USA (9)" in text and "94 %" not in text
    assert "Norway (1, 5.6 %)" in text


def test_an_extreme_is_not_said_to_be_highest_once_more() -> None:
    oldest = Measure(
        aggregate=Aggregate.MAXIMUM, table="Orders", expression=column("Age"), label="highest age"
    )
    intent = Intent(base="Orders", measures=(oldest,), dimensions=(COUNTRY,))
    narration = told(story("?", intent, {"ship country": ["USA", "Norway"], "highest age": [9, 8]}))
    assert narration.title == "USA has the greatest highest age (9)"


def test_an_id_is_named_by_its_column() -> None:
    course = Dimension(expression=column("CourseID"), label="course id")
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(course,))
    narration = told(story("?", intent, {"course id": [209, 1114], "number of orders": [4, 2]}))
    assert narration.title == "Course id 209 has the most orders (4)"


def test_weekdays_take_their_own_preposition() -> None:
    day = Dimension(expression=column("OrderDate"), label="weekday", grain=Grain.WEEKDAY)
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(day,))
    data = {"weekday": ["Monday", "Friday", "Sunday"], "number of orders": [5, 9, 1]}
    assert told(story("by weekday", intent, data)).text == (
        "The number of orders is highest on Friday (9) and lowest on Sunday (1)."
    )


@pytest.mark.parametrize(
    "given",
    [
        revenue_by_month_and_category(),
        story(
            "how many orders",
            Intent(base="Orders", measures=(ORDERS,)),
            {"number of orders": [830]},
        ),
    ],
    ids=["series", "count"],
)
def test_every_number_of_the_words_is_a_claim_or_from_the_question(given: Story) -> None:
    book = ClaimBook()
    narration = narrate(given, book)
    rest = narration.title + " " + narration.text
    for claim in sorted(book.claims, key=lambda c: len(c.text), reverse=True):
        rest = rest.replace(claim.text, "")
    assert set(re.findall(r"\d+", rest)) <= set(re.findall(r"\d+", given.request.intent))


def test_claims_hold_the_value_of_the_cell_they_name() -> None:
    given = revenue_by_month_and_category()
    book = ClaimBook()
    narrate(given, book)
    by_digest = {table.digest: table for table in given.tables.values()}
    assert book.claims
    for claim in book.claims:
        value: Any = by_digest[claim.frame_digest].value(claim.row, claim.column)
        assert claim.value == repr(value)
