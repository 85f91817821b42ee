"""Rows as they stand, ranges, profiles, and answers that are empty or too long."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from services.planner.domain.analysis.narrate import Narration, Story, narrate
from services.planner.domain.answer import EmptyReason
from services.planner.domain.query.intent import (
    Condition,
    Intent,
    Operator,
)
from services.planner.domain.reporting.evidence import ClaimBook
from tests.unit.planner.stories import (
    COUNTRY,
    IN_1997,
    ORDERS,
    REVENUE,
    TO_ATLANTIS,
    column,
    raw,
    story,
)


def told(given: Story) -> Narration:
    return narrate(given, ClaimBook())


def test_rows_without_numbers_are_listed_by_name() -> None:
    intent = Intent(base="Orders", dimensions=(COUNTRY,))
    data = {"ship country": ["USA", "Germany", "Brazil", None]}
    assert told(story("list", intent, data, facts={"rows": [4]})).text == (
        "4 rows, beginning with USA, Germany, Brazil and others."
    )
    assert told(story("list", intent, data)).text == (
        "Ship country: USA, Germany, Brazil and others."
    )


def test_two_raw_numbers_are_told_by_their_ranges_and_relation() -> None:
    intent = Intent(base="Orders", measures=(raw("unit price"), raw("units in stock")))
    data = {"unit price": [2.5, 263.5, 10], "units in stock": [125, 0, 33]}
    narration = told(story("scatter", intent, data))
    assert narration.text == (
        "Unit price ranges from 2.50 to 263.50 and units in stock range from 0 to 125."
    )
    profile = {
        "column": ["unit price ~ units in stock"],
        "statistic": ["pearson"],
        "value": [-0.62],
        "text": ["n = 3"],
    }
    related = told(story("scatter", intent, data, profile=profile))
    assert related.title == (
        "Unit price and units in stock move against each other strongly (Pearson correlation -0.62)"
    )


def test_a_profile_tells_size_gaps_and_ranges() -> None:
    rows: list[tuple[str, str, float]] = [
        ("(table)", "rows", 830),
        ("(table)", "columns", 14),
        ("(table)", "duplicate_rows", 2),
        ("Freight", "nulls", 0),
        ("Freight", "min", 0.02),
        ("Freight", "max", 1007.64),
        ("Freight", "mean", 78.2442),
        ("Freight", "p50", 41.36),
        ("ShipRegion", "nulls", 507),
    ]
    data = {
        "column": [row[0] for row in rows],
        "statistic": [row[1] for row in rows],
        "value": [float(row[2]) for row in rows],
        "text": pa.nulls(len(rows), pa.string()),
    }
    narration = told(story("describe orders", Intent(base="Orders", profile=True), data))
    assert narration.text == (
        "Orders has 830 rows and 14 columns; 2 rows repeat an earlier one. Values are missing in "
        "ShipRegion (507). Freight goes from 0.02 to 1,007.64, mean 78.24 and median 41.36."
    )


def test_no_rows_say_what_matched_nothing_and_what_is_like_it() -> None:
    intent = Intent(base="Orders", dimensions=(COUNTRY,), filters=(TO_ATLANTIS,))
    narration = told(story("to Atlantis", intent, {"ship country": pa.array([], pa.string())}))
    assert narration.empty_reason is EmptyReason.NO_ROWS
    assert narration.text == (
        'No rows: nothing in orders matches ship country = "Atlantis" (closest: "Austria").'
    )


def test_a_sum_over_nothing_is_no_answer() -> None:
    intent = Intent(base="Orders", measures=(REVENUE,), filters=(TO_ATLANTIS,))
    narration = told(story("?", intent, {"revenue": pa.array([None], pa.float64())}))
    assert narration.empty_reason is EmptyReason.NO_ROWS
    assert narration.text.startswith("No rows: there is no revenue for rows that match")


def test_rows_without_a_number_are_a_caveat_and_never_the_lowest() -> None:
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(COUNTRY,))
    data = {"ship country": ["USA", "Peru", "Norway"], "revenue": [3.0, None, float("nan")]}
    narration = told(story("?", intent, data))
    assert narration.text == "Revenue is the same throughout: 3."
    assert narration.gaps[0].startswith("1 of 3 rows has no revenue and counts")


def test_a_result_too_long_to_read_is_told_by_its_facts() -> None:
    intent = Intent(base="Orders", measures=(raw("freight"),), dimensions=(COUNTRY,))
    full = story(
        "all",
        intent,
        {"ship country": ["a"], "freight": [1]},
        facts={"rows": [45_000], "highest freight": [1007.64], "lowest freight": [0.02]},
    )
    facts = {"facts": full.tables["facts"]}
    long = Story(full.request, "", full.intent, "load", facts, full.catalogue, 45_000, "a" * 64)
    assert told(long).text == (
        "The result has 45,000 rows; all of them are in the table's file. "
        "Freight ranges from 0.02 to 1,007.64."
    )
    cut = Story(long.request, "", full.intent, "load", facts, full.catalogue, 200_000, "a" * 64)
    assert "ranges" not in told(cut).text, "extremes of the rows that a limit let through"


def test_without_an_intent_columns_are_read_by_their_types() -> None:
    data = {"region": ["north", "south"], "avg_price": [1.5, 2.5]}
    assert told(story("?", None, data)).text == (
        "Avg price is highest for south (2.50), followed by north (1.50)."
    )


def test_conditions_stand_behind_what_they_narrow() -> None:
    dear = Condition(field=column("Freight"), operator=Operator.GREATER, values=(20,))
    intent = Intent(base="Orders", measures=(ORDERS,), filters=(IN_1997, TO_ATLANTIS, dear))
    text = told(story("?", intent, {"number of orders": [3]})).text
    assert text == "There were 3 orders in 1997 for Atlantis where freight > 20."


def test_a_distribution_is_told_by_its_middle_too() -> None:
    intent = Intent(base="Orders", measures=(raw("freight kg"),))
    facts = {
        "rows": [5],
        "median of freight kg": [3.0],
        "lower quartile of freight kg": [2.0],
        "upper quartile of freight kg": [4.0],
    }
    given = story("freight", intent, {"freight kg": [1.0, 2.0, 3.0, 4.0, 50.0]}, facts=facts)
    assert narrate(given, ClaimBook()).text == (
        "Freight ranges from 1 to 50 kg. The median is 3 kg; half of the values lie between 2 and"
        " 4 kg."
    )


def test_a_distribution_of_more_rows_than_are_read_is_told_by_its_middle() -> None:
    intent = Intent(base="Orders", measures=(raw("freight"),))
    facts = {
        "rows": [26_115],
        "median of freight": [3.0],
        "lower quartile of freight": [2.0],
        "upper quartile of freight": [4.0],
    }
    given = story("freight", intent, {"freight": [1.0]}, facts=facts)
    tables = {name: table for name, table in given.tables.items() if name != "load"}
    long = replace(given, tables=tables, answer_rows=26_115, answer_digest="a" * 64)
    assert narrate(long, ClaimBook()).text == (
        "The result has 26,115 rows; all of them are in the table's file. The median of freight is"
        " 3; half of the values lie between 2 and 4."
    )
