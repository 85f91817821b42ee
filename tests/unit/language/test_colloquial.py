"""Names that people give to columns, kinds and rates of data as it is usually found."""

from __future__ import annotations

import pytest

from services.planner.domain.query.intent import NotUnderstood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike

pytestmark = pytest.mark.asyncio


def part(wanted: str) -> str:
    """A share with the two numbers that it is made of."""
    return f"1.0 * sum({wanted}) / count(*), sum({wanted}), count(*)"


CHURNED, SMOKE = part("churn = 'Yes'"), part("smoker = 'Yes'")
CALLERS = {
    "churn rate": f"select {CHURNED} from subscribers",
    "churn rate by contract": f"select contract, {CHURNED} from subscribers group by 1",
    "how many subscribers churned": "select count(*) from subscribers where churn = 'Yes'",
    "how many subscribers have not churned": "select count(*) from subscribers where churn = 'No'",
    "how many men smoke":
        "select count(*) from subscribers where sex = 'Male' and smoker = 'Yes'",
    "what percentage of men smoke": f"select {SMOKE} from subscribers where sex = 'Male'",
    "what percentage of subscribers churned by contract":
        f"select contract, {CHURNED} from subscribers group by 1",
    "how many senior citizens do we have":
        "select count(*) from subscribers where senior_citizen = 1",
    "number of senior citizens by contract":
        "select contract, count(*) from subscribers where senior_citizen = 1 group by 1",
    "how many subscribers with tenure less than 6 months":
        "select count(*) from subscribers where tenure < 6",
    "average tenure in months": "select avg(tenure) from subscribers",
    "highest paid role":
        "select role, avg(salary) from subscribers group by 1 order by 2 desc limit 1",
    "number of subscribers by age group":
        "select age / 10 * 10, count(*) from subscribers group by 1",
    "how many subscribers over 60": "select count(*) from subscribers where age > 60",
}  # fmt: skip
# Of 100, 300, 80 and 120 by hand: a sample's, divided by n - 1.
_DEVIATION = "select sqrt((50*50 + 150*150 + 70*70 + 30*30) / 3.0)"
STORE = {
    "how many orders": "select count(distinct order_id) from orders",
    "how many first class orders":
        "select count(distinct order_id) from orders where ship_mode = 'First Class'",
    "how many Technology orders":
        "select count(distinct order_id) from orders where category = 'Technology'",
    "number of countries by category":
        "select category, count(distinct country) from orders group by 1",
    "countries with more than 1 order":
        """select country, count(distinct order_id) from orders group by 1
        having count(distinct order_id) > 1""",
    "which country has the most orders":
        "select country, count(distinct order_id) from orders group by 1 order by 2 desc limit 1",
    "how many rows are in orders": "select count(*) from orders",
    "rank the countries by sales": "select country, sum(sales) from orders group by 1",
    "standard deviation of sales where ship mode is First Class": _DEVIATION,
    "profit margin by category":
        """select category, sum(profit) / sum(sales), sum(profit), sum(sales) from orders
        group by 1""",
    "profit as a percentage of sales":
        "select sum(profit) / sum(sales), sum(profit), sum(sales) from orders",
    "total sales by sub-category": "select sub_category, sum(sales) from orders group by 1",
    "total sales with a discount above 10%": "select sum(sales) from orders where discount > 0.1",
}  # fmt: skip
REFUSED = {
    "how many subscribers left": "left",
    "average salary percentage": "percentage",
    "which villages have churn by contract": "villages",
    "role gap": "gap",
    "subscribers whose salary fell": "fell",
}


@pytest.mark.parametrize("question", CALLERS)
async def test_people_are_told_as_asked(callers: Shop, question: str) -> None:
    alike(await callers.rows(question), callers.truth(CALLERS[question]))


@pytest.mark.parametrize("question", STORE)
async def test_orders_are_told_as_asked(store: Shop, question: str) -> None:
    alike(await store.rows(question), store.truth(STORE[question]))


@pytest.mark.parametrize("question", REFUSED)
async def test_words_that_change_the_answer_are_not_left_out(callers: Shop, question: str) -> None:
    found = await understand(question, callers.catalogue, callers.lookup, today=TODAY, assume=True)
    assert isinstance(found, NotUnderstood), found
    assert REFUSED[question] in found.message
