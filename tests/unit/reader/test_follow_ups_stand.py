"""Whatever follows whatever, a follow-up is refused in words or comes to a query that runs."""

from __future__ import annotations

import random

import pytest

from services.planner.domain.analysis.following import followed_by
from services.planner.domain.query.intent import Intent, Understood
from services.planner.domain.query.planning.sql import render
from tests.unit.reader.files import TODAY, Tables

TABLES = ("sales", "customers", "regions")
ASKED = (
    "total amount by product",
    "how many sales were there in 2023",
    "average price by month",
    "sales with an amount over 40",
    "the 3 customers with the most sales",
    "which customers have no sales",
    "price against amount",
    "share of sales by product",
    "growth of total amount by year",
    "is there a correlation between price and amount",
    "longest serving customers",
    "number of customers by region",
)
FOLLOWING = (
    "top 3",
    "make a pie of the first two",
    "sum it all up",
    "list them",
    "by month",
    "by year as well",
    "not by product",
    "only 2023",
    "forget the months",
    "as a line chart",
    "how many is that in total",
    "lowest first",
    "tea and milk separately",
    "at least 10",
    "which one is the lowest?",
    "back to all of them",
    "the median instead",
    "as a table",
    "price instead",
    "and the year before?",
    "over the years",
    "without tea",
    "and milk as well",
    "for all products",
    "average price as well",
    "how many are there?",
    "by customer",
    "number of regions as well",
    "more than 40 only",
    "in 2022",
    "average price of the regions",
    "what is their average price?",
    "by region instead",
    "number of sales",
    "the first five",
)
EACH = 12


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("stand"))
    found.write("regions", "region_id,region_name", [(1, "North"), (2, "South")])
    found.write(
        "customers",
        "customer_id,customer_name,region_id,since",
        [
            (at, f"Customer {at}", 1 + at % 2, f"20{10 + at % 9}-03-{1 + at % 28:02}")
            for at in range(1, 41)
        ],
    )
    found.write(
        "sales",
        "sale_id,customer_id,sold_on,product,price,amount",
        [
            (
                at,
                1 + at % 30,
                f"{2021 + at % 3}-{1 + at % 12:02}-{1 + at % 28:02}",
                ("tea", "milk", "jam")[at % 3],
                2 + at * 3 % 17,
                at * 7 % 90,
            )
            for at in range(1, 301)
        ],
    )
    return found


@pytest.mark.parametrize("question", ASKED)
async def test_a_follow_up_is_refused_or_its_query_runs(tables: Tables, question: str) -> None:
    read = await tables.understood(question, *TABLES)
    assert isinstance(read, Understood), read
    chosen = random.Random(question)
    catalogue, lookup, workspace = tables.opened(*TABLES)
    ran = 0
    for _ in range(EACH):
        intent: Intent = read.intent
        said = chosen.sample(FOLLOWING, 3)
        for words in said:
            found = await followed_by(intent, words, catalogue, lookup, TODAY)
            if isinstance(found, str):
                assert found.startswith(("“", "Of the follow-up", "The follow-up")), found
                continue
            intent = found.understood.intent
            query = render(intent, catalogue)
            with workspace.cursor() as cursor:
                cursor.execute(query.text, query.params).fetchall()
            ran += 1
    assert ran, "nothing follows it at all"
