"""What people write behind --data: files, patterns, addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.python.places import parted
from clients.python.question import Question
from mesh.errors import AssayError


def test_a_pattern_stands_for_the_files_that_it_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b.csv", "a.csv", "notes.txt", "deep/c.csv", "odd[1].csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n1\n")
    monkeypatch.chdir(tmp_path)
    assert parted(["[ab].csv"]) == (("a.csv", "b.csv"), ())
    assert parted(["**/c.csv", "a.csv", "?.csv"])[0] == ("deep/c.csv", "a.csv", "b.csv")
    assert parted(["odd[1].csv"])[0] == ("odd[1].csv",), "a file that is there is no pattern"
    assert parted(["absent.csv"])[0] == ("absent.csv",), "told as missing by who reads it"
    with pytest.raises(AssayError) as refused:
        parted(["sales/*.csv"])
    assert refused.value.reason.code == "SOURCE_NOT_FOUND"
    assert refused.value.message == "no file matches sales/*.csv"


def test_a_pattern_of_all_data_in_a_folder_stands_for_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    months = tmp_path / "months"
    months.mkdir()
    for name in ("2024-01.csv", "2024-02.csv", "README.md", ".hidden.csv"):
        (months / name).write_text("x\n1\n")
    assert parted([f"{months}/*.csv"])[0] == (str(months),)
    monkeypatch.chdir(months)
    assert parted(["2024-*.csv"])[0] == (str(months),)
    assert parted(["*-01.csv"])[0] == ("2024-01.csv",)
    (months / "rates.json").write_text("[]")
    assert parted(["*.csv"])[0] == ("2024-01.csv", "2024-02.csv"), "the rest is not asked for"


def test_an_address_works_or_says_what_to_do(tmp_path: Path) -> None:
    assert parted(["file:///tmp/my%20sales.csv"]) == (("/tmp/my sales.csv",), ())
    asked = Question("n", data=("a.csv", "sqlite:///shop.sqlite"), databases=("duckdb:///x.db",))
    located = asked.located()
    assert located.data == ("a.csv",)
    assert located.databases == ("duckdb:///x.db", "sqlite:///shop.sqlite")
    for place in ("https://a.org/d/flights.csv?x=1", "HTTP://a.org/x", "s3://bucket/a/"):
        assert Question("n", data=(place,)).located().databases == (place,)
    for place, told, remedy in (("gs://bucket/a.parquet", "does not read", "Copy the file here"),):
        with pytest.raises(AssayError) as refused:
            Question("n", data=(place,)).located()
        assert refused.value.reason.code == "INVALID_ARGUMENT"
        assert told in refused.value.message and remedy in refused.value.hint
