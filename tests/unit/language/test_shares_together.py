"""What the first few have together, against SQL written by hand and as it is told."""

from __future__ import annotations

import pytest

from services.planner.domain.analysis.narrate import narrate
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reporting.evidence import ClaimBook
from tests.unit.language.truth_help import Shop, opened
from tests.unit.planner.stories import story

pytestmark = pytest.mark.asyncio

PER_CUSTOMER = """select sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) as revenue
    from "Order Details" d join Orders using (OrderID) group by CustomerID"""


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("northwind"))


async def test_the_last_of_the_picked_has_the_share_of_all_of_them(northwind: Shop) -> None:
    question = "what share of revenue comes from the top 5 customers"
    rows = await northwind.rows(question)
    ((wanted,),) = northwind.truth(
        f"""select (select sum(revenue) from (
            select revenue from ({PER_CUSTOMER}) order by revenue desc limit 5))
        / (select sum(revenue) from ({PER_CUSTOMER}))"""
    )
    assert rows[-1][2] == pytest.approx(wanted)
    assert sum(row[1] for row in rows) == pytest.approx(wanted)


async def test_the_share_of_all_of_them_is_told(northwind: Shop) -> None:
    question = "what share of revenue comes from the top 5 customers"
    found = await northwind.understood(question)
    query = render(found.intent, northwind.catalogue)
    names, rows = northwind.run(query.text, query.params)
    answer = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    told = narrate(story(question, found.intent, answer), ClaimBook())
    assert "ogether they have 33 %" in told.text
