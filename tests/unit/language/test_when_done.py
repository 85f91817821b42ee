"""What was done, when, how long it took and whether in time, against SQL written by hand."""

from __future__ import annotations

from datetime import date

import pytest

from services.planner.domain.query.intent import NotUnderstood, Understood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike, opened

pytestmark = pytest.mark.asyncio

DAYS = "julianday(date(ShippedDate)) - julianday(date(OrderDate))"
MONEY = "sum(d.UnitPrice * d.Quantity * (1 - d.Discount))"
SOLD = 'Orders o join "Order Details" d using (OrderID)'
LATE = "ShippedDate > RequiredDate"
SHIPPER = "Orders o join Shippers s on s.ShipperID = o.ShipVia"

NUMBERS = {
    "how many orders were shipped": "select count(ShippedDate) from Orders",
    "how many shipped orders": "select count(ShippedDate) from Orders",
    "revenue of shipped orders": f"select {MONEY} from {SOLD} where ShippedDate is not null",
    "how many orders were shipped in 1997":
        "select count(*) from Orders where ShippedDate like '1997%'",
    "how many orders were shipped before 1997":
        "select count(*) from Orders where ShippedDate < '1997-01-01'",
    "how many orders were shipped late": f"select count(*) from Orders where {LATE}",
    "how many late orders": f"select count(*) from Orders where {LATE}",
    "how many late shipments in 1997":
        f"select count(*) from Orders where {LATE} and OrderDate like '1997%'",
    "how many orders were shipped after the required date":
        f"select count(*) from Orders where {LATE}",
    "how many orders were shipped on time":
        "select count(*) from Orders where ShippedDate <= RequiredDate",
    "revenue of late orders": f"select {MONEY} from {SOLD} where {LATE}",
    "how many orders took more than 10 days to ship":
        f"select count(*) from Orders where {DAYS} > 10",
    "how many orders took longer than 2 weeks to ship":
        f"select count(*) from Orders where {DAYS} > 14",
    "how many orders were shipped within 3 days of ordering":
        f"select count(*) from Orders where {DAYS} <= 3",
    "average time between order and shipment": f"select avg({DAYS}) from Orders",
    "average days from order to shipping": f"select avg({DAYS}) from Orders",
    "how long does it take to ship an order on average": f"select avg({DAYS}) from Orders",
    "how many days between order date and required date on average":
        "select avg(julianday(RequiredDate) - julianday(OrderDate)) from Orders",
    "total revenue in the last quarter of 1997":
        f"select {MONEY} from {SOLD} where OrderDate between '1997-10-01' and '1997-12-31 99'",
    "total revenue in the first half of 1997":
        f"select {MONEY} from {SOLD} where OrderDate between '1997-01-01' and '1997-06-30 99'",
    "revenue in H2 1997":
        f"select {MONEY} from {SOLD} where OrderDate between '1997-07-01' and '1997-12-31 99'",
    "revenue in the last month of 1997":
        f"select {MONEY} from {SOLD} where OrderDate like '1997-12%'",
    "revenue in the first week of March 1997":
        f"select {MONEY} from {SOLD} where OrderDate between '1997-03-01' and '1997-03-07 99'",
    "how many orders since the second half of 1997":
        "select count(*) from Orders where OrderDate >= '1997-07-01'",
    "how many orders were placed on Mondays":
        "select count(*) from Orders where strftime('%w', OrderDate) = '1'",
    "how many orders on weekends":
        "select count(*) from Orders where strftime('%w', OrderDate) in ('0', '6')",
    "how many orders on weekdays":
        "select count(*) from Orders where strftime('%w', OrderDate) not in ('0', '6')",
    "revenue on Fridays in 1997":
        f"select {MONEY} from {SOLD} where strftime('%w', OrderDate) = '5' "
        "and OrderDate like '1997%'",
    "how many employees older than 40 years":
        "select count(*) from Employees where BirthDate <= '1984-01-01'",
    "how many days do orders wait on average": f"select avg({DAYS}) from Orders",
    "how many orders in the 1990s": "select count(*) from Orders where OrderDate like '199%'",
}  # fmt: skip


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("northwind"))


async def _refusal(shop: Shop, question: str) -> str:
    found = await understand(question, shop.catalogue, shop.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood), found
    return found.message


@pytest.mark.parametrize("question", NUMBERS)
async def test_one_number(northwind: Shop, question: str) -> None:
    ((got,),) = await northwind.rows(question)
    ((wanted,),) = northwind.truth(NUMBERS[question])
    assert float(got) == pytest.approx(float(wanted))


async def test_a_share_of_what_was_late_is_one_number(northwind: Shop) -> None:
    (row,) = await northwind.rows("what percentage of orders were shipped late")
    ((late, of_all),) = northwind.truth(f"select sum({LATE}), count(*) from Orders")
    assert row[0] == pytest.approx(late / of_all)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("late orders by shipper",
         f"select CompanyName, count(*) from {SHIPPER} where {LATE} group by 1"),
        ("percentage of late orders by shipper",
         f"select CompanyName, avg(coalesce({LATE}, 0)) from {SHIPPER} group by 1"),
        ("average shipping time by shipper",
         f"select CompanyName, avg({DAYS}) from {SHIPPER} group by 1"),
        ("which shipper has the most late orders",
         f"select CompanyName, count(*) from {SHIPPER} where {LATE} group by 1 order by 2 desc "
         "limit 1"),
        ("number of orders shipped by year",
         "select cast(substr(ShippedDate, 1, 4) as int), count(*) from Orders "
         "where ShippedDate is not null group by 1"),
    ],
)  # fmt: skip
async def test_by_groups(northwind: Shop, question: str, sql: str) -> None:
    alike(await northwind.rows(question), northwind.truth(sql))


async def test_where_it_went_is_denied_and_not_that_it_did(northwind: Shop) -> None:
    read = await northwind.understood("how many orders not shipped to USA")
    assert "ship country is not USA" in read.summary
    assert await northwind.rows("how many orders not shipped to USA") == northwind.truth(
        "select count(*) from Orders where ShipCountry <> 'USA'"
    )


async def test_notes_are_about_what_is_shown(northwind: Shop) -> None:
    shown = await northwind.understood("compare revenue of 1996 and 1997")
    told = "both are told for the same part: from 4 July, as the data begins within 1996"
    assert told in shown.assumptions
    both = await northwind.understood("revenue by year")
    assert sum("where the data" in note for note in both.assumptions) == 2


async def test_the_day_on_which_people_are_so_old_is_told(northwind: Shop) -> None:
    read = await northwind.understood("average age of employees")
    assert f"age = full years since birth date, on {TODAY}" in read.summary
    born = northwind.truth("select date(BirthDate) from Employees")
    ages = [_years(date.fromisoformat(day)) for (day,) in born]
    ((got,),) = await northwind.rows("average age of employees")
    assert float(got) == pytest.approx(sum(ages) / len(ages))


def _years(born: date) -> int:
    return TODAY.year - born.year - ((born.month, born.day) > (TODAY.month, TODAY.day))


async def test_the_first_and_the_last_by_a_date(northwind: Shop) -> None:
    for question, sql in (
        ("when was the last order", "select date(max(OrderDate)) from Orders"),
        ("when was the first order shipped", "select date(min(ShippedDate)) from Orders"),
    ):
        ((got,),) = await northwind.rows(question)
        assert str(got)[:10] == northwind.truth(sql)[0][0], question
    (row,) = await northwind.rows("which employee was hired first")
    assert row[:2] == ("Janet", "Leverling")


async def test_this_year_is_the_one_in_which_the_data_ended_long_ago(northwind: Shop) -> None:
    read = await northwind.understood("revenue this year")
    told = "this year begins on 1998-01-01, as the data ends on 1998-05-06, the latest OrderDate"
    assert told in read.assumptions


async def test_the_youngest_is_the_one_born_last(northwind: Shop) -> None:
    (row,) = await northwind.rows("youngest employee")
    assert row[:2] == ("Anne", "Dodsworth")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("average time between order and delivery", 'what "delivery"'),
        ("how many orders were delivered", 'what "delivered"'),
        ("cancelled orders", 'what "cancelled"'),
        ("orders that were shipped more than 5 days late", 'known as "late"'),
        ("how many overdue orders", 'what "overdue"'),
        ("how many orders were not shipped in 1997", "another time or never"),
        ("revenue at the end of 1997", "is not plain"),
        ("revenue in 1997 in 1998", 'what "1998"'),
        ("revenue in summer 1997", 'what "summer"'),
        ("orders in the morning", 'what "morning"'),
        ("how many orders next month", '"next", "month"'),
        ("revenue same month last year", '"same", "month"'),
    ],
)
async def test_what_dates_do_not_tell_is_refused(northwind: Shop, question: str, said: str) -> None:
    assert said in await _refusal(northwind, question)


@pytest.mark.parametrize(
    "question",
    [
        "average delivery time by shipper",
        "how many orders took more than 2 months to ship",
        "orders shipped before they were required",
        "orders older than 30 days",
        "orders since March",
        "late employees",
    ],
)
async def test_what_dates_tell_in_part_is_never_sure(northwind: Shop, question: str) -> None:
    found = await understand(
        question, northwind.catalogue, northwind.lookup, today=TODAY, evidence=northwind.evidence
    )
    assert not isinstance(found, Understood) or any(
        "this reading is" in note for note in found.assumptions
    )
