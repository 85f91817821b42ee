"""Words that stand for no value among others are told, and read as none where somebody says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.executor.domain.source import ReaderOptions, Repair
from tests.unit.executor.source_help import ask, open_text


@pytest.mark.parametrize("mark", ["unknown", "N/A", "-"])
def test_a_mark_among_words_is_told_and_can_be_read_as_no_value(tmp_path: Path, mark: str) -> None:
    text = f"no,team\n1,red\n2,{mark}\n3,blue\n4,{mark}\n5,red\n"
    source = open_text(tmp_path, "t.csv", text)
    (doubt,) = [one for one in source.doubts if one.code == "missing-mark"]
    assert (doubt.column, doubt.rows, doubt.repaired) == ("team", 2, False)
    assert doubt.repairs == (Repair(kind="nothing", column="team", value=mark),)
    mended = open_text(tmp_path, "t.csv", text, options=ReaderOptions(repairs=doubt.repairs))
    assert ask(mended, "SELECT count(team) AS n FROM t").to_pylist() == [{"n": 3}]
    assert not mended.doubts


def test_a_word_that_nearly_all_rows_have_is_their_value(tmp_path: Path) -> None:
    rows = "".join(f"{n},none\n" for n in range(1, 40))
    source = open_text(tmp_path, "t.csv", f"no,found\n{rows}40,some\n")
    assert not [one for one in source.doubts if one.code == "missing-mark"]
