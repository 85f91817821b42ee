"""Files called like the amount they hold: their word means the amount, and rows where it cannot."""

from __future__ import annotations

import datetime

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import Understood
from tests.unit.reader.files import Tables

_FIRST = datetime.date(2024, 1, 1)


def _day(at: int) -> datetime.date:
    return _FIRST + datetime.timedelta(at)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("tables"))
    found.write(
        "sales",
        "date,region,product,sales",
        [
            (
                _day(at // 2),
                ("North", "South", "West")[at % 3],
                ("Tea", "Coffee")[at * 7 % 5 % 2],
                20.25 + at * 37 % 880,
            )
            for at in range(200)
        ],
    )
    found.write(
        "daily_rainfall",
        "station,date,rainfall_mm",
        [(("Oban", "Skye")[at % 2], _day(at // 2), at * 7 % 53 / 10) for at in range(160)],
    )
    found.write(
        "consumption",
        "meter,customer_type,day,consumption_kwh",
        [
            (f"M{at % 8}", ("household", "shop")[at % 2], _day(at // 8), 2 + at * 7 % 590 / 10)
            for at in range(800)
        ],
    )
    found.write(
        "orders",
        "week,store,orders,returns",
        [(_day(7 * (at // 4)), "ABCD"[at % 4], 20 + at * 31 % 71, at % 9) for at in range(120)],
    )
    found.write(
        "flights",
        "flight,carrier,day",
        [(1 + at % 40, ("AA", "UA")[at % 2], _day(at)) for at in range(200)],
    )
    return found


@pytest.mark.parametrize(
    ("question", "table", "number"),
    [
        ("total sales by region", "sales", "SUM(sales.sales)"),
        ("sales by region", "sales", "SUM(sales.sales)"),
        ("sales per month in 2024", "sales", "SUM(sales.sales)"),
        ("share of sales by product", "sales", "SUM(sales.sales)"),
        ("average sales by product", "sales", "AVG(sales.sales)"),
        ("how many sales were there in the North", "sales", "COUNT(*)"),
        ("number of sales by product", "sales", "COUNT(*)"),
        ("rainfall by station", "daily_rainfall", "SUM(daily_rainfall.rainfall_mm)"),
        ("monthly consumption of households", "consumption", "SUM(consumption.consumption_kwh)"),
        ("average rainfall per station", "daily_rainfall", "AVG(daily_rainfall.rainfall_mm)"),
        ("orders by store", "orders", "SUM(orders.orders)"),
        ("number of orders per month", "orders", "SUM(orders.orders)"),
        ("flights by carrier", "flights", "COUNT(*)"),
    ],
)
async def test_its_word_means_the_amount(
    tables: Tables, question: str, table: str, number: str
) -> None:
    sql = await tables.sql(question, table)
    assert number in sql
    assert ("COUNT" in number) == ("COUNT" in sql)


async def test_several_amounts_are_told_beside_each_other(tables: Tables) -> None:
    found = await tables.understood("orders and returns by store", "orders")
    assert isinstance(found, Understood)
    assert found.summary.startswith("total orders, total returns by store")


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("average orders per week by store", "orders"),
        ("average daily consumption of shops", "consumption"),
    ],
)
async def test_an_average_per_day_told_of_each_day_is_no_sure_answer(
    tables: Tables, question: str, table: str
) -> None:
    found = await tables.understood(question, table)
    assert isinstance(found, Understood) and found.confidence < thresholds.SURE
    assert any("averaged over all of them" in note for note in found.assumptions)
