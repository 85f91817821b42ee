"""Who came back: cohorts, retention, new and returning, against SQL and counts by hand."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from services.planner.domain.query.intent import ChartType, Grain
from tests.unit.language.truth_help import Shop, alike, opened

ORDERS = "from Orders where CustomerID is not null"
BUYERS = f"(select distinct CustomerID who, substr(OrderDate, 1, 7) p {ORDERS})"
FIRSTS = f"(select CustomerID who, substr(min(OrderDate), 1, 7) c {ORDERS} group by 1)"
MONTHS_SINCE = "(substr(p, 1, 4) - substr(c, 1, 4)) * 12 + substr(p, 6, 2) - substr(c, 6, 2)"
GRID = (
    f"select c, p, {MONTHS_SINCE} age, (select count(*) from {FIRSTS} f where f.c = k.c) size, "
    f"(select count(*) from {FIRSTS} f join {BUYERS} b using (who) where f.c = k.c and b.p = t.p) "
    f"active from (select distinct c from {FIRSTS}) k join (select distinct p from {BUYERS}) t "
    "on p >= c"
)


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Four users of whom one never came; the data ends on 3 March."""
    path = tmp_path_factory.mktemp("app") / "app.sqlite"
    with sqlite3.connect(path) as made:
        made.executescript("""
            create table users (user_id integer primary key, name text, plan text,
                signup_date date);
            create table sessions (session_id integer primary key,
                user_id integer references users (user_id), started_at timestamp, device text);
            insert into users values (1, 'Ann', 'pro', '2024-01-05'),
                (2, 'Bob', 'free', '2024-01-20'), (3, 'Cid', 'pro', '2024-02-02'),
                (4, 'Dan', 'free', '2024-02-10');
            insert into sessions values (1, 1, '2024-01-06 09:00:00', 'web'),
                (2, 1, '2024-02-01 10:00:00', 'web'), (3, 2, '2024-03-03 11:00:00', 'phone'),
                (4, 3, '2024-02-02 12:00:00', 'web'), (5, 3, '2024-03-01 13:00:00', 'phone');
        """)
    return Shop(path, tmp_path_factory.mktemp("app-home"))


@pytest.mark.parametrize(
    ("question", "columns", "sql"),
    [
        (
            "retention of customers by month of first order",
            (),
            f"select c || '-01', age, active * 1.0 / size, size, active from ({GRID})",
        ),
        (
            "share of customers that return after n months",
            (),
            f"select age, sum(active) * 1.0 / sum(size), sum(size), sum(active) from ({GRID}) "
            "group by age",
        ),
        (
            "what share of customers return after 3 months",
            (0, 2, 3),
            f"select 3, sum(size), sum(active) from ({GRID}) where age = 3",
        ),
        (
            "of the customers who first ordered in each month, how many ordered again in the "
            "following month?",
            (0, 1, 3, 4),
            f"select c || '-01', age, size, active from ({GRID}) where age = 1",
        ),
        (
            "how many customers came back per month",
            (),
            f"select c || '-01', age, active * 1.0 / size, size, active from ({GRID})",
        ),
        (
            "how many customers who first ordered in 1996 ordered again in 1997",
            (1, 2),
            f"select count(*), sum(who in (select CustomerID {ORDERS} and OrderDate like '1997%')) "
            f"from {FIRSTS} where c like '1996%'",
        ),
        (
            "how many customers who ordered in 1996 did not order in 1997",
            (1, 2),
            "select count(distinct CustomerID), count(distinct CustomerID) - count(distinct case "
            f"when CustomerID in (select CustomerID {ORDERS} and OrderDate like '1997%') "
            f"then CustomerID end) {ORDERS} and OrderDate like '1996%'",
        ),
        (
            "repeat purchase rate by country",
            (0, 2, 3),
            "select Country, count(*), sum(n > 1) from (select Country, count(*) n from Orders "
            "join Customers using (CustomerID) group by CustomerID) group by 1",
        ),
        (
            "new versus returning customers by month",
            (),
            "select p || '-01', case when p = c then 'new' else 'returning' end, count(*) "
            f"from {BUYERS} join {FIRSTS} using (who) group by 1, 2",
        ),
        ("new customers by month", (), f"select c || '-01', count(*) from {FIRSTS} group by 1"),
        (
            "how many new customers in 1997",
            (),
            f"select count(*) from {FIRSTS} where c like '1997%'",
        ),
        (
            "active customers by month in 1997",
            (),
            f"select p || '-01', count(*) from {BUYERS} where p like '1997%' group by 1",
        ),
    ],
)
async def test_customers_who_come_back(
    northwind: Shop, question: str, columns: tuple[int, ...], sql: str
) -> None:
    alike(await northwind.rows(question, *columns), northwind.truth(sql))


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        (
            "retention of users by signup month",
            [
                ("2024-01-01", 0, 0.5, 2, 1),
                ("2024-01-01", 1, 0.5, 2, 1),
                ("2024-01-01", 2, 0.5, 2, 1),
                ("2024-02-01", 0, 0.5, 2, 1),
                ("2024-02-01", 1, 0.5, 2, 1),
            ],
        ),
        (
            "retention of users on the pro plan by month of first session",
            [
                ("2024-01-01", 0, 1, 1, 1),
                ("2024-01-01", 1, 1, 1, 1),
                ("2024-01-01", 2, 0, 1, 0),
                ("2024-02-01", 0, 1, 1, 1),
                ("2024-02-01", 1, 1, 1, 1),
            ],
        ),
        ("how many users came back within 30 days", [(1.0, 2, 2)]),
        ("monthly active users", [("2024-01-01", 1), ("2024-02-01", 2), ("2024-03-01", 2)]),
        ("new users per month", [("2024-01-01", 2), ("2024-02-01", 2)]),
    ],
)
async def test_things_with_a_beginning_of_their_own(
    app: Shop, question: str, rows: list[tuple[Any, ...]]
) -> None:
    alike(await app.rows(question), rows)


async def test_a_cohort_is_drawn_as_a_heat_map_unless_lines_are_asked_for(app: Shop) -> None:
    found = await app.understood("retention of users by week")
    assert found.intent.chart is ChartType.HEATMAP and found.intent.cohort is not None
    assert found.intent.cohort.grain is Grain.WEEK
    assert found.summary.startswith("users by week of first session, and how many had any session")
    lines = await app.understood("retention of users by week as a line chart")
    assert lines.intent.chart is ChartType.MULTI_LINE


@pytest.mark.parametrize(
    "question",
    [
        "return the names of users",
        "a bar chart for returning the number of users by plan",
        "number of users by signup month",
    ],
)
async def test_other_questions_are_not_taken_for_it(app: Shop, question: str) -> None:
    assert (await app.understood(question)).intent.cohort is None


async def test_whoever_has_no_events_cannot_be_followed(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("plain") / "plain.sqlite"
    with sqlite3.connect(path) as made:
        made.executescript(
            "create table cities (name text, people integer);"
            "insert into cities values ('Rome', 3), ('Oslo', 1);"
        )
    plain = Shop(path, tmp_path_factory.mktemp("plain-home"))
    with pytest.raises(AssertionError, match="rows with a date that say whose they are"):
        await plain.understood("retention of cities")
