"""One home folder, several people at it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil

from tests.e2e.conftest import Assay


def test_two_questions_at_the_same_moment_both_succeed(
    assay: Assay, retailer: Path, tmp_path: Path
) -> None:
    database = f"sqlite:///{retailer / 'shop.sqlite'}"

    def ask(question: str) -> int:
        return assay("ask", question, "--db", database, "--json", home=tmp_path / "home").code

    with ThreadPoolExecutor(2) as both:
        questions = ["number of orders by channel", "number of products by category"]
        assert list(both.map(ask, questions)) == [0, 0]
    assert len(assay("jobs", home=tmp_path / "home").out.strip().splitlines()) == 3


def test_no_process_is_left_behind(assay: Assay, retailer: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    orders = retailer / "orders.csv"
    asked = ("ask", "number of orders by region", "--data", orders)
    assert assay(*asked, home=home, plain=True).code == 0
    left = [
        process
        for process in psutil.process_iter(["environ"])
        if (process.info["environ"] or {}).get("ASSAY_HOME") == str(home)
    ]
    assert left == []
    assert not (home / "mesh.json").exists()


def test_the_same_question_again_is_planned_from_its_recipe(
    assay: Assay, retailer: Path, tmp_path: Path
) -> None:
    home, orders = tmp_path / "home", retailer / "orders.csv"
    asked = ("--data", orders, "--json")
    first = assay("ask", "total quantity by month in 2024", *asked, home=home).json
    again = assay("ask", "total quantity by month in 2024", *asked, home=home).json
    other = assay("ask", "total quantity by month in 2025", *asked, home=home).json
    assert [r["answer"]["recipe"] for r in (first, again, other)] == [
        "recipe saved",
        "recipe used",
        "recipe adapted",
    ]
    assert first["table"]["records"] == again["table"]["records"]
    assert other["table"]["records"] != first["table"]["records"]
    assert {row["month"][:4] for row in other["table"]["records"]} == {"2025"}
