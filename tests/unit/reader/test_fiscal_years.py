"""Fiscal years: where somebody said when they begin they are computed, else that is asked for."""

from __future__ import annotations

from datetime import date

import pytest

from services.planner.domain.query.filters import conditions_of
from services.planner.domain.query.intent import NotUnderstood, Understood
from services.planner.domain.reader.fiscal import Fiscal, fiscal_of
from tests.unit.reader.files import Tables

_MONTHS = [date(2023 + n // 12, n % 12 + 1, 1) for n in range(24)]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("fiscal"))
    found.write("rev", "month_start,revenue", [(d, 1_000 * n) for n, d in enumerate(_MONTHS, 1)])
    return found


@pytest.mark.parametrize(
    "question",
    [
        "revenue by fiscal year starting in April",
        "total revenue per financial year, beginning on 1 April",
        "revenue by FY (starts in Apr)",
    ],
)
async def test_each_fiscal_year_is_a_period_of_its_own(tables: Tables, question: str) -> None:
    found = await tables.understood(question, "rev")
    assert isinstance(found, Understood), found
    (split,) = found.intent.dimensions
    assert [p.label for p in split.periods] == ["FY2022/23", "FY2023/24", "FY2024/25"]
    assert (split.periods[1].start, split.periods[1].end) == (date(2023, 4, 1), date(2024, 4, 1))
    assert any("FY2022/23 begins on 1 January 2023" in note for note in found.assumptions)


@pytest.mark.parametrize(
    "question",
    [
        "revenue in fiscal year 2024 starting in April",
        "revenue in FY2023/24 (starting in April)",
        "total revenue for the financial year 2023-24, beginning in April",
    ],
)
async def test_one_fiscal_year_is_its_days(tables: Tables, question: str) -> None:
    found = await tables.understood(question, "rev")
    assert isinstance(found, Understood), found
    values = [str(v) for c in conditions_of(found.intent.filters) for v in c.values]
    assert values[0] == "2023-04-01" and values[-1] in ("2024-03-31", "2024-04-01")
    assert found.assumptions[0].startswith("fiscal year FY2023/24 is from 1 April 2023")


@pytest.mark.parametrize(
    "question", ["revenue by fiscal year", "revenue in fiscal year 2024", "revenue in FY24"]
)
async def test_nobody_guesses_when_it_begins(tables: Tables, question: str) -> None:
    found = await tables.understood(question, "rev")
    assert isinstance(found, NotUnderstood)
    assert "fiscal_year_starts" in found.message


def test_a_semantic_model_says_it_once(tables: Tables) -> None:
    catalogue, _, _ = tables.opened("rev")
    said = catalogue.model_copy(update={"fiscal_year_starts": 7})
    found = fiscal_of("revenue by fiscal year", said)
    assert found == Fiscal("revenue by year", 7, each=True)
    assert fiscal_of("revenue by year", said) is None
    assert isinstance(fiscal_of("revenue by fiscal quarter", said), NotUnderstood)
