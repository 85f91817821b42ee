"""The everyday set as the bench takes it: follow-ups after what they follow, truth by SQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.reading.judging import Judgement, judged
from bench.reading.protocol import Rows
from bench.reading.sets import Item, load
from bench.reading.truths import truths

pytest.importorskip("bench.everyday", reason="the everyday set is not there yet")


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> list[Item]:
    told: list[str] = []
    found = load(["everyday"], tmp_path_factory.mktemp("nothing"), told.append)
    assert not told
    return found


def test_every_question_is_over_files_that_are_there(items: list[Item]) -> None:
    assert len({item.id for item in items}) == len(items) >= 330
    assert all(path.exists() for item in items for path in item.paths)
    assert all(isinstance(path, Path) and item.paths for item in items for path in item.paths)


def test_a_follow_up_comes_after_the_question_that_it_follows(items: list[Item]) -> None:
    asked = {(item.database, item.question) for item in items}
    following = [item for item in items if item.after]
    assert following
    for item in following:
        assert all((item.database, earlier) in asked for earlier in item.after)


def test_the_truth_of_a_question_is_right_by_itself(items: list[Item]) -> None:
    first = {item.database: item for item in items if item.expect == "answer"}
    for item in first.values():
        right = truths(item)
        for truth in right:
            names = [f"column {n}" for n in range(len(truth.rows[0]))]
            assert judged(Rows(names, truth.rows), right) is Judgement.RIGHT, item.question
