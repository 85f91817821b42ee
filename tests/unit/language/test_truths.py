"""Each kind of question that an intent can express, over real data, against SQL by hand."""

from __future__ import annotations

import pytest

from services.planner.domain.query.intent import ChartType
from tests.unit.language.truth_help import Shop, alike, opened

MONEY = "sum(d.UnitPrice * d.Quantity * (1 - d.Discount))"
LINES = 'Orders o join "Order Details" d using (OrderID)'
ORDERS = "select substr(OrderDate, 1, 7) || '-01' as month, count(*) as n from Orders group by 1"


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def chinook(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("chinook", tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize(
    ("question", "columns", "sql"),
    [
        (
            "share of total revenue by category",
            (0, 1),
            f"select CategoryName, {MONEY} / sum({MONEY}) over () from {LINES} join Products p "
            "using (ProductID) join Categories using (CategoryID) group by 1",
        ),
        (
            "month-over-month growth of orders",
            (0, 1),
            f"select month, 1.0 * n / lag(n) over (order by month) - 1 from ({ORDERS})",
        ),
        (
            "year-over-year growth of orders by month",
            (0, 1),
            f"with m as ({ORDERS}) select a.month, 1.0 * a.n / b.n - 1 from m a left join m b "
            "on b.month = date(a.month, '-12 months')",
        ),
        (
            "running total of freight by month",
            (0, 1),
            "select substr(OrderDate, 1, 7) || '-01', sum(sum(Freight)) over "
            "(order by substr(OrderDate, 1, 7)) from Orders group by 1",
        ),
        (
            "3-month moving average of orders by month",
            (0, 1),
            f"select month, avg(n) over (order by month rows 2 preceding) from ({ORDERS})",
        ),
        (
            "ratio of total freight to number of orders by ship country",
            (0, 1),
            "select ShipCountry, sum(Freight) / count(*) from Orders group by 1",
        ),
        (
            "difference between highest and lowest unit price by category",
            (0, 1),
            "select CategoryName, max(UnitPrice) - min(UnitPrice) from Products join Categories "
            "using (CategoryID) group by 1",
        ),
        (
            "number of products by unit price in bins of 10",
            (),
            "select cast(UnitPrice / 10 as int) * 10.0, count(*) from Products group by 1",
        ),
        (
            "average number of orders per customer",
            (),
            "select 1.0 * count(*) / count(distinct CustomerID) from Orders",
        ),
        (
            "what percentage of customers are from Germany?",
            (0,),
            "select 1.0 * sum(Country = 'Germany') / count(*) from Customers",
        ),
        (
            "customers who never ordered",
            (),
            "select CompanyName from Customers where CustomerID not in "
            "(select CustomerID from Orders)",
        ),
        (
            "customers with more than 20 orders",
            (0, 1),
            "select CompanyName, count(*) from Orders join Customers using (CustomerID) "
            "group by CustomerID having count(*) > 20",
        ),
        (
            "number of orders where ship region is empty by ship country",
            (),
            "select ShipCountry, count(*) from Orders where ShipRegion is null group by 1",
        ),
        (
            "top 3 products per category by unit price",
            (1, 0, 2),
            "select ProductName, CategoryName, UnitPrice from (select *, row_number() over "
            "(partition by CategoryID order by UnitPrice desc) as place from Products) "
            "join Categories using (CategoryID) where place <= 3",
        ),
        (
            "number of orders in 1997 by ship country for Germany or France",
            (),
            "select ShipCountry, count(*) from Orders where ShipCountry in ('Germany', 'France') "
            "and OrderDate >= '1997-01-01' and OrderDate < '1998-01-01' group by 1",
        ),
        (
            "number of products with unit price between 10 and 20 by category",
            (),
            "select CategoryName, count(*) from Products join Categories using (CategoryID) "
            "where UnitPrice between 10 and 20 group by 1",
        ),
        (
            "number of products whose name starts with Ch by category",
            (),
            "select CategoryName, count(*) from Products join Categories using (CategoryID) "
            "where ProductName like 'Ch%' group by 1",
        ),
        (
            "compare revenue in 1996 and 1997 by category",
            (),
            f"select CategoryName, substr(OrderDate, 1, 4) || ' from 4 July', {MONEY} from {LINES} "
            "join Products p using (ProductID) join Categories using (CategoryID) "
            "where OrderDate < '1998-01-01' and substr(OrderDate, 6, 5) >= '07-04' group by 1, 2",
        ),
        (
            "rank of employees by number of orders",
            (2, 3),
            "select rank() over (order by count(*) desc), count(*) from Orders group by EmployeeID",
        ),
    ],
)
async def test_an_answer_is_what_the_sql_by_hand_says(
    northwind: Shop, question: str, columns: tuple[int, ...], sql: str
) -> None:
    alike(await northwind.rows(question, *columns), northwind.truth(sql))


async def test_a_percentile_is_interpolated_between_neighbours(northwind: Shop) -> None:
    values = sorted(row[0] for row in northwind.truth("select Freight from Orders"))
    place = 0.9 * (len(values) - 1)
    low = int(place)
    wanted = values[low] + (place - low) * (values[low + 1] - values[low])
    ((got,),) = await northwind.rows("90th percentile of freight")
    assert got == pytest.approx(wanted)


async def test_two_numbers_of_the_same_rows_are_a_point_each(northwind: Shop) -> None:
    found = await northwind.understood("unit price vs units in stock by category")
    assert found.intent.chart is ChartType.SCATTER and found.intent.series == 0
    rows = await northwind.rows("unit price vs units in stock by category")
    alike(
        rows,
        northwind.truth(
            "select CategoryName, UnitPrice, UnitsInStock from Products "
            "join Categories using (CategoryID)"
        ),
    )


async def test_albums_have_ten_tracks_on_average(chinook: Shop) -> None:
    rows = await chinook.rows("average number of tracks per album")
    alike(rows, chinook.truth("select 1.0 * count(*) / count(distinct AlbumId) from Track"))


@pytest.mark.parametrize(
    ("question", "test", "columns", "others"),
    [
        ("is freight normally distributed?", "normality", ["Freight"], []),
        ("skewness of freight", "describe", ["Freight"], []),
        ("outliers in freight by z-score greater than 3", "outliers", ["Freight"], []),
        (
            "is there a significant difference in freight between ship countries?",
            "anova",
            ["Freight"],
            ["ShipCountry"],
        ),
        ("linear regression of freight on ship via", "linear_regression", ["Freight"], ["ShipVia"]),
        (
            "Pearson correlation coefficient between unit price and units in stock with p-value",
            "correlation",
            ["UnitPrice", "UnitsInStock"],
            [],
        ),
        ("how many missing values are in ship region?", "missing", ["ShipRegion"], []),
    ],
)
async def test_a_question_for_a_test_names_the_test_and_its_columns(
    northwind: Shop, question: str, test: str, columns: list[str], others: list[str]
) -> None:
    statistic = (await northwind.understood(question)).intent.statistic
    assert statistic is not None
    assert statistic.test == test
    assert [c.column for c in statistic.columns] == columns
    rest = [*([statistic.by] if statistic.by else []), *statistic.predictors]
    assert [c.column for c in rest] == others


async def test_a_running_total_is_told_by_its_own_number(northwind: Shop) -> None:
    found = await northwind.understood("running total of freight by month")
    assert [d.label for d in found.intent.derived] == ["running total of total freight"]
    assert "running total of total freight" in found.summary


async def test_no_growth_is_claimed_for_the_first_month(northwind: Shop) -> None:
    rows = await northwind.rows("month-over-month growth of orders")
    assert rows[0][1] is None and all(row[1] is not None for row in rows[1:])
