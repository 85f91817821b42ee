"""A balance is told as it stood on the last day; a year that is not over is not told as sure."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.query.filters import conditions_of
from services.planner.domain.query.intent import Aggregate, Operator, Understood
from tests.unit.reader.files import Tables

_FIRST = date(2025, 1, 1)
_DAYS = [_FIRST + timedelta(days=n) for n in range(90)]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("levels"))
    rows: list[tuple[object, ...]] = [(d, "cash", 1_000 + n) for n, d in enumerate(_DAYS)]
    rows += [(d, "loan", 500) for d in _DAYS]
    found.write("balances", "day,account,balance", rows)
    found.write("stocks", "day,shop,stock", [(d, "Ulm", n % 9) for n, d in enumerate(_DAYS)])
    for name in ("Kontostand", "Lagerbestand", "solde", "existencias", "saldo"):
        found.write(name, f"tag,konto,{name}", [(d, k, 7) for d in _DAYS for k in ("Giro", "Spar")])
    many = [date(2023, 1, 1) + timedelta(days=n) for n in range(974)]
    found.write("daily", "day,sales", [(d, 100) for d in many])
    return found


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("total balance", (_DAYS[-1],)),
        ("balance by account", (_DAYS[-1],)),
        ("current balance of cash", (_DAYS[-1],)),
        ("total balance at the end", (_DAYS[-1],)),
        ("balance by month", (date(2025, 1, 31), date(2025, 2, 28), date(2025, 3, 31))),
    ],
)
async def test_a_level_is_told_of_the_last_day(
    tables: Tables, question: str, days: tuple[date, ...]
) -> None:
    found = await tables.understood(question, "balances")
    assert isinstance(found, Understood), found
    assert [m.aggregate for m in found.intent.measures] == [Aggregate.SUM]
    kept = [c for c in conditions_of(found.intent.filters) if c.field.column == "day"]
    assert [c.values for c in kept] == [days]
    assert any("is a level, told as it stood" in note for note in found.assumptions)


@pytest.mark.parametrize("name", ["Kontostand", "Lagerbestand", "solde", "existencias", "saldo"])
async def test_levels_are_known_by_their_names_in_other_languages(
    tables: Tables, name: str
) -> None:
    found = await tables.understood(f"total {name} by konto", name)
    assert isinstance(found, Understood), found
    kept = [c for c in conditions_of(found.intent.filters) if c.field.column == "tag"]
    assert [c.values for c in kept] == [(_DAYS[-1],)]


async def test_the_last_day_of_what_is_asked_for_is_meant(tables: Tables) -> None:
    found = await tables.understood("total balance by month before 15 March 2025", "balances")
    assert isinstance(found, Understood), found
    last = [c.values[-1] for c in conditions_of(found.intent.filters) if c.operator is Operator.IN]
    assert last == [date(2025, 3, 14)]


async def test_each_day_by_itself_and_means_are_left_alone(tables: Tables) -> None:
    for question in ("total stock by day", "average stock by month"):
        assert "2025-03-31" not in await tables.sql(question, "stocks")


async def test_a_year_that_is_not_over_is_not_told_as_sure(tables: Tables) -> None:
    for question in ("sales by year", "sales growth year over year"):
        found = await tables.understood(question, "daily")
        assert isinstance(found, Understood)
        assert found.confidence <= thresholds.LIKELY
        assert any("ends on 31 August 2025" in note for note in found.assumptions)
    whole = await tables.understood("sales by day", "daily")
    assert isinstance(whole, Understood)
    assert whole.confidence > thresholds.LIKELY
