"""Words of business over files: the numbers that come of them, what is told, asked and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.planner.domain.business.adding import with_business_words
from services.planner.domain.confidence.thresholds import LIKELY
from services.planner.domain.query.intent import Clarification, NotUnderstood, Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand
from tests.unit.reader.files import TODAY, Rows, Tables

Reading = Understood | Clarification | NotUnderstood
_STAFF = [
    ("Ann", "Lab", "2020-01-01", None),
    ("Bo", "Lab", "2021-01-01", "2023-01-01"),
    ("Cy", "Lab", "2022-06-01", "2024-07-01"),
    ("Di", "Shop", "2022-11-23", None),
    ("Ed", "Shop", "2024-01-15", "2024-08-01"),
    ("Flo", "Shop", "2024-11-23", None),
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder: Path = tmp_path_factory.mktemp("business")
    found = Tables(folder)
    found.write("staff", "employee,team,hired,left", list(_STAFF))
    found.write(
        "takings",
        "shop,day,revenue,cost",
        [
            (("East", "West")[at % 2], f"2025-01-{1 + at % 28:02}", 100 + at, 60 + at % 2 * 20)
            for at in range(60)
        ],
    )
    found.write(
        "clients",
        "customer,plan,signed_up,cancelled",
        [
            ("A", "Big", "2023-02-01", None),
            ("B", "Big", "2023-03-01", "2024-05-01"),
            ("C", "Small", "2023-04-01", "2024-06-01"),
            ("D", "Small", "2023-05-01", "2024-09-01"),
            ("E", "Small", "2024-02-01", "2024-10-01"),
            ("F", "Small", "2023-06-01", None),
        ],
    )
    return found


async def asked(
    tables: Tables, question: str, *names: str, answer: str | None = None
) -> tuple[Reading, Rows]:
    """The reading and its rows, without any where it is none."""
    catalogue, lookup, workspace = tables.opened(*names)
    catalogue = with_business_words(catalogue, (question,), TODAY)
    paths = [tables.folder / f"{name}.csv" for name in names]
    found = await understand(
        question,
        catalogue,
        lookup,
        today=TODAY,
        answer=answer,
        evidence=tables._sources.evidence(*paths),
    )
    if not isinstance(found, Understood):
        return found, []
    query = render(found.intent, catalogue)
    with workspace.cursor() as cursor:
        return found, sorted(cursor.execute(query.text, list(query.params)).fetchall())


def _short(value: object) -> object:
    return round(value, 3) if isinstance(value, float) else value


@pytest.mark.parametrize(
    ("question", "file", "rows"),
    [
        ("average tenure by team", "staff", [("Lab", 3.659), ("Shop", 2.181)]),
        ("headcount by team", "staff", [("Lab", 1), ("Shop", 2)]),
        ("headcount at the end of 2023 by team", "staff", [("Lab", 2), ("Shop", 1)]),
        ("headcount on 1 February 2024", "staff", [(4,)]),
        ("employee turnover in 2024", "staff", [(0.667,)]),
        ("attrition rate by team in 2024", "staff", [("Lab", 0.667), ("Shop", 0.667)]),
        ("margin by shop", "takings", [("East", 0.535), ("West", 0.385)]),
        ("churn rate in 2024", "clients", [(0.6,)]),
        ("customer churn by plan in 2024", "clients", [("Big", 0.5), ("Small", 0.667)]),
    ],
)
async def test_the_number_is_what_the_word_means(
    tables: Tables, question: str, file: str, rows: Rows
) -> None:
    found, got = await asked(tables, question, file)
    assert isinstance(found, Understood), found
    assert [tuple(map(_short, row)) for row in got] == rows
    assert found.confidence <= LIKELY and " = " in found.assumptions[0]


async def test_turnover_of_shop_and_staff_is_asked_back(tables: Tables) -> None:
    question = "what is our turnover"
    found, _ = await asked(tables, question, "takings", "staff")
    assert isinstance(found, Clarification)
    assert found.options == ("total revenue", "staff turnover")
    shop, rows = await asked(tables, question, "takings", "staff", answer="1")
    assert isinstance(shop, Understood) and rows == [(7770,)]
    left, rows = await asked(tables, question, "takings", "staff", answer="staff turnover")
    assert isinstance(left, Understood) and "left" in left.assumptions[0]


async def test_turnover_of_a_shop_alone_is_its_revenue(tables: Tables) -> None:
    found, rows = await asked(tables, "turnover by shop", "takings")
    assert isinstance(found, Understood) and [shop for shop, _ in rows] == ["East", "West"]
    assert not any("turnover =" in note for note in found.assumptions)


async def test_a_number_at_a_date_is_not_split_by_its_own_dates(tables: Tables) -> None:
    found, _ = await asked(tables, "headcount by year", "staff")
    assert isinstance(found, NotUnderstood)
    assert found.message == 'nothing in the data is called "year"' and found.available


@pytest.mark.parametrize(
    ("question", "file", "missing"),
    [
        ("average tenure by shop", "takings", "the date on which somebody began"),
        ("churn by team", "staff", "the date on which somebody left"),
        ("headcount by shop", "takings", "the date on which somebody began"),
        ("utilisation by shop", "takings", "what there was to use"),
    ],
)
async def test_what_is_missing_is_named(
    tables: Tables, question: str, file: str, missing: str
) -> None:
    found, _ = await asked(tables, question, file)
    assert isinstance(found, NotUnderstood) and missing in found.message, found
