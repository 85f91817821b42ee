"""Shares within groups, kinds that are called "first", ages and years as people say them."""

from __future__ import annotations

import pytest

from tests.unit.language.truth_help import Shop, alike

pytestmark = pytest.mark.asyncio


def part(wanted: str) -> str:
    """A share with the two numbers that it is made of."""
    return f"1.0 * sum({wanted}) / count(*), sum({wanted}), count(*)"


FEMALE, THIRD = part("sex = 'female'"), part("class = 'Third'")
SURVIVED = part("survived = 1")
FAILED, PAID = part("result = 'fail'"), part("status = 'paid'")
SHIP = {
    "what percentage of passengers in each class are female":
        f"select class, {FEMALE} from voyage group by 1",
    "share of passengers that are female by class":
        f"select class, {FEMALE} from voyage group by 1",
    "what percentage of passengers in First class are female?":
        f"select {FEMALE} from voyage where class = 'First'",
    "what percentage of male passengers over 60 are in third class":
        f"select {THIRD} from voyage where sex = 'male' and age > 60",
    "average age in first class": "select avg(age) from voyage where class = 'First'",
    "average age of First class passengers": "select avg(age) from voyage where class = 'First'",
    "what percentage of passengers over 60 survived":
        f"select {SURVIVED} from voyage where age > 60",
    "how many passengers over 60 survived":
        "select count(*) from voyage where age > 60 and survived = 1",
    "what percentage of females survived by class":
        f"select class, {SURVIVED} from voyage where sex = 'female' group by 1",
    "how many women survived by class":
        "select class, count(*) from voyage where sex = 'female' and survived = 1 group by 1",
    "how many passengers with a birth year of 1877 or later":
        "select count(*) from voyage where birth_year >= 1877",
    "average age for a birth year of 1868 or before":
        "select avg(age) from voyage where birth_year <= 1868",
    "average age for birth years of 1868 or later (birth_year >= 1868)":
        "select avg(age) from voyage where birth_year >= 1868",
}  # fmt: skip
SCHOOL = {
    "share of marks fail by subject": f"select subject, {FAILED} from marks group by 1",
    "share of marks that fail by subject": f"select subject, {FAILED} from marks group by 1",
    "number of marks under 50 per subject":
        "select subject, count(*) from marks where mark < 50 group by 1",
    "how many marks are under 50": "select count(*) from marks where mark < 50",
    "which subjects have more than 2 marks":
        "select subject, count(*) from marks group by 1 having count(*) > 2",
}  # fmt: skip
SHOP = {
    "how many orders in 2024 or later":
        "select count(*) from orders where order_date >= '2024-01-01'",
    "how many orders in March 2023 or earlier":
        "select count(*) from orders where order_date < '2023-04-01'",
    "number of orders from 2024 onwards":
        "select count(*) from orders where order_date >= '2024-01-01'",
    "what percentage of orders are paid by city of the customer":
        f"""select city, {PAID} from orders o join customers c on c.id = customer_id group by 1""",
}  # fmt: skip


@pytest.mark.parametrize("question", SHIP)
async def test_passengers_are_told_as_asked(ship: Shop, question: str) -> None:
    alike(await ship.rows(question), ship.truth(SHIP[question]))


@pytest.mark.parametrize("question", SCHOOL)
async def test_marks_are_told_as_asked(school: Shop, question: str) -> None:
    alike(await school.rows(question), school.truth(SCHOOL[question]))


@pytest.mark.parametrize("question", SHOP)
async def test_orders_are_told_as_asked(shop: Shop, question: str) -> None:
    alike(await shop.rows(question), shop.truth(SHOP[question]))


async def test_a_share_by_groups_is_one_of_each_group(ship: Shop) -> None:
    alike(
        await ship.rows("share of female passengers by class"),
        ship.truth(f"select class, {FEMALE} from voyage group by 1"),
    )


async def test_who_is_not_known_is_part_of_the_whole_and_told(ship: Shop) -> None:
    found = await ship.understood("what percentage of passengers are in cabin A1")
    told = "rows where cabin is empty are part of the whole"
    assert told in found.assumptions
    known = await ship.understood("what percentage of passengers in each class are female")
    assert not any("is empty" in note for note in known.assumptions)
