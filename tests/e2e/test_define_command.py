"""`assay define` as people use it: proposed, shown, decided, and gone by."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.conftest import Assay

ORDERS = """id,placed_on,shipped_on,quantity,price
1,2024-01-03,2024-02-10,2,10
2,2024-02-01,2024-03-05,5,4
3,2024-03-09,2024-03-12,4,12
"""


def test_a_definition_from_proposal_to_answer(assay_here: Assay, tmp_path: Path) -> None:
    file = tmp_path / "orders.csv"
    file.write_text(ORDERS, encoding="utf-8")
    made = assay_here(
        *("define", "propose", "--metric", "orders.net = quantity * price * 0.5"),
        *("--time", "orders = shipped_on", "--because", "the annual report", "--data", file),
    )
    assert made.code == 0, made.out
    words = " ".join(made.out.split())
    assert "pending: it changes nothing until a person approves it" in words
    assert "measured net is computed over the 3 rows of orders" in words
    assert "shipped_on goes from 2024-02-10 to 2024-03-12" in words
    short = made.out.split()[-1]

    assert "metric net of orders, time of orders" in " ".join(
        assay_here("define", "list").out.split()
    )
    approved = assay_here("define", "approve", short)
    assert approved.code == 0 and "approved" in approved.out

    answer = json.loads(assay_here("ask", "net by month", "--data", file, "--json").out)
    assert "rose from 10 in February 2024 to 34 in March 2024" in answer["answer"]["text"], answer

    kept = assay_here("define", "retire", short)
    assert kept.code == 2 and "Give a reason" in kept.out + kept.err
    assert assay_here("define", "retire", short, "--because", "it was wrong").code == 0
    shown = " ".join(assay_here("define", "show", short).out.split())
    assert "retired by" in shown and "it was wrong" in shown
    assert json.loads(assay_here("define", "list", "--pending", "--json").out) == {
        "definitions": []
    }


def test_what_cannot_be_is_refused_with_what_to_write(assay_here: Assay, tmp_path: Path) -> None:
    file = tmp_path / "orders.csv"
    file.write_text(ORDERS, encoding="utf-8")
    unknown = assay_here("define", "propose", "--time", "orders = placed", "--data", file)
    assert unknown.code == 2 and 'did you mean "placed_on"?' in " ".join(
        (unknown.out + unknown.err).split()
    )
    nothing = assay_here("define", "propose", "--data", file)
    assert nothing.code == 2 and "--metric, --join" in nothing.err
