"""`from assay import ask`: in a plain script, and in a kernel, whose event loop runs already."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(200)

SALES = """sale,region,net_price,sold_on
1,North,10,2023-01-05
2,<b>South</b>,30,2023-02-07
3,North,40,2024-01-09
"""
ASKING = """
from assay import ask
answer = ask("roughly total net price by region", data={data!r}, home={home!r})
assert answer.frame.iloc[:, 1].tolist() == [50, 30], answer.frame
assert answer.proof.ok and answer.doubts and answer.chart.exists()
assert "40" in repr(answer.follow_up("only 2024"))
"""


@pytest.fixture
def code(tmp_path: Path) -> str:
    data = tmp_path / "sales.csv"
    data.write_text(SALES)
    return ASKING.format(data=str(data), home=str(tmp_path / "home"))


def test_a_script_ends_as_quietly_as_it_began(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code + "\nprint(answer)"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.index("roughly") < done.stdout.index("50")
    assert "proof: " in done.stdout and "Traceback" not in done.stdout


def test_a_kernel_shows_doubts_table_chart_and_proof(code: str) -> None:
    import nbformat
    from nbclient import NotebookClient

    cells: list[dict[str, object]] = [
        {
            "cell_type": "code",
            "id": name,
            "metadata": {},
            "source": source,
            "execution_count": None,
            "outputs": [],
        }
        for name, source in (("ask", code), ("show", "answer"))
    ]
    book = nbformat.from_dict(  # type: ignore[no-untyped-call]
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    )
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    shown = book.cells[1].outputs[0]["data"]["text/html"]
    assert shown.index("roughly") < shown.index("<strong>") < shown.index("<table")
    assert "data:image/png;base64," in shown and "chain and tree valid" in shown
    assert "&lt;b&gt;South" in shown and "<b>South" not in shown


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys, assay; print([name for name in sys.modules if name.startswith('clients')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
