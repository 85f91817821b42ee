"""Files and places that cannot be read: one clear reason each, nothing left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mesh.errors import (
    SOURCE_EMPTY,
    SOURCE_NOT_FOUND,
    SOURCE_NOT_READABLE,
    SOURCE_NOT_SUPPORTED,
    AssayError,
    Reason,
)
from services.executor.domain.source import DataSource, SourceType
from services.executor.sources.library import SourceLibrary
from tests.unit.executor.source_help import ask, open_file, open_text


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.csv", b"", SOURCE_EMPTY),
        ("t.csv", b"\n \n", SOURCE_EMPTY),
        ("t.csv", b"a,b,c\n", SOURCE_EMPTY),
        ("t.json", b"[]", SOURCE_EMPTY),
        ("t.json", b"{}", SOURCE_EMPTY),
        ("t.csv", b"a,b\n1,2,3\n4\n", SOURCE_NOT_READABLE),
        ("t.csv", b"a,b\0\n1,2\n", SOURCE_NOT_READABLE),
        ("t.csv", bytes(range(128, 256)) * 9, SOURCE_NOT_READABLE),
        ("t.parquet", b"a,b\n1,2\n", SOURCE_NOT_READABLE),
        ("t.parquet", b"PAR1" + b"x" * 99, SOURCE_NOT_READABLE),
        ("t.parquet", b"PAR1" + b"x" * 99 + b"PAR1", SOURCE_NOT_READABLE),
        ("t.json", b"a,b\n1,2\n", SOURCE_NOT_READABLE),
        ("t.json", b'{"a": 1', SOURCE_NOT_READABLE),
        ("t.sqlite", b"SQLite format 3\0" + os.urandom(4_000), SOURCE_NOT_READABLE),
        ("t.duckdb", b"12345678DUCK" + os.urandom(4_000), SOURCE_NOT_READABLE),
        ("t.csv", b"\x89PNG\r\n\x1a\n", SOURCE_NOT_SUPPORTED),
        ("t.csv", b"PK\x03\x04", SOURCE_NOT_SUPPORTED),
        ("t.csv.gz", b"\x1f\x8b\x08", SOURCE_NOT_READABLE),
    ],
)
def test_bad_files_get_one_clear_reason(
    tmp_path: Path, name: str, content: bytes, reason: Reason
) -> None:
    with pytest.raises(AssayError) as caught:
        open_text(tmp_path, name, content)
    assert caught.value.reason is reason
    assert name in caught.value.message
    assert not list((tmp_path / "sources").glob("*"))


def test_a_folder_without_data_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(AssayError, match="holds no data files") as caught:
        open_file(tmp_path, tmp_path / "empty")
    assert caught.value.reason is SOURCE_NOT_FOUND


def test_a_declared_type_is_held_against_the_content(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="given as json"):
        open_text(tmp_path, "t.csv", "a,b\n1,2\n", type=SourceType.JSON)


@pytest.mark.parametrize("name", ["../../x", "x\ny", "\N{RIGHT-TO-LEFT OVERRIDE}x", 'x"; --', "€"])
def test_an_odd_display_name_makes_a_harmless_table_name(tmp_path: Path, name: str) -> None:
    source = open_text(tmp_path, "t.csv", "a\n1\n", name=f"{name}.csv")
    table = source.tables[0].name
    assert table.isidentifier()
    assert ask(source, f"SELECT a FROM {table}").num_rows == 1


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("sqlite:///nowhere.sqlite", SOURCE_NOT_FOUND),
        ("sqlite://host/x.sqlite", SOURCE_NOT_FOUND),
        ("sqlite://", SOURCE_NOT_FOUND),
        ("postgres://ada:secret@host/db", SOURCE_NOT_SUPPORTED),
        ("ftp://host/x.csv", SOURCE_NOT_SUPPORTED),
    ],
)
def test_urls_that_lead_nowhere_say_why_without_credentials(
    tmp_path: Path, url: str, reason: Reason
) -> None:
    with pytest.raises(AssayError) as caught:
        SourceLibrary(tmp_path).open(DataSource(connection_string=url))
    assert caught.value.reason is reason
    assert "secret" not in caught.value.message


def test_a_file_without_rows_is_left_out_of_its_folder_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.csv").write_text("")
    (folder / "b.csv").write_text("x\n1\n")
    source = open_file(tmp_path, folder)
    assert [table.name for table in source.tables] == ["b"]
    assert "the file a.csv holds no table and is left out" in source.notes
    (folder / "b.csv").write_text("")
    with pytest.raises(AssayError, match="no file of data holds a table") as caught:
        open_file(tmp_path, folder)
    assert caught.value.reason is SOURCE_EMPTY
