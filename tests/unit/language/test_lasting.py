"""Durations, lateness and ages over tables of other makes, against SQL written by hand."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop

pytestmark = pytest.mark.asyncio

TABLES = (
    "CREATE TABLE Claims (Claim_ID INTEGER PRIMARY KEY, Amount REAL, Date_Claim_Made DATE, "
    "Date_Claim_Settled DATE)",
    "CREATE TABLE Bookings (Booking_ID INTEGER PRIMARY KEY, Price REAL, Order_Date DATETIME, "
    "Planned_Delivery_Date DATETIME, Actual_Delivery_Date DATETIME)",
    "CREATE TABLE Grants (Grant_ID INTEGER PRIMARY KEY, Grant_Amount REAL, "
    "Grant_Start_Date DATE, Grant_End_Date DATE)",
)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder: Path = tmp_path_factory.mktemp("office")
    with sqlite3.connect(folder / "office.sqlite") as database:
        for table in TABLES:
            database.execute(table)
        for i in range(40):
            settled = f"2020-0{2 + i % 7}-1{i % 9}" if i % 5 else None
            database.execute(
                "INSERT INTO Claims VALUES (?, ?, ?, ?)",
                (i, 10.5 * i, f"2020-01-{1 + i % 28:02}", settled),
            )
            database.execute(
                "INSERT INTO Bookings VALUES (?, ?, ?, ?, ?)",
                (i, 3.5 * i, f"2021-03-{1 + i % 28:02} 08:15:00",
                 f"2021-04-{10 + i % 9:02} 12:00:00",
                 f"2021-04-{8 + i % 14:02} {10 + i % 6}:30:00" if i % 8 else None),
            )  # fmt: skip
            database.execute(
                "INSERT INTO Grants VALUES (?, ?, ?, ?)",
                (i, 100.0 * i, f"2018-0{1 + i % 9}-05", f"2019-1{i % 3}-2{i % 8}"),
            )
    return Shop(folder / "office.sqlite", tmp_path_factory.mktemp("home"))


SETTLING = "julianday(Date_Claim_Settled) - julianday(Date_Claim_Made)"
DELIVERING = "julianday(Actual_Delivery_Date) - julianday(Order_Date)"
LASTING = "julianday(Grant_End_Date) - julianday(Grant_Start_Date)"
NUMBERS = {
    "how many claims were settled": "select count(Date_Claim_Settled) from Claims",
    "total amount of settled claims":
        "select sum(Amount) from Claims where Date_Claim_Settled is not null",
    "average time to settle a claim": f"select avg({SETTLING}) from Claims",
    "how long does it take to settle claims on average": f"select avg({SETTLING}) from Claims",
    "how many claims took more than 60 days to settle":
        f"select count(*) from Claims where {SETTLING} > 60",
    "how many claims were settled within 8 weeks":
        f"select count(*) from Claims where {SETTLING} <= 56",
    "average delivery time of bookings": f"select 24 * avg({DELIVERING}) from Bookings",
    "average delivery time of bookings in days": f"select avg({DELIVERING}) from Bookings",
    "how many bookings were delivered late":
        "select count(*) from Bookings where Actual_Delivery_Date > Planned_Delivery_Date",
    "how many bookings were not delivered on time":
        "select count(*) from Bookings where Actual_Delivery_Date > Planned_Delivery_Date",
    "how many bookings were delivered on time":
        "select count(*) from Bookings where Actual_Delivery_Date <= Planned_Delivery_Date",
    "average duration of grants": f"select avg({LASTING}) from Grants",
    "how long do grants last on average": f"select avg({LASTING}) from Grants",
}  # fmt: skip


@pytest.mark.parametrize("question", NUMBERS)
async def test_one_number(office: Shop, question: str) -> None:
    ((got,),) = await office.rows(question)
    ((wanted,),) = office.truth(NUMBERS[question])
    assert float(got) == pytest.approx(float(wanted))


async def test_a_span_of_what_no_date_tells_is_no_answer(office: Shop) -> None:
    found = await understand("average approval time", office.catalogue, office.lookup, today=TODAY)
    assert not isinstance(found, Understood) or 'not used: "approval"' in found.assumptions
