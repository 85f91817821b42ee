"""How files are read, told on the command line, and what was set aside, shown in the answer."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mesh.errors import INVALID_ARGUMENT
from tests.e2e.conftest import Assay


def records(assay: Assay, question: str, *arguments: object) -> list[list[object]]:
    ran = assay("ask", question, *arguments, "--json")
    assert ran.code == 0, ran.out
    return sorted(list(record.values()) for record in ran.json["table"]["records"])


def test_a_comma_means_decimals_when_told(assay: Assay, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("region;amount\nWest;1,250\nEast;2,500\n")
    asked = ("total amount by region", "--data", path)
    assert records(assay, *asked, "--read", "decimal=,") == [["East", 2.5], ["West", 1.25]]
    assert records(assay, *asked, "--read", "sales.csv:decimal=.") == [
        ["East", 2500], ["West", 1250]
    ]  # fmt: skip


@pytest.mark.parametrize(
    "option", ["decimal", "colour=red", "header=maybe", "other.csv:decimal=,", "type.amount=money"]
)
def test_a_way_to_read_that_means_nothing_is_wrong_use(
    assay: Assay, tmp_path: Path, option: str
) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("region,amount\nWest,1\n")
    ran = assay("ask", "total amount", "--data", path, "--read", option, "--json")
    assert ran.code == 2
    assert ran.json["error"]["reason"] == INVALID_ARGUMENT.code
    assert option in ran.json["error"]["message"]


def test_rows_that_do_not_fit_are_told_with_line_and_reason(assay: Assay, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_bytes(
        b"region,amount\nWest,1\nWest,2,3\nEast,4\n" + "Köln,5\nKöln,6\n".encode() + b"B\xfcrn,7\n"
    )
    ran = assay("ask", "total amount by region", "--data", path)
    assert ran.code == 0, ran.out + ran.err
    told = " ".join(ran.out.split())
    assert "2 rows do not fit the table and are kept aside" in told
    assert "line 3 (more cells than the header has names)" in told
    assert "line 7 (bytes that are no UTF-8)" in told


def test_a_compressed_file_is_read_here_and_uploaded_alike(assay: Assay, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv.gz"
    path.write_bytes(gzip.compress(b"region,amount\nWest,1\nEast,4\n"))
    assert records(assay, "total amount by region", "--data", path) == [["East", 4], ["West", 1]]
