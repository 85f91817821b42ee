"""Bad input: one clear message with a reason code, a documented exit code, no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Assay
from tests.serving import Ran


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    (folder / "ok.csv").write_text("region,amount,salary\nWest,3,10\nEast,4,20\nWest,5,90\n")
    (folder / "empty.csv").write_bytes(b"")
    (folder / "header.csv").write_text("a,b,c\n")
    (folder / "nothing_in_it").mkdir()
    (folder / "duplicate.csv").write_text("amount,amount,city\n1,2,Rome\n4,5,Bonn\n")
    names = [f"column_{i}" for i in range(300)]  # of 2,000: tests/mesh/test_bad_input.py
    (folder / "wide.csv").write_text(f"{','.join(names)}\n{','.join(['2'] * 300)}\n")
    (folder / "one_row.csv").write_text("city,amount\nRome,7\n")
    (folder / "one_column.csv").write_text("amount\n1\n2\n3\n")
    (folder / "nulls.csv").write_text("city,amount\n" + ",\n" * 4)
    (folder / "mixed.csv").write_text("city,amount\nRome,1\nBonn,two\nOslo,3.5\nRome,2020-01-01\n")
    (folder / "latin.csv").write_bytes("city,amount\nMünchen,3\nKöln,4\n".encode("latin-1"))
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 20)
    return folder


def ask(assay_here: Assay, question: str, *arguments: object) -> Ran:
    return assay_here("ask", question, *arguments, "--json")


REFUSED = [
    ("total amount", ["--data", "missing.csv"], "SOURCE_NOT_FOUND", 2),
    ("total amount", ["--data", "empty.csv"], "SOURCE_EMPTY", 1),
    ("total a", ["--data", "header.csv"], "SOURCE_EMPTY", 1),
    ("total amount", ["--data", "nothing_in_it"], "SOURCE_NOT_FOUND", 2),
    ("total amount", ["--db", "sqlite:///missing.sqlite"], "SOURCE_NOT_FOUND", 2),
    ("total amount", ["--db", "mongodb://ann:secret@host/db"], "SOURCE_NOT_SUPPORTED", 2),
    ("x" * 2001, ["--data", "ok.csv"], "QUESTION_TOO_LONG", 2),
    ("  ", ["--data", "ok.csv"], "QUESTION_EMPTY", 2),
    ("what is the meaning of life", ["--data", "ok.csv"], "NOTHING_UNDERSTOOD", 1),
    ("total amount", ["--data", "ok.csv", "--row-limit", "0"], "LIMIT_OUT_OF_RANGE", 2),
    ("total amount", ["--data", "ok.csv", "--row-limit", "200001"], "LIMIT_OUT_OF_RANGE", 2),
    ("total amount", ["--data", "ok.csv", "--timeout", "181"], "LIMIT_OUT_OF_RANGE", 2),
    ("total amount", ["--data", "ok.csv", "--deliverable", "poem"], "UNKNOWN_DELIVERABLE", 2),
    ("average salary", ["--data", "ok.csv", "--block-pattern", "salary"], "COLUMN_BLOCKED", 3),
    ("average salary", ["--data", "ok.csv", "--allow-column", "amount"], "COLUMN_BLOCKED", 3),
    ("amount of a@b.org", ["--data", "ok.csv", "--block-pattern", "email"], "QUESTION_BLOCKED", 3),
    ("total amount", ["--data", "binary.csv"], "SOURCE_NOT_READABLE", 1),
    ("number of rows", ["--data", "nulls.csv"], "SOURCE_EMPTY", 1),
    ("total amount", [], "NO_DATA_SOURCES", 2),
]


def test_what_lies_on_the_web_and_is_not_there_is_told(assay_here: Assay) -> None:
    ran = assay_here("look", "https://a.example/flights.csv")
    assert (ran.code, ran.out) == (4, "")
    assert "SOURCE_UNREACHABLE" in ran.err and "a.example" in ran.err


@pytest.mark.parametrize(("question", "arguments", "reason", "code"), REFUSED)
def test_a_refusal_names_its_reason_and_exits_as_documented(
    question: str,
    arguments: list[str],
    reason: str,
    code: int,
    assay_here: Assay,
    home: Path,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(files)
    before = sorted(path for path in (home / "artifacts").rglob("*") if path.is_file())
    ran = ask(assay_here, question, *arguments)
    assert ran.json["error"]["reason"] == reason
    assert ran.code == code
    assert "Traceback" not in ran.out + ran.err
    assert "secret" not in ran.out + ran.err
    assert sorted(p for p in (home / "artifacts").rglob("*") if p.is_file()) == before


ANSWERED: list[tuple[str, str, list[list[object]]]] = [
    ("total amount by city", "duplicate.csv", [["Bonn", 4], ["Rome", 1]]),
    ("average column_7", "wide.csv", [[2]]),
    ("total amount by city", "latin.csv", [["Köln", 4], ["München", 3]]),
    ("number of rows by city", "mixed.csv", [["Bonn", 1], ["Oslo", 1], ["Rome", 2]]),
    ("total amount by city", "one_row.csv", [["Rome", 7]]),
    ("total amount", "one_column.csv", [[6]]),
]


@pytest.mark.parametrize(("question", "name", "rows"), ANSWERED)
def test_odd_data_is_answered_all_the_same(
    question: str, name: str, rows: list[list[object]], assay_here: Assay, home: Path, files: Path
) -> None:
    ran = ask(assay_here, question, "--data", files / name)
    assert ran.code == 0, ran.out
    assert sorted(list(record.values()) for record in ran.json["table"]["records"]) == rows


def test_nothing_but_nulls_is_an_honest_answer_or_a_clear_refusal(
    assay_here: Assay, home: Path, files: Path
) -> None:
    ran = ask(assay_here, "total amount by city", "--data", files / "nulls.csv")
    assert ran.code in (0, 1)
    assert "Traceback" not in ran.out + ran.err


def test_a_refused_request_is_in_the_log(assay_here: Assay, home: Path, files: Path) -> None:
    arguments = ("--data", files / "ok.csv", "--block-pattern", "salary")
    job = ask(assay_here, "average salary", *arguments).json["job"]
    ran = assay_here("show", job, "--jsonl")
    entries = [json.loads(line) for line in ran.out.splitlines()]
    assert [entry["event_type"] for entry in entries] == ["request_submitted", "policy_decision"]
    assert entries[1]["event_data"]["decision"] == "refused"


def test_a_changed_file_is_found_and_named(assay_here: Assay, home: Path, files: Path) -> None:
    answer = ask(assay_here, "total amount by region", "--data", files / "ok.csv").json
    table = next(a for a in answer["artifacts"] if a["type"] == "table")
    Path(table["path"]).write_text("region,total amount\nWest,800\n")
    ran = assay_here("verify", answer["job"])
    assert ran.code == 5
    assert "result.csv" in ran.out
