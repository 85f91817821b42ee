"""Ordinary questions over a help desk, an airline and a trading house, against SQL by hand."""

from __future__ import annotations

import sqlite3
from datetime import date, timedelta
from typing import Any

import pytest

from tests.unit.language.truth_help import Shop, alike, opened

pytestmark = pytest.mark.asyncio

DESK = """
create table accounts (id integer primary key, company text, industry text, country text);
create table users (id integer primary key, account_id integer references accounts (id),
    full_name text, is_active boolean, manager_id integer references users (id));
create table agents (id integer primary key, name text);
create table tickets (id integer primary key, user_id integer references users (id),
    agent_id integer references agents (id), priority text, opened_at date, closed_at date);
create table invoices (id integer primary key, account_id integer references accounts (id),
    issued_on date, amount real, status text);
create table airports (code text primary key, airport_name text, city text);
create table flights (flight_id integer primary key, origin text references airports (code),
    destination text references airports (code), flown_on date, seats integer);
"""
PLACES = (("OSL", "Gardermoen", "Oslo"), ("CDG", "De Gaulle", "Paris"), ("LIM", "Chavez", "Lima"))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Tables whose rows follow from their numbers."""
    home = tmp_path_factory.mktemp("desk")
    path, day = home / "desk.sqlite", date(2024, 1, 1)
    with sqlite3.connect(path) as made:
        made.executescript(DESK)
        industries, countries = ("Media", "Retail", "Energy"), ("Spain", "Chile")
        for i in range(1, 13):
            row: tuple[Any, ...] = (i, f"Firm {i}", industries[i % 3], countries[i % 2])
            made.execute("insert into accounts values (?, ?, ?, ?)", row)
        for i in range(1, 41):
            boss = None if i <= 3 else i % 3 + 1
            row = (i, i % 11 + 1, f"Person {i}", int(i % 4 > 0), boss)
            made.execute("insert into users values (?, ?, ?, ?, ?)", row)
        made.executemany(
            "insert into agents values (?, ?)", [(i, f"Agent {i}") for i in range(1, 4)]
        )
        for i in range(1, 121):
            start = day + timedelta(days=i)
            end = None if i % 5 == 0 else str(start + timedelta(days=3))
            level = ("low", "medium", "high")[i % 3]
            row = (i, i % 13 + 1, i % 2 + i % 3 % 2 + 1, level, str(start), end)
            made.execute("insert into tickets values (?, ?, ?, ?, ?, ?)", row)
        for i in range(1, 61):
            status = "open" if i % 10 in (3, 7) else "paid"
            row = (i, i % 10 + 1, str(day + timedelta(days=i)), 10.0 * i, status)
            made.execute("insert into invoices values (?, ?, ?, ?, ?)", row)
        made.executemany("insert into airports values (?, ?, ?)", PLACES)
        for i in range(1, 31):
            row = (i, PLACES[i % 3][0], PLACES[(i + 1 + i % 2) % 3][0], str(day), 100 + i)
            made.execute("insert into flights values (?, ?, ?, ?, ?)", row)
    made.close()
    return Shop(path, home)


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize(
    ("question", "columns", "sql"),
    [
        (
            "number of active users per industry",
            (0, 1),
            "select industry, count(*) from users u join accounts a on u.account_id = a.id "
            "where is_active group by 1",
        ),
        (
            "number of tickets not closed yet by priority",
            (0, 1),
            "select priority, count(*) from tickets where closed_at is null group by 1",
        ),
        (
            "users without a manager",
            (0,),
            "select full_name from users where manager_id is null",
        ),
        (
            "number of accounts with no paid invoices",
            (0,),
            "select count(*) from accounts where id not in "
            "(select account_id from invoices where status = 'paid')",
        ),
        (
            "median invoice amount per country",
            (0, 1),
            "select 'Chile', 310.0 union select 'Spain', 300.0",
        ),
        (
            "number of users per agent",
            (0, 1),
            "select name, count(distinct user_id) from tickets t join agents a "
            "on t.agent_id = a.id group by a.id",
        ),
        (
            "number of flights by destination city",
            (0, 1),
            "select city, count(*) from flights join airports on destination = code group by 1",
        ),
        (
            "total seats by origin city",
            (0, 1),
            "select city, sum(seats) from flights join airports on origin = code group by 1",
        ),
    ],
)
async def test_a_help_desk(desk: Shop, question: str, columns: tuple[int, ...], sql: str) -> None:
    alike(await desk.rows(question, *columns), desk.truth(sql))


@pytest.mark.parametrize(
    ("question", "columns", "sql"),
    [
        (
            "customers in France or Germany but not in Berlin who ordered more than 5 times",
            (0, 1),
            "select CompanyName, count(*) from Customers join Orders using (CustomerID) where "
            "Country in ('France', 'Germany') and City <> 'Berlin' group by CustomerID "
            "having count(*) > 5",
        ),
        (
            "freight by ship country for orders over 100",
            (0, 1),
            "select ShipCountry, sum(Freight) from Orders where Freight > 100 group by 1",
        ),
        (
            "products cheaper than 10 or more expensive than 100",
            (0,),
            "select ProductName from Products where UnitPrice < 10 or UnitPrice > 100",
        ),
        (
            "products in Meat/Poultry",
            (0,),
            "select ProductName from Products join Categories using (CategoryID) "
            "where CategoryName = 'Meat/Poultry'",
        ),
        (
            "products with price in the range of 10 to 20 and stock above 50",
            (0,),
            "select ProductName from Products where UnitPrice between 10 and 20 "
            "and UnitsInStock > 50",
        ),
        (
            "employees with the letters D or S in their first name",
            (0,),
            "select FirstName || ' ' || LastName from Employees "
            "where FirstName like '%d%' or FirstName like '%s%'",
        ),
        (
            "hire date of each employee",
            (0, 1),
            "select FirstName || ' ' || LastName, HireDate from Employees",
        ),
        (
            "top 5 countries",
            (0, 1),
            "select Country, sum(d.UnitPrice * Quantity * (1 - Discount)) from Orders "
            'join Customers using (CustomerID) join "Order Details" d using (OrderID) '
            "group by 1 order by 2 desc limit 5",
        ),
    ],
)
async def test_a_trading_house(
    northwind: Shop, question: str, columns: tuple[int, ...], sql: str
) -> None:
    alike(await northwind.rows(question, *columns), northwind.truth(sql))


async def test_sums_over_rows_that_joins_repeat_say_so(northwind: Shop) -> None:
    told = (await northwind.understood("total freight by product category")).assumptions
    assert any(note.startswith("each order counts once for every category") for note in told)
    share = (await northwind.understood("share of freight by product category")).assumptions
    assert any("once for every row of order details" in note for note in share)
    assert not (await northwind.understood("total freight by ship country")).assumptions


async def test_rows_are_called_what_the_question_calls_them(northwind: Shop) -> None:
    latest = await northwind.understood("latest order")
    assert "latest 1 by order date" in latest.summary
