"""Who never did, who did both, who did this but not that, and when: against SQL by hand."""

from __future__ import annotations

import pytest

from tests.unit.language.truth_help import Shop, alike, opened

ITEMS = 'Orders o join "Order Details" d using (OrderID) join Products p using (ProductID)'
SOLD = "Invoice i join InvoiceLine l using (InvoiceId) join Track t using (TrackId)"
BUYERS = f"select CustomerID from {ITEMS} where ProductName = "
FANS = f"select CustomerId from {SOLD} join Genre g using (GenreId) where g.Name = "
NAME = "FirstName, LastName"


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
            "products that were never ordered by customers in Germany",
            (0,),
            "select ProductName from Products where ProductID not in (select ProductID "
            f"from {ITEMS} join Customers c using (CustomerID) where c.Country = 'Germany')",
        ),
        (
            "customers without orders in 1997",
            (0,),
            "select CompanyName from Customers where CustomerID not in (select CustomerID from "
            "Orders where OrderDate like '1997%' and CustomerID is not null)",
        ),
        (
            "customers who ordered both Chai and Chang",
            (0,),
            f"select CompanyName from Customers where CustomerID in ({BUYERS} 'Chai') "
            f"and CustomerID in ({BUYERS} 'Chang')",
        ),
        (
            "customers who bought Chai but not Chang",
            (0,),
            f"select CompanyName from Customers where CustomerID in ({BUYERS} 'Chai') "
            f"and CustomerID not in ({BUYERS} 'Chang')",
        ),
        (
            "how many different customers ordered in 1997",
            (0,),
            "select count(distinct CustomerID) from Orders where OrderDate like '1997%'",
        ),
        (
            "number of customers by year",
            (0, 1),
            "select cast(substr(OrderDate, 1, 4) as int), count(distinct CustomerID) from Orders "
            "group by 1",
        ),
        (
            "revenue in 1997 compared to 1996 by category",
            (0, 1, 2),
            "select CategoryName, substr(OrderDate, 1, 4) || ' from 4 July', "
            f"sum(d.UnitPrice * Quantity * (1 - Discount)) from {ITEMS} "
            "join Categories using (CategoryID) where OrderDate < '1997-01-01' "
            "or OrderDate like '1997%' and OrderDate >= '1997-07-04' group by 1, 2",
        ),
        (
            "number of orders by employee in 1997 excluding those shipped to USA",
            (1,),
            "select count(*) from Orders where OrderDate like '1997%' and ShipCountry <> 'USA' "
            "group by EmployeeID",
        ),
        (
            "number of discontinued products per supplier",
            (0, 1),
            "select CompanyName, count(*) from Products join Suppliers using (SupplierID) "
            "where Discontinued = '1' group by 1",
        ),
        (
            "orders by year for Germany and France",
            (0, 1),
            "select cast(substr(OrderDate, 1, 4) as int), count(*) from Orders "
            "where ShipCountry in ('Germany', 'France') group by 1",
        ),
        (
            "orders by ship country for Speedy Express and United Package",
            (0, 1),
            "select ShipCountry, count(*) from Orders join Shippers on ShipVia = ShipperID "
            "where CompanyName in ('Speedy Express', 'United Package') group by 1",
        ),
    ],
)
async def test_a_trading_business(
    northwind: Shop, question: str, columns: tuple[int, ...], sql: str
) -> None:
    alike(await northwind.rows(question, *columns), northwind.truth(sql))


@pytest.mark.parametrize(
    ("question", "columns", "sql"),
    [
        (
            "tracks that were never sold",
            (0,),
            "select Name from Track where TrackId not in (select TrackId from InvoiceLine)",
        ),
        (
            "playlists that contain no tracks",
            (0,),
            "select Name from Playlist where PlaylistId not in (select PlaylistId "
            "from PlaylistTrack)",
        ),
        (
            "customers in Brazil or Canada who spent more than 38",
            (0, 1, 2),
            f"select {NAME}, sum(Total) from Customer join Invoice using (CustomerId) "
            "where Country in ('Brazil', 'Canada') group by CustomerId having sum(Total) > 38",
        ),
        (
            "customers who bought Rock but not Jazz",
            (0, 1),
            f"select {NAME} from Customer where CustomerId in ({FANS} 'Rock') "
            f"and CustomerId not in ({FANS} 'Jazz')",
        ),
        (
            "number of distinct genres bought by each customer",
            (0, 1, 2),
            f"select {NAME}, count(distinct GenreId) from {SOLD} join Customer "
            "using (CustomerId) group by CustomerId",
        ),
    ],
)
async def test_a_music_shop(
    chinook: Shop, question: str, columns: tuple[int, ...], sql: str
) -> None:
    alike(await chinook.rows(question, *columns), chinook.truth(sql))


async def test_sales_may_be_money_or_invoices(chinook: Shop) -> None:
    asked = await chinook.asked("sales by country")
    assert asked.question == '"sales" could mean'
    assert asked.options == ("sum of Total in Invoice", "number of invoices")
    for settled in ("total sales by country", "top 5 customers by sales"):
        await chinook.understood(settled)
