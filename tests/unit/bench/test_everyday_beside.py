"""Questions over tables beside the checkout: held out, and left out where the tables are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.everyday import TAGS, held_beside
from bench.everyday.datasets import DATASETS
from bench.reading.sets import data_folder, load
from bench.reading.truths import truths

_FOUND = list(held_beside.load(data_folder()))
needs_tables = pytest.mark.skipif(not _FOUND, reason="the public tables are not beside this")


def test_without_the_tables_there_are_no_questions_and_that_is_said(tmp_path: Path) -> None:
    told: list[str] = []

    assert load(["beside"], tmp_path, told.append) == []
    assert told == [f"beside: left out, their tables are not in {tmp_path}"]


@needs_tables
def test_all_are_held_out_and_none_shares_a_name_with_the_projects_own_tables() -> None:
    items = load(["beside"], data_folder(), print)

    assert len(items) == 263
    assert all(item.held_out for item in items)
    assert not {item.database for item in items} & set(DATASETS)
    assert {tag for item in items for tag in item.tags} <= TAGS


@needs_tables
def test_each_answer_has_rows_by_each_of_its_truths() -> None:
    for item in load(["beside"], data_folder(), print):
        right = truths(item)
        assert right or item.expect == "refuse", item.id
        assert all(truth.rows for truth in right), item.id
