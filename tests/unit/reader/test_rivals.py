"""What a question could mean besides: told with what it gives, where the reading is not sure."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from bench.support_catalogue import Sources
from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.understand import understand

_TODAY = datetime.date(2026, 11, 23)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("rivals")
    lines = ["order_id,home_city,ship_city,weight"]
    cities = ("Bern", "Graz", "Lyon", "Oslo")
    lines += [f"{n},{cities[n % 4]},{cities[n * n % 3]},{n % 7}" for n in range(1, 61)]
    (made / "orders.csv").write_text("\n".join(lines) + "\n")
    return made


async def read(folder: Path, question: str) -> Understood:
    sources, path = Sources(folder / "read"), folder / "orders.csv"
    catalogue, lookup, _ = sources.open_together([path])
    found = await understand(
        question, catalogue, lookup, today=_TODAY, assume=True, evidence=sources.evidence(path)
    )
    assert isinstance(found, Understood), found
    return found


async def test_the_other_column_of_the_same_name_is_told_with_its_numbers(folder: Path) -> None:
    found = await read(folder, "number of orders by city")
    assert found.confidence < thresholds.SURE
    [split] = found.intent.dimensions
    rivals = [one for one in found.rivals if len(one.intent.dimensions) == 1]
    others = {one.intent.dimensions[0].label: one for one in rivals}
    assert split.label not in others and others
    assert "rows: " in next(iter(others.values())).glimpse


async def test_nothing_is_told_beside_what_is_sure(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "SURE", 0.0)
    assert not (await read(folder, "number of orders by city")).rivals


async def test_no_two_rivals_are_told_alike_and_none_as_the_first(folder: Path) -> None:
    for question in ("number of orders by city", "total weight by city", "orders by ship city"):
        found = await read(folder, question)
        told = [found.summary, *(one.summary for one in found.rivals)]
        assert len(set(told)) == len(told) <= thresholds.MOST_OFFERED + 1
