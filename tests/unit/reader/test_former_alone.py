"""What the former reader alone reads: shares, and values of many columns, are told with doubt."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.support_catalogue import Sources
from mesh.remarks import changes_reading
from services.planner.domain.language.understand import understand
from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.former_alone import told_alone
from tests.unit.language.truth_help import TODAY

CLIENTS = "age,education,housing,loan,status\n" + "".join(
    f"{20 + n % 40},{('basic', 'high')[n % 2]},{('yes', 'no')[n % 3 % 2]},"
    f"{('no', 'yes')[n % 5 % 2]},{('left', 'stayed')[n % 7 % 2]}\n"
    for n in range(70)
)


@pytest.mark.parametrize(
    ("question", "most", "doubt"),
    [
        ("share of yes by education", 0.5, 'it may also mean: "yes" of loan'),
        ("share of left clients by education", 0.6, "the parts are of all"),
        ("share of clients by education and status", 0.6, ""),
        ("what share of clients left in each education", 1.0, ""),
    ],
)
async def test_a_share_says_what_else_it_may_be(
    tmp_path: Path, question: str, most: float, doubt: str
) -> None:
    file = tmp_path / "clients.csv"
    file.write_text(CLIENTS)
    catalogue, lookup, _ = Sources(tmp_path / "kept").open_together((file,))
    found = await understand(question, catalogue, lookup, today=TODAY, assume=True)
    assert isinstance(found, Understood), found

    told = told_alone(found, question, catalogue)

    assert told.confidence <= most
    notes = [note for note in told.assumptions if doubt and note.startswith(doubt)]
    assert all(map(changes_reading, notes)) and bool(notes) is bool(doubt), told.assumptions
    if most == 1.0:
        assert told == found
