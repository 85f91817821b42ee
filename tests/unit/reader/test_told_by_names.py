"""What names and values of files tell: which rows are things, which texts say yes."""

from __future__ import annotations

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.query.intent import NotUnderstood, Understood
from tests.unit.reader.files import Tables


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("named"))
    found.write(
        "sensors",
        "sensor_id,measured_at,humidity_pct",
        [
            (f"s{1 + at % 6}", f"2023-02-{1 + at % 27:02} 10:00:00", 20 + at * 7 % 61)
            for at in range(240)
        ],
    )
    found.write(
        "visits",
        "visit_id,clinic,no_show,age",
        [
            (
                at,
                ("North", "South", "West")[at % 3],
                "Yes" if at % 5 == 0 else "No",
                20 + at * 7 % 60,
            )
            for at in range(1, 181)
        ],
    )
    found.write(
        "batting",
        "player,team,season,hr",
        [
            (f"Player {at}", ("NYY", "BOS")[at % 2], 2021 + at % 2, at * 13 % 47)
            for at in range(1, 91)
        ],
    )
    found.write(
        "houses",
        "address,area,bedrooms,sqft,price,year_built",
        [
            (
                f"{at} Main St",
                ("East", "Old Town")[at % 2],
                1 + at % 5,
                500 + at * 37 % 3_000,
                100_000 + at * 7_919 % 900_000,
                1950 + at * 7 % 70,
            )
            for at in range(1, 141)
        ],
    )
    found.write(
        "jobs",
        "id,title,country,remote",
        [
            (
                at,
                ("Nurse", "Teacher")[at % 2],
                ("France", "Spain")[at % 3 % 2],
                ("yes", "no", "hybrid")[at % 7 % 3],
            )
            for at in range(1, 151)
        ],
    )
    found.write(
        "episodes_log",
        "show,episode_title,length_minutes,explicit",
        [
            (
                ("Kitchen", "Lab")[at % 2],
                f"Part {at}",
                10 + at * 11 % 90,
                "True" if at % 3 else "False",
            )
            for at in range(1, 101)
        ],
    )
    found.write(
        "inspections",
        "inspection_id,borough,grade",
        [(at, ("Queens", "Bronx")[at % 2], ("A", "B", "C")[at % 3]) for at in range(1, 121)],
    )
    found.write(
        "campaigns",
        "campaign,channel,clicks,conversions",
        [
            (f"C{at}", ("Email", "Search")[at % 2], 100 + at * 7 % 300, at * 3 % 40)
            for at in range(1, 81)
        ],
    )
    found.write(
        "flights",
        "flight,month,day,origin",
        [
            (1000 + at * 37 % 900, 1 + at % 12, 1 + at % 28, ("ORD", "MDW")[at % 2])
            for at in range(1, 400)
        ],
    )
    found.write(
        "weather",
        "date,min_temp_c,max_temp_c",
        [
            (f"2024-{1 + at % 12:02}-{1 + at % 28:02}", at * 7 % 20, 20 + at * 5 % 15)
            for at in range(1, 85)
        ],
    )
    found.write(
        "nests",
        "nest_id,completed,clutch_size",
        [(at, "Yes" if at % 4 else "No", 4 + at % 5) for at in range(1, 121)],
    )
    found.write(
        "trips",
        "trip_id,duration_sec,user_type",
        [(at, 60 + at * 97 % 7_000, ("Member", "Guest")[at % 2]) for at in range(1, 201)],
    )
    found.write(
        "sales",
        "sale_id,channel,quantity,unit_price",
        [
            (at, ("web", "store", "phone")[at % 3], 1 + at * 7 % 9, 5 + at * 11 % 40)
            for at in range(1, 161)
        ],
    )
    return found


@pytest.mark.parametrize(
    ("question", "name", "parts"),
    [
        ("average humidity by sensor", "sensors", ["AVG(sensors.humidity_pct)", "sensor_id"]),
        ("share of no shows by clinic", "visits", ["no_show = ?", "clinic"]),
        ("who hit the most home runs", "batting", ["player", "SUM(batting.hr)", "LIMIT 1"]),
        ("houses built in the 90s", "houses", ["year_built BETWEEN ? AND ?"]),
        ("houses built in the 1990s", "houses", ["year_built BETWEEN ? AND ?"]),
        ("cheapest 3 bedroom house", "houses", ["address", "bedrooms = ?", "price ASC", "LIMIT 1"]),
        ("how many houses with sqft at least 626", "houses", ["sqft >= ?"]),
        ("average size by area", "houses", ["AVG(houses.sqft)", "houses.area"]),
        ("how many remote jobs per country", "jobs", ["remote = ?", "country"]),
        ("how many explicit episodes", "episodes_log", ["COUNT(*)", "explicit = TRUE"]),
        ("how many A grades in Queens", "inspections", ["grade = ?", "borough = ?"]),
        ("flights on 4 July", "flights", ["COUNT(*)", "month = ?", "day = ?"]),
        ("the hottest day", "weather", ["max_temp_c", "LIMIT 1"]),
        ("share of clutches completed", "nests", ["COUNT(*)", "completed = "]),
        ("which channel sells most units", "sales", ["SUM(sales.quantity)", "LIMIT 1"]),
        ("total units by channel", "sales", ["SUM(sales.quantity)", "channel"]),
        ("average unit price by channel", "sales", ["AVG(sales.unit_price)", "channel"]),
        ("average trip length in minutes", "trips", ["AVG(", "0.016"]),
    ],
)
async def test_questions_are_read_by_what_names_tell(
    tables: Tables, question: str, name: str, parts: list[str]
) -> None:
    sql = await tables.sql(question, name)
    assert [part for part in parts if part not in sql] == [], sql


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("what share of visits were no shows in each clinic", "visits"),
        ("percentage of visits that were no shows by clinic", "visits"),
    ],
)
async def test_a_share_within_each_group_is_told_with_the_other_that_it_may_mean(
    tables: Tables, question: str, name: str
) -> None:
    read = await tables.understood(question, name)
    assert isinstance(read, Understood)
    assert read.confidence < thresholds.SURE
    assert "share where" in read.summary and read.assumptions


async def test_a_rate_of_totals_is_never_told_as_the_total_for_sure(tables: Tables) -> None:
    read = await tables.understood("conversion rate per channel", "campaigns")
    if isinstance(read, NotUnderstood):
        return
    assert read.confidence < thresholds.LIKELY
    assert any("rate" in one for one in read.assumptions), read.assumptions


async def test_what_no_word_ranks_is_not_told_by_the_alphabet(tables: Tables) -> None:
    read = await tables.understood("best campaign", "campaigns")
    assert isinstance(read, NotUnderstood) or read.confidence < thresholds.LIKELY


def test_a_name_that_begins_with_no_denies() -> None:
    assert words_of("no_show") == ("no", "show")
    assert words_of("order_no") == ("order", "number")
    assert words_of("no_of_rooms")[0] == "number"


async def test_what_each_number_is_of_is_never_left_out(tables: Tables) -> None:
    read = await tables.understood("average price per purchase", "houses")
    assert isinstance(read, NotUnderstood) or not any("not used" in a for a in read.assumptions)


@pytest.mark.parametrize("question", ["how many unicorns per area", "unicorns by area"])
async def test_what_is_asked_of_is_never_left_out(tables: Tables, question: str) -> None:
    read = await tables.understood(question, "houses")
    if isinstance(read, Understood):  # taken for the rows of the only table: told so
        assert read.confidence <= thresholds.DOUBTFUL
        assert '"unicorns" is taken for rows of houses' in read.assumptions


async def test_the_most_is_never_told_by_numbers_that_name(tables: Tables) -> None:
    read = await tables.understood("which visit lasted the most", "visits")
    assert isinstance(read, NotUnderstood) or not any(
        order.field is not None and order.field.column == "visit_id" for order in read.intent.order
    )
