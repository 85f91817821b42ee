"""What a demanding reader looks for in an answer: units, per cent, number, and what is missing."""

from __future__ import annotations

from services.executor.plotting import text as plotting_text
from services.planner.domain.analysis.narrate import Narration, Story, narrate
from services.planner.domain.lexicon.wording import is_plural
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    Condition,
    Derived,
    Dimension,
    Intent,
    Measure,
    Operator,
)
from services.planner.domain.reporting.evidence import ClaimBook
from services.planner.domain.reporting.grid import grid_of
from services.planner.domain.reporting.units import parted
from tests.unit.planner.stories import (
    CATEGORY,
    COUNTRY,
    IN_1997,
    MONTH,
    MONTHLY,
    MONTHS,
    ORDERS,
    REVENUE,
    YEAR,
    column,
    raw,
    story,
)


def told(given: Story) -> Narration:
    return narrate(given, ClaimBook())


def average(label: str) -> Measure:
    return Measure(aggregate=Aggregate.AVERAGE, table="Orders", expression=column("x"), label=label)


def derived(calculation: Calculation, label: str) -> Derived:
    return Derived(calculation=calculation, label=label)


def test_parts_of_one_are_told_and_tabled_in_per_cent() -> None:
    share = derived(Calculation.SHARE, "share of revenue")
    intent = Intent(base="Orders", measures=(REVENUE,), derived=(share,), dimensions=(COUNTRY,))
    data = {"ship country": ["USA", "Peru"], "share of revenue": [0.75, 0.25], "revenue": [3.0, 1]}
    given = story("share", intent, data)
    assert told(given).text.startswith("Share of revenue is highest for USA (75 %)")
    assert given.answer is not None
    assert grid_of(given.answer, intent, 2).rows[0] == ("USA", "75.0 %", "3")


def test_growth_has_no_first_value_and_that_is_no_caveat() -> None:
    growth = derived(Calculation.GROWTH, "growth of revenue")
    intent = Intent(base="Orders", measures=(REVENUE,), derived=(growth,), dimensions=(YEAR,))
    data = {"year": [1996, 1997, 1998], "growth of revenue": [None, 1.5, -0.18]}
    narration = told(story("growth", intent, data | {"revenue": [2.0, 5, 4]}))
    assert narration.text == (
        "Growth of revenue peaked in 1997 (150 %) and was lowest in 1998 (-18 %)."
    )
    assert not narration.caveats
    assert not narration.gaps


def test_a_running_total_is_told_by_where_it_ended() -> None:
    running = derived(Calculation.RUNNING_TOTAL, "running total of revenue")
    intent = Intent(
        base="Orders",
        measures=(REVENUE,),
        derived=(running,),
        dimensions=(MONTH,),
        filters=(IN_1997,),
    )
    data = {"month": MONTHS, "running total of revenue": sorted(MONTHLY), "revenue": MONTHLY}
    assert told(story("running total", intent, data)).text == (
        "Running total of revenue in 1997 reached 71,398 in December."
    )


def test_two_periods_are_compared_rather_than_ranked() -> None:
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(YEAR, CATEGORY), series=1)
    data = {
        "year": [1996, 1996, 1997, 1997],
        "category": ["Toys", "Home"] * 2,
        "revenue": [1, 2, 5, 3],
    }
    narration = told(
        story(
            "compare",
            intent,
            data,
            facts={"rows": [4], "total revenue": [11]},
            totals={"year": [1996, 1997], "revenue": [3, 8]},
            leaders={"category": ["Toys", "Home"], "revenue": [6, 5], "share": [6 / 11, 5 / 11]},
        )
    )
    assert narration.title == "Revenue rose from 3 in 1996 to 8 in 1997"
    assert narration.text == "Revenue rose from 3 in 1996 to 8 in 1997. Toys led with 6 (55 %)."


def test_units_in_names_stand_behind_numbers() -> None:
    intent = Intent(
        base="Orders", measures=(average("average body mass g"),), dimensions=(COUNTRY,)
    )
    data = {"ship country": ["USA", "Peru"], "average body mass g": [5076.02, 3700.66]}
    given = story("mass", intent, data)
    assert told(given).text == (
        "Average body mass is highest for USA (5,076.02 g), followed by Peru (3,700.66 g)."
    )
    assert given.answer is not None
    assert grid_of(given.answer, intent, 1).columns[1] == "average body mass (g)"
    lengths = Intent(base="Orders", measures=(raw("bill length mm"),))
    ranged = told(story("bills", lengths, {"bill length mm": [32.1, 59.6]}))
    assert ranged.text == "Bill length ranges from 32.10 to 59.60 mm."


def test_charts_and_sentences_know_the_same_units() -> None:
    for name, unit in (
        ("mass g", "g"),
        ("price eur", "EUR"),
        ("share percent", "%"),
        ("temperature c", "°C"),
        ("energy kwh", "kWh"),
        ("plan c", ""),
        ("total gas m 3", "m³"),
        ("area km 2", "km²"),
        ("item 3", ""),
        ("correlation of gas m 3 with outside temp c", ""),
        ("variance of mass g", ""),
    ):
        assert parted(name)[1] == plotting_text.unit_of(name.split()) == unit
    assert parted("total gas m 3")[0] == "total gas"
    assert plotting_text.humanise("total gas m 3") == "Total gas (m³)"


def test_what_has_no_name_or_time_is_neither_highest_nor_lowest() -> None:
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(COUNTRY,))
    data = {"ship country": ["USA", "Peru", "Chile", None], "revenue": [9.0, 4, 5, 1]}
    narration = told(story("by country", intent, data))
    assert narration.text == "Revenue is highest for USA (9) and lowest for Peru (4)."
    assert narration.caveats == (
        "Rows that have no ship country count neither as highest nor as lowest.",
    )
    timed = Intent(base="Orders", measures=(REVENUE,), dimensions=(YEAR,))
    years = {"year": [1996, 1997, 1998, None], "revenue": [5.0, 9, 4, 1]}
    assert "lowest in 1998 (4)" in told(story("by year", timed, years)).text


def test_names_of_several_things_take_a_plural_verb() -> None:
    assert all(is_plural(name) for name in ("total sales", "miles per hour", "deaths 85 99"))
    assert not any(is_plural(name) for name in ("share of sales", "gas", "class"))
    intent = Intent(base="Orders", measures=(average("average sales"),), dimensions=(COUNTRY,))
    data = {"ship country": ["USA", "Peru", "Chile"], "average sales": [9.0, 4, 5]}
    assert told(story("sales", intent, data)).text.startswith("Average sales are highest for USA")


def test_one_row_is_a_whole_sentence() -> None:
    intent = Intent(base="Orders", measures=(average("average score"),), dimensions=(COUNTRY,))
    data = {"ship country": ["USA"], "average score": [5.333]}
    assert told(story("score", intent, data)).text == "Average score for USA is 5.33."
    counting = Intent(base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,))
    for count, text in ((122, "USA has 122 orders."), (1, "USA has 1 order.")):
        data = {"ship country": ["USA"], "number of orders": [count]}
        assert told(story("orders", counting, data)).text == text


def test_a_second_category_is_told_by_its_own_leader() -> None:
    region = Dimension(expression=column("Region"), label="region")
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(CATEGORY, region), series=1)
    data = {
        "category": ["Toys", "Toys", "Home"],
        "region": ["West", "East", "West"],
        "revenue": [5.0, 1, 3],
    }
    narration = told(
        story(
            "by both",
            intent,
            data,
            facts={"rows": [3], "total revenue": [9.0]},
            totals={"category": ["Toys", "Home"], "revenue": [6.0, 3], "share": [2 / 3, 1 / 3]},
            leaders={"region": ["West", "East"], "revenue": [8.0, 1], "share": [8 / 9, 1 / 9]},
        )
    )
    assert narration.text == (
        "Revenue is 9 in total. By category Toys led (6, 67 %), by region West led (8, 89 %). "
        "The highest of all combinations is Toys / West (5)."
    )


def test_an_unknown_value_is_answered_with_those_there_are() -> None:
    nowhere = Condition(field=column("ShipCountry"), operator=Operator.EQUAL, values=("Xyzzy",))
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(COUNTRY,), filters=(nowhere,))
    nothing = story("?", intent, {"ship country": [], "revenue": []})
    table = nothing.catalogue.tables[0]
    country = table.columns[0].model_copy(update={"distinct": 3})
    table = table.model_copy(update={"columns": (country, *table.columns[1:])})
    catalogue = nothing.catalogue.model_copy(update={"tables": (table,)})
    given = Story(**{**vars(nothing), "catalogue": catalogue})
    assert told(given).text.endswith("(there are: Germany, USA, Austria).")


def test_very_small_numbers_are_powers_of_ten() -> None:
    intent = Intent(base="Orders", measures=(average("average dose"),))
    assert told(story("dose", intent, {"average dose": [3.684e-8]})).text == (
        "Average dose is 3.68×10⁻⁸."
    )


def test_some_rows_against_all_are_told_and_tabled_in_per_cent() -> None:
    late = Condition(field=column("ShipCountry"), operator=Operator.EQUAL, values=("Peru",))
    some = ORDERS.model_copy(update={"where": late, "label": "number of orders to Peru"})
    ratio = Derived(calculation=Calculation.RATIO, label="share of orders to Peru", of=0, against=1)
    intent = Intent(base="Orders", measures=(some, ORDERS), derived=(ratio,))
    data = {
        "share of orders to Peru": [37 / 830],
        "number of orders to Peru": [37],
        "number of orders": [830],
    }
    given = story("share", intent, data)
    assert told(given).text.startswith("Share of orders to Peru is 4.5 %")
    assert given.answer is not None
    assert grid_of(given.answer, intent, 2).rows[0][0] == "4.5 %"


def test_shares_that_a_pivot_spread_over_columns_are_in_per_cent() -> None:
    share = derived(Calculation.SHARE, "share of revenue")
    intent = Intent(
        base="Orders", measures=(REVENUE,), derived=(share,), dimensions=(YEAR, COUNTRY), series=1
    )
    data = {"year": [1996, 1997], "share of revenue": [0.25, 0.75], "ship country": ["Peru"] * 2}
    given = story("shares", intent, data, shape={"year": [1996, 1997], "Peru": [0.25, 0.75]})
    assert grid_of(given.tables["shape"], intent, 2).rows == (
        ("1996", "25.0 %"),
        ("1997", "75.0 %"),
    )


def test_a_column_called_no_is_still_a_number_where_a_pivot_made_it() -> None:
    share = derived(Calculation.SHARE, "share of revenue")
    intent = Intent(
        base="Orders",
        measures=(REVENUE,),
        derived=(share,),
        dimensions=(COUNTRY, CATEGORY),
        series=1,
    )
    data = {"ship country": ["Peru"], "share of revenue": [0.25], "category": ["No"]}
    given = story("shares", intent, data, shape={"ship country": ["Peru"], "No": [0.25]})
    assert grid_of(given.tables["shape"], intent, 2).rows == (("Peru", "25.0 %"),)


def test_what_is_partly_negative_has_no_shares() -> None:
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(COUNTRY,))
    data = {"ship country": ["USA", "Peru"], "revenue": [90.0, -6.0]}
    leaders = data | {"share": [90 / 84, -6 / 84]}
    text = told(story("revenue", intent, data, leaders=leaders)).text
    assert text == "Revenue is highest for USA (90), followed by Peru (-6)."


def test_what_is_there_at_a_time_is_not_added_up_over_time() -> None:
    people = Measure(
        aggregate=Aggregate.SUM, table="Orders", expression=column("x"), label="total population"
    )
    intent = Intent(base="Orders", measures=(people,), dimensions=(YEAR,))
    data = {"year": [1952, 1957, 1962], "total population": [2.0, 5.0, 9.0]}
    facts = {"rows": [3], "total total population": [16.0]}
    text = told(story("people", intent, data, facts=facts)).text
    assert text == "Total population peaked in 1962 (9) and was lowest in 1952 (2)."


def test_hardly_any_growth_is_no_negative_nought() -> None:
    growth = derived(Calculation.GROWTH, "growth of revenue")
    intent = Intent(base="Orders", measures=(REVENUE,), derived=(growth,), dimensions=(YEAR,))
    data = {"year": [1997], "growth of revenue": [-0.0002], "revenue": [5.0]}
    given = story("growth", intent, data)
    assert given.answer is not None
    assert grid_of(given.answer, intent, 2).rows[0][1] == "0.0 %"


def test_months_that_are_numbers_are_told_and_tabled_by_name() -> None:
    month = Dimension(expression=column("month"), label="month")
    intent = Intent(base="Orders", measures=(average("average delay"),), dimensions=(month,))
    data = {"month": [2, 7, 11], "average delay": [5.0, 9.5, 3.0]}
    given = story("delay", intent, data)
    narration = told(given)
    assert narration.text == "Average delay is highest in July (9.50) and lowest in November (3)."
    assert narration.formats == {"month": "month_of_year"}
    assert given.answer is not None
    assert [row[0] for row in grid_of(given.answer, intent, 3).rows] == [
        "February",
        "July",
        "November",
    ]
    numbered = story("delay", intent, {"month": [0, 14, 3], "average delay": [5.0, 9.5, 3.0]})
    assert "month 14" in told(numbered).text, "what is no month of a year keeps its number"
