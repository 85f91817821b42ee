"""What "per" and "by" ask for: groups, never numbers that name, steps in numbers or one year."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.query.filters import conditions_of
from services.planner.domain.query.intent import NotUnderstood, Understood
from tests.unit.reader.files import Tables

_GRADES = ("Fair", "Good", "Very Good", "Premium", "Ideal")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(Path(tmp_path_factory.mktemp("groups")))
    start = datetime(2023, 1, 1)
    moments = [start + timedelta(hours=11 * at) for at in range(720)]
    found.write(
        "sailings",
        "year,month,sailing,line,left_at,delay",
        [
            (
                m.year,
                m.month,
                100 + at % 240,
                ("North", "South")[at % 2],
                m.isoformat(),
                at * 7 % 40,
            )
            for at, m in enumerate(moments)
        ],
    )
    found.write(
        "trips",
        "month,day,sailing,line",
        [
            (m.month, m.day, 100 + at % 240, ("North", "South")[at % 2])
            for at, m in enumerate(moments)
        ],
    )
    found.write(
        "sailed",
        "month,day,line,delay",
        [(m.month, m.day, ("North", "South")[at % 2], at * 7 % 40) for at, m in enumerate(moments)],
    )
    found.write(
        "stones",
        "grade,tint,price",
        [(_GRADES[at % 5], "DEFG"[at % 4], 300 + at * 37 % 900) for at in range(200)],
    )
    found.write(
        "lands",
        "land,year,population",
        [
            (f"Land {land}", year, 1000 * land + year)
            for land in range(1, 9)
            for year in range(1990, 2021, 5)
        ],
    )
    return found


@pytest.mark.parametrize(
    "question",
    ["number of sailings per month", "how many sailings per line", "number of sailings per year"],
)
async def test_rows_are_counted_where_a_number_names_them_again_and_again(
    tables: Tables, question: str
) -> None:
    sql = await tables.sql(question, "sailings")
    assert "COUNT(*)" in sql and "DISTINCT" not in sql


async def test_nothing_is_divided_by_a_part_of_a_date(tables: Tables) -> None:
    assert "/" not in await tables.sql("delay per month", "sailings")


async def test_an_average_is_of_what_stands_before_the_groups(tables: Tables) -> None:
    sql = await tables.sql("average price by grade and tint", "stones")
    assert sql.count("AVG(") == 1
    assert "GROUP BY stones.grade, stones.tint" in sql


@pytest.mark.parametrize("question", ["highest price by region", "lowest price per region"])
async def test_an_end_of_each_group_is_told_of_all_groups(tables: Tables, question: str) -> None:
    tables.write(
        "sold",
        "region,product,price",
        [("NSW"[at % 3], "abcd"[at % 4], 10.25 + at % 5) for at in range(60)],
    )
    sql = await tables.sql(question, "sold")
    assert "GROUP BY sold.region" in sql and "LIMIT" not in sql


async def test_no_year_is_chosen_where_each_is_asked_for(tables: Tables) -> None:
    assert "WHERE" not in await tables.sql("population by year and land as lines", "lands")


async def test_days_of_all_months_are_told_and_never_sure(tables: Tables) -> None:
    found = await tables.understood("number of sailings per day", "trips")
    assert isinstance(found, Understood)
    assert found.confidence <= thresholds.DOUBTFUL
    assert any("of all months" in told for told in found.assumptions)
    asked = await tables.understood("number of sailings per day of the month", "trips")
    assert isinstance(asked, Understood)
    assert not any("of all months" in told for told in asked.assumptions)


async def test_rows_of_one_of_many_files_alike_are_told_and_never_sure(tables: Tables) -> None:
    for name in ("part_may", "part_june"):
        tables.write(name, "berth,boat,hours", [(at % 4, f"B{at}", at) for at in range(30)])
    found = await tables.understood("total hours by berth", "part_may", "part_june")
    assert isinstance(found, Understood)
    assert found.confidence <= thresholds.DOUBTFUL
    assert any("with the same columns are not" in told for told in found.assumptions)
    named = await tables.understood("total hours by berth in part june", "part_may", "part_june")
    assert isinstance(named, Understood)
    assert not any("with the same columns are not" in told for told in named.assumptions)


async def test_points_that_add_up_are_no_average(tables: Tables) -> None:
    tables.write(
        "results",
        "racer,race,points",
        [
            (f"R{at % 6}", at // 6, (25, 18, 15, 12, 10, 8)[(at * 5 + at // 6) % 6])
            for at in range(60)
        ],
    )
    assert "SUM(" in await tables.sql("points by racer", "results")
    assert "AVG(" in await tables.sql("average points by racer", "results")


@pytest.mark.parametrize(
    ("question", "along"),
    [
        ("scatter plot of price against weight", "weight"),
        ("scatter plot of price vs weight", "weight"),
    ],
)
async def test_what_a_number_is_set_against_goes_along(
    tables: Tables, question: str, along: str
) -> None:
    tables.write("gems", "weight,price", [(at % 50 / 10, 40 + at * 17 % 900) for at in range(120)])
    found = await tables.understood(question, "gems")
    assert isinstance(found, Understood)
    assert found.intent.measures[0].label == along
    assert found.summary.startswith(along)
    assert not any("left out" in told or "not used" in told for told in found.assumptions)


async def test_marks_of_a_table_of_marks_are_quantities(tables: Tables) -> None:
    tables.write(
        "scores",
        "pupil,subject,term,score",
        [
            (f"P{at % 40}", ("Maths", "Art")[at % 2], 1 + at % 3, 30 + at * 7 % 70)
            for at in range(240)
        ],
    )
    assert "AVG(scores.score)" in await tables.sql("average score by subject", "scores")
    assert "scores.score >= ?" in await tables.sql("how many scores of 90 or more", "scores")


async def test_a_month_is_no_name_of_a_line(tables: Tables) -> None:
    found = await tables.understood("average delay per day in July", "sailed")
    assert isinstance(found, Understood)
    assert [f"{one.field.column} {one.values}" for one in conditions_of(found.intent.filters)] == [
        "month (7,)"
    ]
    assert not any("of all months" in told for told in found.assumptions)


async def test_a_word_of_layout_need_not_be_read_and_a_cross_must(tables: Tables) -> None:
    asked = await tables.understood("pivot table of average price by grade and tint", "stones")
    assert isinstance(asked, Understood)
    assert not any("pivot" in told for told in asked.assumptions)
    crossed = await tables.understood("average price of crosses by grade", "stones")
    told = crossed.message if isinstance(crossed, NotUnderstood) else str(crossed.assumptions)
    assert "cross" in told
