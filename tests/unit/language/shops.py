"""Small catalogues that the language tests speak about, and a look-up over their values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    ValueHit,
)
from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.understand import understand

TODAY = date(2024, 5, 20)


def text(name: str, *samples: str, distinct: int = 9) -> Column:
    return Column(
        name=name,
        data_type=DataType.STRING,
        role=ColumnRole.DIMENSION,
        distinct=len(samples) or distinct,
        samples=samples,
    )


def number(name: str, low: float = 1, high: float = 900, *, whole: bool = False) -> Column:
    return Column(
        name=name,
        data_type=DataType.INTEGER if whole else DataType.FLOAT,
        role=ColumnRole.MEASURE,
        distinct=50,
        minimum=str(low),
        maximum=str(high),
    )


def key(name: str, distinct: int) -> Column:
    return Column(name=name, data_type=DataType.INTEGER, role=ColumnRole.ID, distinct=distinct)


def day(name: str, first: str = "2022-01-03", last: str = "2023-12-29") -> Column:
    return Column(
        name=name,
        data_type=DataType.DATE,
        role=ColumnRole.TIMESTAMP,
        distinct=300,
        minimum=first,
        maximum=last,
    )


def table(name: str, rows: int, *columns: Column, primary_key: str = "") -> Table:
    return Table(
        name=name,
        source_name=name,
        rows=rows,
        columns=columns,
        primary_key=(primary_key,) if primary_key else (),
    )


def refers(child: str, column: str, parent: str, parent_column: str = "") -> Relationship:
    return Relationship(
        from_table=child, from_column=column, to_table=parent, to_column=parent_column or column
    )


SHOP = Catalogue(
    tables=(
        table(
            "Customers",
            60,
            key("CustomerID", 60),
            text("CompanyName", distinct=60),
            text("Country", "Austria", "France", "Germany"),
            primary_key="CustomerID",
        ),
        table(
            "Orders",
            500,
            key("OrderID", 500),
            key("CustomerID", 60),
            key("EmployeeID", 8),
            day("OrderDate"),
            day("RequiredDate"),
            number("Freight"),
            primary_key="OrderID",
        ),
        table(
            "OrderDetails",
            1500,
            key("OrderID", 500),
            key("ProductID", 40),
            number("UnitPrice"),
            number("Quantity", whole=True),
            number("Discount", 0, 0.25),
        ),
        table(
            "Products",
            40,
            key("ProductID", 40),
            text("ProductName", distinct=40),
            key("CategoryID", 5),
            number("UnitPrice"),
            text("Discontinued", "0", "1"),
            primary_key="ProductID",
        ),
        table(
            "Categories",
            5,
            key("CategoryID", 5),
            text("CategoryName", "Beverages", "Seafood"),
            primary_key="CategoryID",
        ),
        table(
            "Employees",
            8,
            key("EmployeeID", 8),
            text("FirstName"),
            text("LastName"),
            text("Country", "UK", "USA"),
            day("HireDate", "1992-04-01", "1994-11-15"),
            primary_key="EmployeeID",
        ),
    ),
    relationships=(
        refers("Orders", "CustomerID", "Customers"),
        refers("Orders", "EmployeeID", "Employees"),
        refers("OrderDetails", "OrderID", "Orders"),
        refers("OrderDetails", "ProductID", "Products"),
        refers("Products", "CategoryID", "Categories"),
    ),
)

PENGUINS = Catalogue(
    tables=(
        table(
            "penguins",
            344,
            text("species", "Adelie", "Gentoo"),
            text("island", "Biscoe", "Dream"),
            number("bill_length_mm"),
            number("body_mass_g", 2700, 6300, whole=True),
            text("sex", "female", "male"),
            number("year", 2007, 2009, whole=True),
        ),
    )
)

TWINS = Catalogue(
    tables=(table("visits", 90, key("visit_id", 90), text("entry_city"), text("exit_city")),)
)

SALES = Catalogue(
    tables=(table("sales", 3, text("region", "East", "West", "South"), number("amount")),)
)

LETTERS = Catalogue(
    tables=(
        table(
            "things",
            4,
            text("a", "x", "y"),
            number("b"),
            text("c", "p", "q"),
            text("v", "hello", "world"),
            Column(
                name="n", data_type=DataType.STRING, role=ColumnRole.DIMENSION, nulls=4, distinct=0
            ),
            text("name"),
        ),
    )
)


class Values:
    """A look-up over the samples of a catalogue; it remembers what it was asked."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.asked: list[str] = []
        self._places = [
            (table.name, column.name, sample)
            for table in catalogue.tables
            for column in table.columns
            for sample in column.samples
        ]

    async def __call__(self, phrases: Sequence[str]) -> Sequence[ValueHit]:
        self.asked += phrases
        return [
            ValueHit(phrase=phrase, table=place[0], column=place[1], value=place[2], score=1.0)
            for phrase in phrases
            for place in self._places
            if place[2].lower() == phrase.lower()
        ]


async def meaning(question: str, catalogue: Catalogue = SHOP) -> Understood:
    """The settled reading of a question that needs no asking back."""
    found = await understand(question, catalogue, Values(catalogue), today=TODAY, assume=True)
    assert isinstance(found, Understood), found
    return found
