"""A time goes by the date of what was done in it, not by another date of who did it."""

from __future__ import annotations

import pytest

from services.planner.domain.confidence.thresholds import DOUBTFUL
from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike

pytestmark = pytest.mark.asyncio

_BOUGHT = """select customer_id from orders o join order_lines l on l.order_id = o.id
  join products p on p.id = product_id join categories c on c.id = category_id
  where order_date like '2024%' and c.name ="""
SHOP = {
    "how many customers ordered in 2023":
        "select count(distinct customer_id) from orders where order_date like '2023%'",
    "which customers bought tea in 2024":
        f"select name from customers where id in ({_BOUGHT} 'Tea')",
    "customers who bought both tea and coffee in 2024":
        f"""select name from customers where id in ({_BOUGHT} 'Tea')
        and id in ({_BOUGHT} 'Coffee')""",
    "how many customers with orders in 2024":
        "select count(distinct customer_id) from orders where order_date like '2024%'",
    "how many customers signed up in 2023":
        "select count(*) from customers where signup_date like '2023%'",
    "how many customers from York joined in 2023":
        "select count(*) from customers where signup_date like '2023%' and city = 'York'",
    "how many customers were born before 1980":
        "select count(*) from customers where birth_date < '1980-01-01'",
}  # fmt: skip
STAFF = {
    "how many employees left in 2023":
        "select count(*) from employees where leaving_date like '2023%'",
    "how many employees joined in 2020":
        "select count(*) from employees where hire_date like '2020%'",
    "how many employees were hired on a monday":
        "select count(*) from employees where strftime('%w', hire_date) = '1'",
    "how many employees were hired on weekends":
        "select count(*) from employees where strftime('%w', hire_date) in ('0', '6')",
    "how many employees were sick in 2024":
        """select count(distinct employee_id) from absences
        where reason = 'sick' and start_date like '2024%'""",
}  # fmt: skip


@pytest.mark.parametrize("question", SHOP)
async def test_what_customers_did_goes_by_its_own_date(shop: Shop, question: str) -> None:
    alike(await shop.rows(question), shop.truth(SHOP[question]))


@pytest.mark.parametrize("question", STAFF)
async def test_a_verb_says_which_date_of_people_is_meant(people: Shop, question: str) -> None:
    alike(await people.rows(question), people.truth(STAFF[question]))


@pytest.mark.parametrize(
    "question",
    ["customers who left in 2023", "customers who came in 2024", "customers who moved in 2023"],
)
async def test_what_no_date_tells_is_never_likely(shop: Shop, question: str) -> None:
    found = await understand(question, shop.catalogue, shop.lookup, today=TODAY)
    assert not isinstance(found, Understood) or found.confidence <= DOUBTFUL
