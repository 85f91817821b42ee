"""The card tells what was measured of all rows: domains, periods, references; at no lower level
than values, and only as far as there is room."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bench.proposals.card import shop_of
from mesh.policy import Disclosure, Policy
from services.planner.adapters.llm.column_text import full_column
from services.planner.adapters.llm.describing import described, tokens_in, visible
from services.planner.adapters.llm.fact_text import (
    describe_periods,
    describe_reference,
    measured_of,
    with_domain,
)
from services.planner.adapters.reasoner_llm import _card
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Relationship
from services.planner.domain.data_source import DataSource
from services.planner.domain.facts import (
    ColumnFacts,
    Coverage,
    Facts,
    ReferenceFacts,
    TableFacts,
    TimeFacts,
    ValueCount,
)
from services.planner.domain.question import AnalysisRequest
from tests.unit.planner.test_llm_card import D, S, column, table

OPEN = Policy()
WHOLE_NUMBERS = DataType.INTEGER


def holding(*values: str, rows: int = 200, whole: bool = True) -> TableFacts:
    counted = tuple(ValueCount(value=text, rows=1) for text in values)
    one = ColumnFacts(column="x", whole=whole, values=counted)
    return TableFacts(table="t", rows=rows, measured_rows=rows, columns=(one,))


def told(one: Column, known: TableFacts, policy: Policy = OPEN) -> str:
    return full_column(with_domain(one, known, policy), table(one, rows=known.rows)).strip()


def test_all_values_of_a_short_domain_are_told() -> None:
    one = column(distinct=9, samples=("a", "b"))
    letters = tuple("abcdefghi")
    assert told(one, holding(*letters)) == '"x" string, only ' + ", ".join(
        f'"{letter}"' for letter in letters
    )
    rating = column(WHOLE_NUMBERS, distinct=3, minimum="1", maximum="3")
    assert told(rating, holding("1", "2", "3")) == '"x" integer, only 1, 2, 3'


@pytest.mark.parametrize(
    ("known", "policy"),
    [
        (holding("a", "b", "y" * 30), OPEN),  # no short ones
        (holding("a", "b", "c", rows=4), OPEN),  # names, which do not come again
        (holding("a", "b", "c", whole=False), OPEN),
        (holding(*map(str, range(51))), OPEN),
        (holding("a", "b", "c@d.org"), Policy(blocked_patterns=("email",))),
    ],
)
def test_other_domains_are_told_by_some(known: TableFacts, policy: Policy) -> None:
    one = column(distinct=9, samples=("a", "b"))
    assert told(one, known, policy) == '"x" string, 9 distinct, such as "a", "b"'


def test_what_tells_rows_apart_is_no_domain() -> None:
    key = Column(name="x", data_type=S, role=ColumnRole.ID, distinct=9, samples=("a",))
    assert "only" not in told(key, holding(*"abcdefghi"))


def covering(**months: Any) -> TableFacts:
    dates = TimeFacts(
        column="x",
        first="2024-01-01",
        last="2025-12-20",
        days=9,
        coverage=(Coverage(grain="month", **months),),
    )
    return TableFacts(table="t", rows=9, measured_rows=9, times=(dates,))


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (covering(periods=24), ["24 whole months"]),
        (
            covering(periods=20, missing=4, examples=("2024-05",), last_whole=False),
            ["24 months, 4 without rows such as 2024-05, the last not whole"],
        ),
        (covering(periods=1), []),
        (covering(periods=9, missing=300, examples=("1950-02",)), []),  # dates of birth
        (None, []),
    ],
)
def test_periods_are_told_with_what_is_missing(known: TableFacts | None, said: list[str]) -> None:
    assert describe_periods(column(D), known) == said


def test_a_reference_tells_who_finds_none() -> None:
    link = Relationship(from_table="a", from_column="id", to_table="b", to_column="id")
    ends = link.model_dump(include={"from_table", "from_column", "to_table", "to_column"})
    one = ReferenceFacts(
        **ends, declared=True, filled=90, orphans=2, share=0.9, keys=40, used=30, most=4
    )

    def said(**changed: Any) -> str:
        facts = Facts(references=(one.model_copy(update=changed),))
        return describe_reference(link, measured_of(Catalogue(tables=(), facts=facts), level))

    level = Disclosure.VALUES
    assert said() == ", up to 4 each, 2 of 90 find none, 10 of 40 have none"
    assert said(orphans=0, used=40, most=1) == ""
    assert said(exact=False) == ""
    level = Disclosure.NAMES
    assert said() == ""


@pytest.mark.parametrize("level", [Disclosure.NAMES, Disclosure.VALUES])
def test_facts_are_told_from_values_on(level: Disclosure) -> None:
    text, shown = described(visible(shop_of(2, 8), OPEN), OPEN, "region", [], 8_000, level=level)
    there = level is Disclosure.VALUES
    assert ('only "Region 0"' in text) is there
    assert ("4 without rows" in text) is there
    assert ("find none" in text) is there
    domain = shown.tables[0].columns[1].samples
    assert (domain[:1] == ("Region 0",)) is there  # and so a statement may hold it


def test_where_domains_leave_no_room_for_columns_they_go_first() -> None:
    shop = shop_of(10, 8)
    request = AnalysisRequest(
        request_id="00000000-0000-4000-8000-000000000000",
        intent="amount by region",
        data_sources=(DataSource(file_path="/data/shop.sqlite"),),
        timestamp=datetime(2025, 1, 1, tzinfo=UTC),
    )
    text, shown = _card(shop, request, [], 2_400, Disclosure.VALUES)
    assert tokens_in(text) <= 2_400
    assert sum(len(one.columns) for one in shown.tables) == 80
    assert "Region 9" not in text and '"North", "South", "West"' in text
    assert "24 months, 4 without rows" in text
