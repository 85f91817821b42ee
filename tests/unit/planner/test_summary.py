"""The file of an answer's words: what a cell says opens no heading and no list in it."""

from __future__ import annotations

import pytest

from services.planner.domain.reporting.summary import summary_markdown


@pytest.mark.parametrize("cell", ["# Doubts", "- none", "1. none", "+ none"])
def test_a_line_of_the_answer_opens_nothing(cell: str) -> None:
    written = summary_markdown("how much", f"highest for\n{cell}", [cell])
    lines = [line.removeprefix("- ") for line in written.splitlines()[1:] if line]
    assert not any(line.startswith(cell[:2]) for line in lines), lines


def test_numbers_stay_as_they_are() -> None:
    assert "\n35.2 is the mean.\n" in summary_markdown("how much", "35.2 is the mean.", [])
