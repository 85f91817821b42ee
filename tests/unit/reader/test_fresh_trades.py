"""Questions over tables of trades that nobody tuned to: clinics, wholesale, staff, freight."""

from __future__ import annotations

import datetime

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import Clarification, NotUnderstood, Understood
from tests.unit.reader.files import Tables

_FIRST = datetime.datetime(2024, 1, 1, 8)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("tables"))
    found.write(
        "clinic_visits",
        "visit_id,patient_id,department,visited_at,fee_eur",
        [
            (
                at,
                f"P{at % 60:03}",
                ("ER", "GP", "Eye")[at % 3],
                _FIRST + datetime.timedelta(hours=24 * (at * 7 % 500) + at % 9),
                20 + at * 7 % 90,
            )
            for at in range(1, 501)
        ],
    )
    lines = [order for order in range(1, 201) for _ in range(1 + order % 3)]
    found.write(
        "wholesale_orders",
        "line_no,order_no,order_date,product,category,cases,discount",
        [
            (
                at,
                f"WO{order}",
                _FIRST.date() + datetime.timedelta(order),
                ("Oat Milk", "Cheddar Block", "Dish Soap", "Green Tea")[at % 4],
                ("Dairy/Alt", "Dairy/Alt", "Household", "Coffee & Tea")[at % 4],
                1 + at % 40,
                (0, 0.05, 0.1)[at % 3],
            )
            for at, order in enumerate(lines, 1)
        ],
    )
    found.write(
        "employees",
        "employee_id,department,office,work_mode,salary",
        [
            (
                f"E{at}",
                ("IT", "Sales EMEA", "Sales US", "Legal")[at % 4],
                ("Oslo", "Austin")[at % 2],
                ("remote", "hybrid", "office")[at % 3],
                30_000 + at * 713 % 90_000,
            )
            for at in range(1, 181)
        ],
    )
    header = "shipment_id,carrier,origin,destination,shipped_on,delivered_on,parcels"
    found.write(
        "shipments",
        header,
        [
            (
                f"SH{at}",
                ("DHL", "UPS")[at % 2],
                ("Hamburg", "Antwerp")[at * 3 % 5 % 2],
                ("Paris", "Milan")[at * 7 % 9 % 2],
                _FIRST.date() + datetime.timedelta(at),
                _FIRST.date() + datetime.timedelta(at + 1 + at % 6),
                1 + at % 30,
            )
            for at in range(1, 201)
        ],
    )
    found.write(
        "gifts",
        "gift_no,campaign,amount_gbp",
        [
            (at, ("Spring Appeal", "Winter Appeal", "Gala")[at % 3], 10 + at * 37 % 500)
            for at in range(1, 151)
        ],
    )
    found.write(
        "probes",
        "probe,room,reading",
        [(f"T{at % 8}", ("Lab", "Store")[at % 2], 20 + at % 70 / 10) for at in range(1, 301)],
    )
    return found


async def _told(tables: Tables, question: str, table: str) -> Understood:
    found = await tables.understood(question, table)
    assert not isinstance(found, NotUnderstood | Clarification), found
    return found


async def test_moments_of_the_last_day_of_a_year_are_in_it(tables: Tables) -> None:
    sql = await tables.sql("how many visits did we have in 2024", "clinic_visits")
    assert "BETWEEN" not in sql and "visited_at < CAST(? AS TIMESTAMP)" in sql


@pytest.mark.parametrize(
    ("operator", "kept"),
    [("until", 3), ("after", 1), ("on", 2)],
)
async def test_days_hold_all_of_their_moments(
    tmp_path_factory: pytest.TempPathFactory, operator: str, kept: int
) -> None:
    found = Tables(tmp_path_factory.mktemp("moments"))
    found.write(
        "calls",
        "call_id,called_at",
        [
            (1, "2024-03-04 23:10:00"),
            (2, "2024-03-05 00:00:00"),
            (3, "2024-03-05 18:30:00"),
            (4, "2024-03-06 09:00:00"),
        ],
    )
    rows = await found.rows(f"number of calls {operator} 2024-03-05", "calls")
    assert [(kept,)] in rows


@pytest.mark.parametrize(
    "question",
    ["how many orders did we get in 2024", "orders by weekday in Q1 2024", "orders per category"],
)
async def test_the_last_word_of_a_name_tells_what_is_counted(tables: Tables, question: str) -> None:
    sql = await tables.sql(question, "wholesale_orders")
    assert "COUNT(DISTINCT wholesale_orders.order_no)" in sql


async def test_what_a_value_is_said_of_makes_no_groups(tables: Tables) -> None:
    found = await _told(tables, "average discount on dairy products", "wholesale_orders")
    assert "by product" not in found.summary and "category is Dairy/Alt" in found.summary


async def test_days_are_the_unit_of_a_time_and_no_groups(tables: Tables) -> None:
    found = await _told(tables, "average delivery time in days by carrier", "shipments")
    assert found.summary.startswith("average days from shipped on to delivered on by carrier")


async def test_a_part_of_two_values_is_a_condition_and_a_group_is_none(tables: Tables) -> None:
    found = await _told(tables, "average salary in sales by office", "employees")
    assert "department is Sales EMEA or Sales US" in found.summary
    assert "work mode" not in found.summary and found.confidence < thresholds.SURE


@pytest.mark.parametrize(
    ("question", "table", "wrong"),
    [
        ("how much came from appeals", "gifts", "number of"),
        ("readings per room", "probes", "total reading"),
    ],
)
async def test_no_likely_answer_is_of_another_kind_than_asked(
    tables: Tables, question: str, table: str, wrong: str
) -> None:
    found = await tables.understood(question, table)
    likely = isinstance(found, Understood) and found.confidence >= thresholds.LIKELY
    assert not (likely and isinstance(found, Understood) and wrong in found.summary)


async def test_amounts_between_two_places_are_not_listed(tables: Tables) -> None:
    found = await tables.understood("parcels from Hamburg to Milan", "shipments")
    assert not isinstance(found, Understood) or "total parcels" in found.summary
