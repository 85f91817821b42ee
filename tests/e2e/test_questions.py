"""Ten questions an analyst would ask, each held against SQL written by hand."""

from __future__ import annotations

import csv
import sqlite3
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Assay

NORTHWIND = "northwind.sqlite"
CHINOOK = "chinook.sqlite"
REVENUE = "SUM(d.UnitPrice * d.Quantity * (1 - d.Discount))"


@dataclass(frozen=True)
class Question:
    """A question, its database, and the SQL (SQLite's dialect) that gives the right rows."""

    text: str
    database: str
    sql: str


QUESTIONS = [
    Question(
        "revenue by month in 1997, by category",
        NORTHWIND,
        f"""SELECT strftime('%Y-%m-01', o.OrderDate), c.CategoryName, {REVENUE}
            FROM "Order Details" d JOIN Orders o USING (OrderID) JOIN Products p USING (ProductID)
            JOIN Categories c USING (CategoryID)
            WHERE o.OrderDate >= '1997-01-01' AND o.OrderDate < '1998-01-01' GROUP BY 1, 2""",
    ),
    Question(
        "top 5 products by revenue",
        NORTHWIND,
        f"""SELECT p.ProductName, {REVENUE} FROM "Order Details" d JOIN Products p USING (ProductID)
            GROUP BY p.ProductID ORDER BY 2 DESC LIMIT 5""",
    ),
    Question(
        "how many orders per ship country",
        NORTHWIND,
        "SELECT ShipCountry, COUNT(*) FROM Orders GROUP BY 1",
    ),
    Question(
        "average unit price of products by category",
        NORTHWIND,
        """SELECT c.CategoryName, AVG(p.UnitPrice) FROM Products p JOIN Categories c
           USING (CategoryID) GROUP BY 1""",
    ),
    Question(
        "how many customers are in Germany?",
        NORTHWIND,
        "SELECT COUNT(*) FROM Customers WHERE Country = 'Germany'",
    ),
    Question(
        "which customers never ordered?",
        NORTHWIND,
        """SELECT CompanyName FROM Customers
           WHERE CustomerID NOT IN (SELECT CustomerID FROM Orders WHERE CustomerID IS NOT NULL)""",
    ),
    Question(
        "number of tracks per genre",
        CHINOOK,
        "SELECT g.Name, COUNT(*) FROM Track t JOIN Genre g USING (GenreId) GROUP BY 1",
    ),
    Question(
        "total sales in Q1 2022 by billing country",
        CHINOOK,
        """SELECT BillingCountry, SUM(Total) FROM Invoice
           WHERE InvoiceDate >= '2022-01-01' AND InvoiceDate < '2022-04-01' GROUP BY 1""",
    ),
    Question(
        "number of invoices per year",
        CHINOOK,
        "SELECT CAST(strftime('%Y', InvoiceDate) AS INTEGER), COUNT(*) FROM Invoice GROUP BY 1",
    ),
    Question(
        "albums with more than 25 tracks",
        CHINOOK,
        """SELECT a.Title, COUNT(*) FROM Album a JOIN Track t USING (AlbumId)
           GROUP BY a.AlbumId HAVING COUNT(*) > 25""",
    ),
]


def rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row that can be compared: money to the cent, dates as their first ten characters."""
    return tuple(
        round(float(v), 2) if isinstance(v, int | float) else v[:10] if _is_date(v) else v
        for v in row
    )


def _is_date(value: Any) -> bool:
    return isinstance(value, str) and len(value) >= 10 and value[4:8:3] == "--"


def by_hand(path: Path, sql: str) -> Counter[tuple[Any, ...]]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return Counter(rounded(row) for row in connection.execute(sql))
    finally:
        connection.close()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.text)
def test_the_answer_is_what_sql_written_by_hand_gives(
    question: Question, assay: Assay, shared_data: Path
) -> None:
    path = shared_data / "databases" / question.database
    ran = assay("ask", question.text, "--db", f"sqlite:///{path}", "--json")
    assert ran.code == 0, ran.err or ran.out
    answer = ran.json
    shown = Counter(rounded(tuple(row.values())) for row in answer["table"]["records"])
    assert shown == by_hand(path, question.sql), answer["understood"]
    assert answer["proof"]["ok"], answer["proof"]
    assert all(Path(artifact["path"]).stat().st_size for artifact in answer["artifacts"])


def test_files_of_different_kinds_are_joined(assay: Assay, retailer: Path) -> None:
    ran = assay(
        "ask",
        "revenue by segment",
        *("--data", retailer / "orders.csv", "--data", retailer / "customers.json", "--json"),
    )
    assert ran.code == 0, ran.err or ran.out
    import json

    segments = {
        c["customer_id"]: c["segment"]
        for c in json.loads((retailer / "customers.json").read_text())
    }
    expected: Counter[str] = Counter()
    with (retailer / "orders.csv").open() as file:
        for row in csv.DictReader(file):
            amount = int(row["quantity"]) * float(row["unit_price"]) * (1 - float(row["discount"]))
            expected[segments[type(next(iter(segments)))(row["customer_id"])]] += amount  # type: ignore[assignment]
    shown = {next(iter(r.values())): tuple(r.values())[1] for r in ran.json["table"]["records"]}
    assert shown == pytest.approx(dict(expected))


def test_a_folder_of_related_files_is_one_source(assay: Assay, shared_data: Path) -> None:
    flights = shared_data / "csv"
    names = [p.name for p in flights.glob("*.csv")]
    if not names:
        pytest.skip("no CSV files in the shared data")
    ran = assay("ask", "how many planes per manufacturer", "--data", flights, "--json")
    assert ran.code == 0, ran.err or ran.out
    assert ran.json["table"]["rows"] > 1
