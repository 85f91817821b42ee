"""`assay lint` as people and scripts use it: words, exit codes, JSON, the statement mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.planner.domain.checks.examples import SHOP
from tests.e2e.conftest import Assay

_REPEATED = "select sum(freight) from orders join lines using (order_id)"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    for name, rows in SHOP.items():
        (folder / f"{name}.csv").write_text(rows, encoding="utf-8")
    return folder


def test_a_fault_is_told_with_its_size_and_a_way_out(assay_here: Assay, shop: Path) -> None:
    told = assay_here("lint", _REPEATED, "--data", shop, "--fix")

    assert told.code == 1
    text = " ".join(told.out.split())
    assert "error J01" in text and "98 over 9 rows where each of 5 once gives 51" in text
    assert "mended SELECT SUM(orders.freight) FROM orders WHERE EXISTS(" in text


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("select sum(freight) from orders", 0),
        ("select count(*) from orders where region <> 'North'", 6),
        ("select count(*) from customers where city = 'oslo'", 1),
        ("select sum(", 1),
        ("delete from orders", 3),
    ],
)
def test_exit_codes_tell_how_grave_it_is(
    assay_here: Assay, shop: Path, sql: str, code: int
) -> None:
    assert assay_here("lint", sql, "--data", shop).code == code


def test_json_holds_every_finding(assay_here: Assay, shop: Path) -> None:
    told = assay_here("lint", _REPEATED, "--data", shop, "--json", "--fix")
    value = json.loads(told.out)

    assert [one["code"] for one in value["findings"]] == ["J01"]
    assert value["findings"][0]["sizes"]["once"] == 51
    assert value["fixed"].startswith("SELECT SUM(")
    assert value["exit_code"] == told.code == 1


def test_a_statement_that_is_run_is_doubted_alike(assay_here: Assay, shop: Path) -> None:
    told = assay_here("sql", _REPEATED, "--data", shop)

    assert told.code == 0
    assert "doubtful" in told.out and "J01" in told.out, told.out
    assert told.out.index("J01") < told.out.index("answer")
