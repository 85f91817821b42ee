"""What people type over data that nobody tuned for, against SQL written by hand; or refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Table,
    ValueHit,
)
from services.planner.domain.query.intent import NotUnderstood, Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike

pytestmark = pytest.mark.asyncio

PER_COUNTRY = "from Customer group by 1 order by 2 desc limit 1"
FROM_USA = "sum(BillingCountry = 'USA')"
TRUTHS = {
    "what is the most common genre":
        """select g.Name, count(*) from Track join Genre g using (GenreId)
        group by GenreId order by 2 desc limit 1""",
    "which country do most customers come from": f"select Country, count(*) {PER_COUNTRY}",
    "most common country among customers": f"select Country, count(*) {PER_COUNTRY}",
    "how many different cities do our customers live in":
        "select count(distinct City) from Customer",
    "what share of invoices comes from the USA":
        f"select 1.0 * {FROM_USA} / count(*), {FROM_USA}, count(*) from Invoice",
    "what percentage of invoices are from the USA":
        f"select 1.0 * {FROM_USA} / count(*), {FROM_USA}, count(*) from Invoice",
    "which customers have more than one invoice":
        """select FirstName, LastName, count(*)
        from Invoice join Customer using (CustomerId) group by CustomerId having count(*) > 1""",
    "how many tracks are longer than 0.3 million milliseconds":
        "select count(*) from Track where Milliseconds > 300000",
    "number of customers outside the USA": "select count(*) from Customer where Country <> 'USA'",
    "how many customers are in Canada and how many in Brazil":
        """select Country, count(*) from Customer where Country in ('Canada', 'Brazil')
        group by 1""",
    "customers' average spend": "select sum(Total) / count(distinct CustomerId) from Invoice",
    "are there any customers from Norway?":
        "select count(*) from Customer where Country = 'Norway'",
}  # fmt: skip

NORTHWIND = {
    "by which shipper are most orders shipped":
        """select s.CompanyName, count(*) from Orders join Shippers s on ShipVia = ShipperID
        group by 1 order by 2 desc limit 1""",
    "most frequent shipper":
        """select s.CompanyName, count(*) from Orders join Shippers s on ShipVia = ShipperID
        group by 1 order by 2 desc limit 1""",
    "who ordered the most":
        """select c.CompanyName, count(*) from Orders join Customers c using (CustomerID)
        group by 1 order by 2 desc limit 1""",
    "do we have more customers in Germany than in France?":
        """select Country, count(*) from Customers where Country in ('Germany', 'France')
        group by 1""",
    "what are the 3 most common cities among customers":
        "select City, count(*) from Customers group by 1 order by 2 desc, 1 limit 3",
}  # fmt: skip

REFUSED = [
    "is Chai more expensive than Chang?",
    "did sales increase in 1998",
    "customers who ordered only Chai",
    "customers who only bought Chai",
    "customers who never complained",
    "number of orders for each flavour",
    "how often does Ernst Handel order",
    "list customers outside Europe",
    "how many customers complained?",
    "customers who were refunded",
]


async def test_years_in_a_column_of_whole_numbers_hold_open_spans() -> None:
    years = Column(
        name="year", data_type=DataType.INTEGER, role=ColumnRole.DIMENSION, distinct=40,
        minimum="1970", maximum="2013",
    )  # fmt: skip
    maker = Column(name="maker", data_type=DataType.STRING, role=ColumnRole.DIMENSION, distinct=4)
    planes = Table(name="files_planes", source_name="planes", rows=900, columns=(maker, years))
    catalogue = Catalogue(tables=(planes,))

    async def nothing(phrases: Sequence[str]) -> Sequence[ValueHit]:
        return []

    for question, sign, year in [
        ("how many planes per maker after 2005", ">=", 2006),
        ("how many planes per maker before 1999", "<", 1999),
    ]:
        found = await understand(question, catalogue, nothing, today=TODAY)
        assert isinstance(found, Understood), found
        query = render(found.intent, catalogue)
        assert f'"year" {sign} ?' in query.text
        assert query.params == (year,)
        assert [m.label for m in found.intent.measures] == ["number of planes"]


@pytest.mark.parametrize("question", TRUTHS)
async def test_everyday_words_are_read(chinook: Shop, question: str) -> None:
    alike(await chinook.rows(question), chinook.truth(TRUTHS[question]))


@pytest.mark.parametrize("question", NORTHWIND)
async def test_what_there_is_most_of_is_counted(northwind: Shop, question: str) -> None:
    alike(await northwind.rows(question), northwind.truth(NORTHWIND[question]))


@pytest.mark.parametrize("question", REFUSED)
async def test_words_that_change_the_answer_are_never_left_out(
    northwind: Shop, question: str
) -> None:
    found = await understand(question, northwind.catalogue, northwind.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood), found


async def test_yes_or_no_with_a_number_is_a_condition(northwind: Shop) -> None:
    wanted = northwind.truth("select count(*) from Products where UnitPrice > 100")
    assert await northwind.rows("is there a product that costs more than 100") == wanted
