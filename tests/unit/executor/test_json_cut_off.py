"""A JSON Lines file that was cut off while it was written: all rows but the last are there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mesh.errors import SOURCE_NOT_READABLE, AssayError
from tests.unit.executor.source_help import aside_of, ask, open_text

ROWS = "".join(json.dumps({"id": n, "place": "Tromsø"}, ensure_ascii=False) + "\n" for n in (1, 2))
NESTED = '{"id": 1, "tags": [{"t": "a"}]}\n{"id": 2, "tags": [{"t": "b"}, {"t": "c"}]}\n'


@pytest.mark.parametrize(
    "cut",
    ['{"id": 3, "pla', '{"id": 3', "{", '{"id": 3,   '],
)
def test_the_line_that_is_cut_off_is_kept_aside_and_counted(tmp_path: Path, cut: str) -> None:
    source = open_text(tmp_path, "t.jsonl", ROWS + cut)
    (table,) = source.tables
    assert (table.rows, table.rejected) == (2, 1)
    assert aside_of(source) == [(3, "", cut)]
    (doubt,) = (one for one in source.doubts if one.code == "rows-aside")
    assert doubt.rows == 1 and "1 of 3 rows" in doubt.said
    assert any("line 3 (it breaks off" in note for note in source.notes)


def test_a_cut_within_a_character_is_no_other_encoding(tmp_path: Path) -> None:
    text = (ROWS + '{"id": 3, "place": "Tromsø').encode()[:-1]
    source = open_text(tmp_path, "t.jsonl", text)
    assert ask(source, "SELECT DISTINCT place FROM t").to_pylist() == [{"place": "Tromsø"}]
    assert source.tables[0].rejected == 1


def test_lists_of_the_whole_lines_are_tables_all_the_same(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.jsonl", NESTED + '{"id": 3, "tags": [{"t"')
    assert [(table.rows, table.rejected) for table in source.tables] == [(2, 1), (3, 0)]


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1},\n{"a": 2},\n{"a":',  # an array: what else it held is unknown
        '{"a": 1}\n{bad\n{"a": 3}',  # damaged, not cut off
        '{"a": 1}\n{bad}',
        '{"a": 1',
    ],
)
def test_what_is_broken_otherwise_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(AssayError) as caught:
        open_text(tmp_path, "t.jsonl", text)
    assert caught.value.reason is SOURCE_NOT_READABLE
