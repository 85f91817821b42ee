"""`assay notebook`: what was answered is computed again by a kernel that knows no Assay."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.commands import command as prepared
from tests.e2e.conftest import Assay

pytestmark = pytest.mark.timeout(300)

SALES = """sale,region,product,net_price,sold_on
1,North,tea,10,2023-01-05
2,North,milk,20,2023-02-05
3,South,tea,30,2023-02-07
4,North,tea,40,2024-01-09
5,South,milk,50,2024-02-01
6,South,tea,60,2024-02-11
"""


def run(path: Path) -> Any:
    """The notebook with its outputs. Raises CellExecutionError."""
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    return book


def said_by(book: Any) -> str:
    """What its cells printed."""
    return "".join(
        output.get("text", "") for cell in book.cells for output in cell.get("outputs", [])
    )


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    file = tmp_path / "sales.csv"
    file.write_text(SALES)
    return file


def test_a_conversation_is_computed_again_and_other_data_are_noticed(
    assay: Assay, home: Path, tmp_path: Path, sales: Path
) -> None:
    from nbclient.exceptions import CellExecutionError

    lines = "roughly total net price by region\nonly 2024\n"
    talked = subprocess.run(
        [*prepared(), "chat", "--json", "--data", str(sales)],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ASSAY_HOME": str(home)},
    )
    conversation = json.loads(talked.stdout.splitlines()[0])["conversation"]
    path = tmp_path / "book" / "talk.ipynb"
    written = assay("notebook", conversation, "--to", path, "--json")
    assert written.code == 0 and len(written.json["jobs"]) == 2
    book = run(path)
    assert said_by(book).count("the same 2 rows as recorded") == 2
    words = "\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
    assert "only 2024" in words and "verify" in words and words.index("⚠") < words.index("South (")
    assert "attachment:" in words

    again = assay("notebook", conversation, "--to", path)
    assert again.code == 2 and "already" in again.err

    sales.write_text(SALES.replace("60", "61"))
    with pytest.raises(CellExecutionError, match="AssertionError"):
        run(path)


def test_a_session_is_computed_again_from_what_was_uploaded(
    assay: Assay, tmp_path: Path, sales: Path
) -> None:
    session = assay("session", "new", sales, "--json").json["session_id"]
    asked = ("ask", "total net price by region", "--session", session, "--timeout", "150")
    assert assay(*asked, seconds=200).code == 0
    sales.unlink()
    path = tmp_path / "session.ipynb"

    written = assay("notebook", session, "--to", path)

    assert written.code == 0, written.err
    assert (tmp_path / "session_rows" / "sales.csv").read_text() == SALES
    assert "the same 2 rows as recorded" in said_by(run(path))


def test_segments_of_an_investigation_are_computed_again(
    assay: Assay, tmp_path: Path, retailer: Path
) -> None:
    job = assay(
        "investigate",
        "--data",
        retailer / "orders.csv",
        "--metric",
        "sum(quantity)",
        "--baseline",
        "2024-02",
        "--compare",
        "2024-03",
        "--json",
        seconds=120,
    ).json["job"]
    path = tmp_path / "moved.ipynb"
    assert assay("notebook", job[:8], "--to", path).code == 0
    assert "rows as recorded" in said_by(run(path))
    assert "Not computed again" in path.read_text(encoding="utf-8")


def test_what_there_is_none_of_is_said(assay: Assay) -> None:
    found = assay("notebook", "feedbeef")
    assert found.code == 2 and "NOT_FOUND" in found.err
