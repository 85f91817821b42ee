"""What people ask of a small shop and its staff, against SQL by hand; or refused, not guessed."""

from __future__ import annotations

from datetime import date

import pytest

from services.planner.domain.query.intent import NotUnderstood, Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Rows, Shop, alike

pytestmark = pytest.mark.asyncio

_PER_DEPARTMENT = "from employees e join departments d on d.id = department_id"
STAFF = {
    "average salary in Sales and in IT":
        f"select d.name, avg(salary) {_PER_DEPARTMENT} where d.name in ('Sales', 'IT') group by 1",
    "average salary of Sales and IT":
        f"select d.name, avg(salary) {_PER_DEPARTMENT} where d.name in ('Sales', 'IT') group by 1",
    "average salary of Sales and IT together":
        f"select avg(salary) {_PER_DEPARTMENT} where d.name in ('Sales', 'IT')",
    "how many employees in Sales and in IT":
        f"select d.name, count(*) {_PER_DEPARTMENT} where d.name in ('Sales', 'IT') group by 1",
    "what percentage of part-time staff is female":
        """select 1.0 * sum(gender = 'female') / count(*), sum(gender = 'female'), count(*)
        from employees where contract = 'part-time'""",
    "how many employees are over 50":
        "select count(*) from employees where birth_date < '1970-01-01'",
    "average salary of employees over 50":
        "select avg(salary) from employees where birth_date < '1970-01-01'",
    "who has the highest salary in each department":
        f"""select d.name, first_name, last_name, salary {_PER_DEPARTMENT}
        where salary = (select max(salary) from employees o where o.department_id = d.id)""",
    "who works full time":
        "select first_name || ' ' || last_name from employees where contract = 'full-time'",
}  # fmt: skip
SHOP = {
    "how many customers over 65 are from Leeds":
        "select count(*) from customers where birth_date < '1958-01-01' and city = 'Leeds'",
    "how many orders before the end of March 2023":
        "select count(*) from orders where order_date < '2023-04-01'",
    "how many orders since the beginning of 2024":
        "select count(*) from orders where order_date >= '2024-01-01'",
    "which products are out of stock or discontinued":
        "select name from products where stock = 0 or discontinued = 1",
    "which products were sold in 2023":
        """select p.name, sum(quantity * l.unit_price) from products p
        join order_lines l on product_id = p.id join orders o on o.id = order_id
        where order_date like '2023%' group by 1""",
}  # fmt: skip
SHOP_REFUSED = {
    "products that cost less than the average tea": "average tea",
    "do more people pay by card or by cash": "cannot be answered by rows",
    "how much do customers spend per order on average": "averaged",
    "what did Ann Abbot buy": "what somebody did",
    "customers who bought every product": "every",
    "are there more customers in Leeds or in York": "cannot be answered by rows",
    "customers who ordered in both 2023 and 2024": "both times",
    "have all orders been paid": "yes or no",
    "when did Zeb last order": "Zeb",
    "correlation between price and stock of products that were never reviewed": "never",
    "correlation between price and stock of products that cost more than the others": "others",
    "how many customers who never paid cash ordered again within 60 days": "never",
    "how many customers ordered again within 60 days except the rude ones": "rude",
}
STAFF_REFUSED = {
    "which department has nobody in it": "nobody",
    "which department has no interns": "no interns",
    "how many sick days per head did we have in 2024": "head",
    "what percentage of employees in Sales in Leeds": "Which share",
    "average salary of the 3 oldest employees": "oldest",
    "employees who missed a day": "missed",
}


@pytest.mark.parametrize("question", STAFF)
async def test_people_are_told_apart_as_asked(people: Shop, question: str) -> None:
    alike(await people.rows(question), people.truth(STAFF[question]))


@pytest.mark.parametrize("question", SHOP)
async def test_things_of_a_shop_are_found(shop: Shop, question: str) -> None:
    alike(await shop.rows(question), shop.truth(SHOP[question]))


@pytest.mark.parametrize("question", SHOP_REFUSED)
async def test_what_a_shop_cannot_tell_is_refused(shop: Shop, question: str) -> None:
    await _refused(shop, question, SHOP_REFUSED[question])


@pytest.mark.parametrize("question", STAFF_REFUSED)
async def test_what_the_staff_cannot_tell_is_refused(people: Shop, question: str) -> None:
    await _refused(people, question, STAFF_REFUSED[question])


async def test_an_average_is_told_of_the_same_time_as_the_rows(people: Shop) -> None:
    question = "employees with a salary above the average hired before 2020"
    told = "from employees where hire_date < '2020-01-01'"
    truth = f"""select first_name || ' ' || last_name {told}
        and salary > (select avg(salary) {told})"""
    alike(await people.rows(question, 0), people.truth(truth))


async def test_a_test_is_over_the_rows_that_a_value_of_another_table_leaves(shop: Shop) -> None:
    for question, sign in (
        ("correlation between price and stock of products in Tea", "="),
        ("correlation between price and stock of products not in Tea", "<>"),
    ):
        truth = f"""select price, stock from products p join categories c on c.id = category_id
            where c.name {sign} 'Tea'"""
        alike(await shop.rows(question), shop.truth(truth))


async def test_a_flag_is_not_set_against_a_number(shop: Shop) -> None:
    question = "correlation between price and stock of products that are not discontinued"
    truth = "select price, stock from products where discontinued = 0"
    alike(await shop.rows(question), shop.truth(truth))


@pytest.mark.parametrize(
    ("question", "today", "like", "told"),
    [
        ("number of orders this year", date(2035, 5, 5), "2024%", "begins on 2024-01-01"),
        ("number of orders last year", date(2035, 5, 5), "2023%", "begins on 2023-01-01"),
        ("number of orders last month", date(2035, 5, 5), "2024-05%", "begins on 2024-05-01"),
        ("number of orders this year", date(2024, 9, 9), "2024%", ""),
        ("number of orders last year", date(2024, 9, 9), "2023%", ""),
        ("number of orders last year", date(2025, 2, 2), "2024%", ""),
    ],
)
async def test_this_year_and_last_year_go_by_the_same_end(
    shop: Shop, question: str, today: date, like: str, told: str
) -> None:
    found = await understand(question, shop.catalogue, shop.lookup, today=today)
    assert isinstance(found, Understood), found
    assert _rows(shop, found) == shop.truth(
        f"select count(*) from orders where order_date like '{like}'"
    )
    begins = [note for note in found.assumptions if "begins on" in note]
    assert any(told in note for note in begins) if told else not begins


async def _refused(shop: Shop, question: str, told: str) -> None:
    found = await understand(question, shop.catalogue, shop.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood), found
    assert told in found.message, found.message


def _rows(shop: Shop, found: Understood) -> Rows:
    query = render(found.intent, shop.catalogue)
    return [tuple(row) for row in shop.run(query.text, query.params)[1]]
