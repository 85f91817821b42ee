"""A few things named each get their own line, and rows are not told as the things they are of."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from bench.support_catalogue import Sources
from mesh.remarks import changes_reading
from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.understand import understand

_TODAY = datetime.date(2026, 11, 23)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("told")
    lines = ["nation,year,life_expectancy"]
    for number, nation in enumerate(("Japan", "Brazil", "Norway", "Chad")):
        lines += [f"{nation},{year},{50 + 5 * number + year % 7}" for year in range(2000, 2012)]
    (made / "wellbeing.csv").write_text("\n".join(lines) + "\n")
    lines = ["sensor_id,taken_at,humidity"]
    lines += [f"{row % 5},2025-03-{1 + row % 28:02} 0{row % 7}:15,{row % 60}" for row in range(120)]
    (made / "sensors.csv").write_text("\n".join(lines) + "\n")
    return made


async def read(folder: Path, name: str, question: str) -> Understood:
    sources, path = Sources(folder / "read"), folder / f"{name}.csv"
    catalogue, lookup, _ = sources.open_together([path])
    found = await understand(
        question, catalogue, lookup, today=_TODAY, assume=True, evidence=sources.evidence(path)
    )
    assert isinstance(found, Understood), found
    return found


@pytest.mark.parametrize(
    "question",
    [
        "average life expectancy by year for Japan and Brazil",
        "line chart of the average life expectancy by year for Norway, Chad and Japan",
    ],
)
async def test_things_that_are_named_are_not_averaged_together(folder: Path, question: str) -> None:
    found = await read(folder, "wellbeing", question)
    assert [d.label for d in found.intent.dimensions] == ["year", "nation"]
    assert found.intent.series == 1


async def test_rows_are_not_told_as_the_things_that_they_are_of(folder: Path) -> None:
    found = await read(folder, "sensors", "how many sensors are there")
    told = [said for said in found.assumptions if "5 different sensor_id" in said]
    distinct = any(m.expression is not None for m in found.intent.measures)
    assert distinct or (told and found.confidence <= 0.7)
    assert all(map(changes_reading, told)), "it stands above the answer"
