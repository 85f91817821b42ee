"""Values named in part, in little words in capitals, or like others: used, told, never dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.lexicon.tokens import loud, tokenise
from services.planner.domain.query.intent import NotUnderstood, Understood
from tests.unit.reader.files import Tables


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("tables"))
    found.write(
        "staff",
        "employee_id,department,country,salary",
        [
            (
                at,
                ("IT/IS", "HR", "Sales", "Software Engineering")[at % 4],
                ("US", "UK", "IN")[at * 5 % 7 % 3],
                30_000 + at * 713 % 90_000,
            )
            for at in range(1, 121)
        ],
    )
    found.write(
        "releases",
        "release_id,label,copies",
        [
            (
                at,
                ("Decca", "Decca Records", "Blue Note", "EMI Classics")[at % 4],
                100 + at * 37 % 9_000,
            )
            for at in range(1, 161)
        ],
    )
    found.write(
        "stores",
        "store,state,format,revenue",
        [
            (f"S{at}", ("OR", "HI", "ME", "CA")[at % 4], "AB"[at % 2], 100 + at * 7 % 800)
            for at in range(1, 121)
        ],
    )
    found.write(
        "tickets",
        "ticket_id,queue,hours",
        [
            (
                at,
                (
                    "Billing & Payments",
                    "Billing EU",
                    "Technical Support",
                    "Sales Support",
                    "Accounts (VIP)",
                )[at % 5],
                at * 7 % 80,
            )
            for at in range(1, 151)
        ],
    )
    found.write("results", "grade,points", [("ABCI"[at % 4], at * 7 % 90) for at in range(1, 61)])
    return found


async def _told(tables: Tables, question: str, table: str) -> Understood:
    found = await tables.understood(question, table)
    assert not isinstance(found, NotUnderstood), found
    return found


@pytest.mark.parametrize(
    ("question", "table", "condition"),
    [
        ("average salary in IT", "staff", "department is IT/IS"),
        ("average salary of IT staff by country", "staff", "department is IT/IS"),
        ("number of employees in the IT department", "staff", "department is IT/IS"),
        ("average salary in the US", "staff", "country is US"),
        ("how many employees in IN", "staff", "country is IN"),
        ("average salary in HR", "staff", "department is HR"),
        ("how many stores in HI", "stores", "state is HI"),
        ("total revenue in OR", "stores", "state is OR"),
        ("average revenue of format A stores", "stores", "format is A"),
        ("number of VIP tickets", "tickets", "queue is Accounts (VIP)"),
    ],
)
async def test_names_in_capitals_are_conditions(
    tables: Tables, question: str, table: str, condition: str
) -> None:
    assert condition in (await _told(tables, question, table)).summary


async def test_what_a_name_in_capitals_is_taken_for_is_told(tables: Tables) -> None:
    assert (
        '"IT" is taken for IT/IS'
        in (await _told(tables, "average salary in IT", "staff")).assumptions
    )


async def test_a_name_in_capitals_that_is_nowhere_is_refused(tables: Tables) -> None:
    found = await tables.understood("average salary in BE", "staff")
    assert isinstance(found, NotUnderstood)
    assert '"BE"' in found.message


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("how many support tickets", "Sales Support or Technical Support"),
        ("average hours for billing tickets", "Billing & Payments or Billing EU"),
    ],
)
async def test_all_values_with_a_word_are_meant_together(
    tables: Tables, question: str, meant: str
) -> None:
    found = await _told(tables, question, "tickets")
    assert meant in found.summary and any(meant in note for note in found.assumptions)
    assert found.confidence < thresholds.SURE


async def test_a_value_beside_longer_ones_is_itself_alone_and_that_is_told(tables: Tables) -> None:
    found = await _told(tables, "total copies of Decca", "releases")
    assert "label is Decca" in found.summary
    assert '"Decca" is Decca alone, without Decca Records' in found.assumptions
    assert found.confidence < thresholds.SURE


@pytest.mark.parametrize(
    "question",
    ["total copies of Decca Records", "total hours of EU billing", 'total copies of "Decca"'],
)
async def test_nothing_is_told_where_all_words_are_said(tables: Tables, question: str) -> None:
    table = "tickets" if "hours" in question else "releases"
    found = await _told(tables, question, table)
    assert not any("alone" in note or "together" in note for note in found.assumptions)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("stores in OR", {"OR"}),
        ("IT vs HR", {"IT", "HR"}),
        ("grade A stores", {"A"}),
        ("AVERAGE SALARY IN IT", set[str]()),
        ("what do I know", set[str]()),
        ("points of grade I", {"I"}),
        ("points of grade I by year", {"I"}),
        ("what did I sell in OR?", {"OR"}),
        ("customers I lost", set[str]()),
    ],
)
def test_capitals_tell_names_where_not_all_is_in_capitals(question: str, said: set[str]) -> None:
    tokens = tokenise(question)
    assert {tokens[at].text for at in loud(tokens)} == said


async def test_a_grade_that_is_spelled_as_whoever_asks_is_found(tables: Tables) -> None:
    found = await _told(tables, "average points of grade I", "results")
    assert "grade is I" in found.summary


async def test_a_number_in_a_columns_name_is_no_condition(tmp_path: Path) -> None:
    made = Tables(tmp_path)
    made.write("lines", "id,amount 2,measure 1999", [(at, at, at * 3) for at in range(6)])
    for question in ("total amount 2", "total measure 1999"):
        assert not (await _told(made, question, "lines")).intent.filters


async def test_a_column_named_like_its_table_splits_by_the_column(tables: Tables) -> None:
    tables.write(
        "shops",
        "day,shop,sales",
        [
            (f"2025-0{at % 3 + 1}-1{at % 9}", ("North", "South")[at % 2], at * 7 % 90)
            for at in range(1, 61)
        ],
    )
    found = await _told(tables, "sales per month by shop", "shops")
    assert {d.label for d in found.intent.dimensions} >= {"shop"}
