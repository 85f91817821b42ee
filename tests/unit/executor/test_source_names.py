"""What columns are called that a file gives no name, the same name, or one that is no name."""

from __future__ import annotations

from pathlib import Path

from services.executor.sources.sql import LONGEST_NAME, unique_names
from tests.unit.executor.source_help import open_text


def test_a_name_of_thousands_of_characters_is_cut_and_told() -> None:
    notes: list[str] = []
    name = "long " * 2_000
    found = unique_names(["id", name, name], notes.append)
    assert found[1] == ("long " * 40).strip()
    assert found[2] == f"{found[1]}_2", "what is cut alike is told apart"
    assert all(len(one) <= LONGEST_NAME + 2 for one in found)
    assert "the name of column 2 has 9,999 characters" in notes[0]


def test_a_name_of_as_many_characters_as_there_may_be_stays(tmp_path: Path) -> None:
    name = "n" * LONGEST_NAME
    source = open_text(tmp_path, "t.csv", f"id,{name}\n1,2\n2,3\n")
    assert [column.name for column in source.tables[0].columns] == ["id", name]
    assert not any("characters" in note for note in source.notes)
