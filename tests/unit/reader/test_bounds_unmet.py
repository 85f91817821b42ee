"""A bound that no row meets is part of the question all the same: nothing is left out for it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from bench.support_catalogue import Sources
from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.understand import understand

_TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    "question",
    [
        "total weight where weight is above 5000 by harbour",
        "total weight above 5000",
        "average weight of catches over 5000",
    ],
)
async def test_a_bound_without_rows_stays(tmp_path: Path, question: str) -> None:
    path = tmp_path / "catches.csv"
    lines = [f"{n},{('Kiel', 'Oslo', 'Rome')[n % 3]},{12.5 + 7 * n}" for n in range(40)]
    path.write_text("\n".join(["catch_id,harbour,weight", *lines]))
    sources = Sources(tmp_path / "read")
    catalogue, lookup, _ = sources.open_together([path])

    found = await understand(
        question, catalogue, lookup, today=_TODAY, evidence=sources.evidence(path)
    )

    assert isinstance(found, Understood), found
    assert len(found.intent.filters) == 1
    assert found.confidence < thresholds.LIKELY  # perhaps another column was meant
