"""How files are read, told on the command line, and what was set aside, shown in the answer."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mesh.errors import INVALID_ARGUMENT, RESOURCE_EXHAUSTED
from tests.e2e.conftest import Assay
from tests.serving import mesh_up


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
        ["East", 2500],
        ["West", 1250],
    ]


def test_numbers_beyond_64_bits_keep_every_digit_to_the_last_file(
    assay: Assay, tmp_path: Path
) -> None:
    path = tmp_path / "atoms.csv"
    west, east = 123_456_789_012_345_678_901, 987_654_321_098_765_432_109
    path.write_text(f"region,amount\nWest,{west}\nEast,{east}\nWest,1\n")
    ran = assay("ask", "total amount by region", "--data", path, "--json")
    assert ran.code == 0, ran.out
    rows = sorted(list(record.values()) for record in ran.json["table"]["records"])
    assert rows == [["East", east], ["West", west + 1]]
    assert f"{west + 1 + east:,}" in ran.json["answer"]["text"]
    files = {Path(artifact["path"]).name: artifact["path"] for artifact in ran.json["artifacts"]}
    assert f'"West",{west + 1}\n' in Path(files["result.csv"]).read_text()
    assert f"| West | {west + 1:,} |" in Path(files["report.md"]).read_text()


def test_per_cent_in_cells_are_per_cent_in_the_answer(assay: Assay, tmp_path: Path) -> None:
    path = tmp_path / "margins.csv"
    path.write_text("region,margin\nWest,9.0%\nEast,12.5%\nWest,3.0%\n")
    ran = assay("ask", "average margin by region", "--data", path, "--json")
    assert ran.code == 0, ran.out
    assert "East (12.50 %), followed by West (6 %)" in ran.json["answer"]["text"]
    assert {claim["unit"] for claim in ran.json["answer"]["claims"]} == {"%"}


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


def test_rows_aside_are_told_of_the_file_of_a_folder_that_was_asked_about(
    assay: Assay, tmp_path: Path
) -> None:
    (tmp_path / "shops.csv").write_text("city,size\nRome,1\nOslo,2,3\n")
    (tmp_path / "sales.csv").write_text("region,amount\nWest,1\nWest,2,3\nEast,4\n")
    ran = assay("ask", "total amount by region", "--data", tmp_path, "--json")
    assert ran.code == 0, ran.out
    doubt, told = (caveat for caveat in ran.json["answer"]["caveats"] if "aside" in caveat)
    assert doubt.startswith("D04: 1 of 3 rows do not fit the table")
    assert "sales: 1 row does not fit the table and is kept aside: line 3" in told


def test_what_was_decided_is_told_once_and_can_be_overruled(assay: Assay, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("region;amount;spare\n;EUR;\nWest;1,5;a\nEast;2,5;b\nTotal;4,0;\n")
    asked = ("total amount by region", "--data", path)
    ran = assay("ask", *asked, "--json")
    answer = ran.json["answer"]
    read = {decision["option"]: decision for decision in answer["read"]}
    assert (read["delimiter"]["value"], read["decimal"]["value"]) == (";", ",")
    assert read["type.amount"]["because"] == 'written like "1,5"'
    assert "type.spare" not in read  # nothing was asked of it
    assert [caveat for caveat in answer["caveats"] if "Total" in caveat] == [
        'sales.csv: 1 row adds up others, line 5 ("Total 4,0"): left out'
    ]
    whole = records(assay, *asked, "--read", "skip-footer=0")
    assert whole == [["East", 2.5], ["Total", 4.0], ["West", 1.5]]
    report = next(a["path"] for a in ran.json["artifacts"] if a["path"].endswith("report.md"))
    assert "How the data was read" in Path(report).read_text()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A mesh that is reached over a port, so that files have to be uploaded to it."""
    with mesh_up(tmp_path_factory.mktemp("server")) as address:
        yield address


def test_packed_files_are_read_here_and_uploaded_alike(
    assay: Assay, server: str, tmp_path: Path
) -> None:
    one, several = tmp_path / "sales.csv.gz", tmp_path / "shop.zip"
    one.write_bytes(gzip.compress(b"region,amount\nWest,1\nEast,4\n"))
    with zipfile.ZipFile(several, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("2024/sales.csv", "region,amount\nWest,1\nEast,4\n")
        archive.writestr("../../regions.csv", "region,manager\nWest,Ada\nEast,Carl\n")
    for place in ((), ("--server", server)):
        by_region = records(assay, "total amount by region", "--data", one, *place)
        assert by_region == [["East", 4], ["West", 1]]
        by_manager = records(assay, "total amount by manager", "--data", several, *place)
        assert by_manager == [["Ada", 1], ["Carl", 4]]


def test_an_archive_that_unpacks_to_too_much_is_refused_by_name(
    assay: Assay, server: str, tmp_path: Path
) -> None:
    bomb = tmp_path / "shop.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sales.csv", b"West,1\n" * 10_000_000)
    ran = assay("ask", "total amount", "--data", bomb, "--server", server, "--json")
    assert ran.code == 1
    assert ran.json["error"]["reason"] == RESOURCE_EXHAUSTED.code
    assert ran.json["error"]["message"].startswith("sales.csv in shop.zip has ")
