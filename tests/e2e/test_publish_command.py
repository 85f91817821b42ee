"""`assay publish` as people and scripts use it: a page, its proofs, nothing where a text fails."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.conftest import Assay
from tests.e2e.test_check_command import BY_YEAR, SALES
from tests.e2e.test_notebook_command import run
from tests.unit.clients.test_published_page import Read

TEXT = """# Sales by region

The North rose from {100.5|f1.sold[1996, North]} to {150|f1.sold[1997, North]}.
In 1996 the South sold for {200|f2.most}.
"""
OF_ONE_FRAME = TEXT[: TEXT.index("In 1996 the South")]


@pytest.fixture
def session(assay_here: Assay, tmp_path: Path) -> str:
    file = tmp_path / "sales.csv"
    file.write_text(SALES, encoding="utf-8")
    session = str(assay_here("session", "new", "--json").json["session_id"])
    # Another name than in the file: of tables with the same columns a doubt is told.
    by_year = BY_YEAR.replace("as revenue", "as sold")
    for sql, more in ((by_year, ("--data", file)), ("select max(sold) as most from f1", ())):
        told = assay_here("sql", sql, "--session", session, *more, "--json")
        assert told.code == 0, told.out
    return session


def test_a_text_becomes_a_page_with_its_proofs(
    assay_here: Assay, tmp_path: Path, session: str
) -> None:
    text, plain = tmp_path / "report.md", tmp_path / "plain.md"
    text.write_text(TEXT, encoding="utf-8")
    told = assay_here("publish", text, "--session", session[:8], "--markdown", plain, "--json")
    assert told.code == 0, told.out + told.err
    said = told.json
    page, proof = tmp_path / "report.html", tmp_path / "report.proof"
    assert (said["ok"], said["page"], said["proof"]) == (True, str(page), str(proof))
    assert sha256(page.read_bytes()).hexdigest() == said["page_sha256"]
    assert sha256(text.read_bytes()).hexdigest() == said["text_sha256"]

    written = page.read_text(encoding="utf-8")
    read = Read(written)
    assert not read.open and not read.nested and not read.dangling and "script" not in read.tags
    assert "<title>Sales by region</title>" in written and "over sales" in written
    for name in ("f1", "f2"):
        bundle = proof / f"{name}.zip"
        digest = sha256(bundle.read_bytes()).hexdigest()
        assert digest in written and f"assay verify report.proof/{name}.zip" in written
        assert digest in (proof / "manifest.json").read_text(encoding="utf-8")
        assert assay_here("verify", bundle).code == 0
    assert "to 150[^2]" in plain.read_text(encoding="utf-8")
    assert sorted(each.name for each in tmp_path.iterdir() if each.name[0] == ".") == []

    again = assay_here("publish", text, "--session", session)
    assert again.code == 0 and "all of 3 bindings to 2 frames hold" in again.out
    assert f"assay page show {said['publication_id'][:8]}" in written
    page.write_text("somebody's work", encoding="utf-8")
    refused = assay_here("publish", text, "--session", session)
    assert refused.code == 2 and page.read_text(encoding="utf-8") == "somebody's work"


def test_a_page_is_found_and_taken_back(
    assay_here: Assay, tmp_path: Path, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, copy = tmp_path / "report.md", tmp_path / "copy.html"
    text.write_text(OF_ONE_FRAME, encoding="utf-8")
    said = assay_here("publish", text, "--session", session)
    manifest = json.loads((tmp_path / "report.proof" / "manifest.json").read_bytes())
    publication = manifest["publication_id"]
    assert said.code == 0 and f"assay page show {publication[:8]}" in said.out

    newest = assay_here("page", "list", "--json").json["pages"][0]
    assert newest["publication_id"] == publication and newest["revoked"] is None
    assert [one["name"] for one in newest["frames"]] == ["f1"]
    assert assay_here("page", "list", "--user", "bob").out.startswith("no pages yet")
    shown = assay_here("page", "show", publication[:8], "--to", copy)
    assert shown.code == 0 and "Sales by region" in shown.out and "copy.html" in shown.out
    assert sha256(copy.read_bytes()).hexdigest() == manifest["page_sha256"]
    monkeypatch.chdir(tmp_path)
    assert assay_here("page", "show", publication).code == 0
    assert (tmp_path / f"assay-page-{publication[:8]}.html").read_bytes() == copy.read_bytes()
    strange = assay_here("page", "show", publication, "--user", "bob")
    assert strange.code == 2 and "NOT_FOUND" in strange.err

    assert assay_here("page", "revoke", publication[:8]).code == 2, "without a reason"
    ended = assay_here("page", "revoke", publication[:8], "--because", "a region was missing")
    assert ended.code == 0 and "a region was missing" in ended.out
    copy.unlink()
    gone = assay_here("page", "show", publication[:8], "--to", copy)
    assert gone.code == 1 and "PAGE_REVOKED" in gone.err and not copy.exists()
    assert "by local: a region was missing." in " ".join(gone.err.split())
    assert "revoked" in assay_here("page", "list").out
    assert assay_here("page", "show", "feedbeef").code == 2


def test_a_page_whose_files_cannot_be_written_does_not_stand(
    assay_here: Assay, tmp_path: Path, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr("clients.python.publishing.writing._put", full)
    text = tmp_path / "report.md"
    text.write_text(OF_ONE_FRAME, encoding="utf-8")
    told = assay_here("publish", text, "--session", session)
    assert told.code == 2 and "no space left" in " ".join(told.err.split())
    newest = assay_here("page", "list", "--json").json["pages"][0]
    assert newest["revoked"]["reason"] == "its files cannot be written"


def test_a_page_is_a_notebook_that_reads_its_bundles(
    assay_here: Assay, tmp_path: Path, session: str
) -> None:
    from nbclient.exceptions import CellExecutionError

    text, book = tmp_path / "report.md", tmp_path / "books" / "report.ipynb"
    text.write_text(OF_ONE_FRAME, encoding="utf-8")
    command = ("publish", text, "--session", session, "--notebook", book, "--json")
    told = assay_here(*command)
    assert told.code == 0 and told.json["notebook"] == str(book), told.out + told.err
    cells = run(book).cells
    words = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert "The North rose from 100.5<sup>1</sup> to 150<sup>2</sup>." in words
    assert "- 2: f1, sold, row 3: 150" in words
    shown = [cell.outputs[0]["data"]["text/plain"] for cell in cells if cell.get("outputs")]
    assert len(shown) == 1 and ["3", "1997", "North", "150.0"] in [
        line.split() for line in shown[0].splitlines()
    ], "row 3 of the list is row 3 of the table"

    assert assay_here(*command).code == 0, "it is replaced"
    bundle = tmp_path / "report.proof" / "f1.zip"
    bundle.write_bytes(bundle.read_bytes() + b" ")
    with pytest.raises(CellExecutionError, match="not the bundle that was published"):
        run(book)
    book.write_text("{}", encoding="utf-8")
    assert assay_here(*command).code == 2, "it is somebody's work"


def test_a_text_that_fails_is_told_as_by_check_and_nothing_is_written(
    assay_here: Assay, tmp_path: Path, session: str
) -> None:
    text = tmp_path / "report.md"
    text.write_text(TEXT.replace("rose", "fell"), encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    failed = assay_here("publish", text, "--session", session)
    assert failed.code == 1
    assert failed.out == assay_here("check", text, "--session", session).out
    assert (
        json.loads(assay_here("publish", text, "--session", session, "--json").out)["ok"] is False
    )
    assert sorted(tmp_path.iterdir()) == before
    assert assay_here("publish", "-", "--session", session).code == 2


def test_a_contested_frame_is_published_with_a_reason_alone(
    assay_here: Assay, tmp_path: Path, session: str
) -> None:
    sql = (
        "select year, region, sum(revenue) as revenue from sales where region = region "
        "group by all order by all"
    )
    assert assay_here("sql", sql, "--session", session).code == 0
    text = tmp_path / "report.md"
    text.write_text("In 1996 the North took {100.5|f3.revenue[1996, North]}.\n", encoding="utf-8")
    refused = assay_here("publish", text, "--session", session)
    assert refused.code == 1 and "f3" in refused.out and not (tmp_path / "report.html").exists()
    accepted = assay_here(
        "publish", text, "--session", session, "--accept", "f3=no region is empty"
    )
    assert accepted.code == 0, accepted.out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("[f3 is contested; accepted: no region is empty]") == 2
    manifest = json.loads((tmp_path / "report.proof" / "manifest.json").read_bytes())
    assert manifest["accepted"] == {"f3": "no region is empty"}
    later = "select year, sum(revenue) as yearly from f3 group by year order by year"
    assert assay_here("sql", later, "--session", session).code == 0
    text.write_text("In 1996 they took {300.5|f4.yearly[1996]}.\n", encoding="utf-8")
    assert assay_here("publish", text, "--session", session).code == 1, "it is computed from f3"
    text.write_text("In 1996 the North took {100.5|f3.revenue[1996, North]}.\n", encoding="utf-8")
    for wrong in (("--accept", "f3"), ("--accept", "f3=x", "--accept", "f1=y")):
        assert assay_here("publish", text, "--session", session, *wrong).code == 2
