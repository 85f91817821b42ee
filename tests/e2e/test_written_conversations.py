"""Conversations of five turns as people hold them: each turn's rows are those of SQL by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Assay
from tests.e2e.talks import Talk, compared, verdict, written
from tests.thorough import some

pytestmark = pytest.mark.timeout(300)

KEPT = (
    "freight by country",
    "revenue over time",
    "staff",
    "shippers",
    "films",
    "revenue of genres",
    "customers of support",
    "revenue of countries",
    "wealth of continents",
    "customers of countries",
)


@pytest.mark.parametrize(
    "talk", some([t for t in written() if t.name in KEPT], 4), ids=lambda t: t.name
)
def test_each_turn_is_right(talk: Talk, assay: Assay, home: Path, shared_data: Path) -> None:
    file = shared_data / talk.data
    where = ("--db", f"sqlite:///{file}") if file.suffix == ".sqlite" else ("--data", file)
    lines = "\n".join(turn["say"] for turn in talk.turns) + "\n"

    done = assay("chat", "--json", *where, lines=lines, seconds=200)

    told = [json.loads(line) for line in done.out.splitlines()]
    assert len(told) == len(talk.turns), done.err
    found = {
        turn["say"]: verdict(turn, said, home, talk.data)
        for turn, said in zip(talk.turns, told, strict=True)
    }
    wrong = {said: came for said, came in found.items() if not came.startswith("right")}
    assert not wrong, [(said["said"], said["answer"]) for said in told]


def test_conversations_of_five_turns_are_written() -> None:
    talks = list(written())
    assert len(talks) == len({talk.name for talk in talks}) == 36
    assert all(len(talk.turns) == 5 for talk in talks)
    assert {talk.name for talk in talks} >= set(KEPT)


def test_rows_are_compared_as_a_whole() -> None:
    wanted = [("North", 10.0), ("South", 20)]
    assert compared(wanted, [["South", "20"], ["North", "10.0000"]]) == "right"
    assert compared(wanted, [["North", "10", "x"], ["South", "20", "y"]]) == "right with extra"
    assert compared(wanted, [["North", "10"]]) == "wrong"
    assert compared(wanted, [["North", "10"], ["South", "20"], ["West", "1"]]) == "wrong"
    assert compared(wanted, [["North", "20"], ["South", "10"]]) == "wrong"
