"""Why did a metric move? Asked at the command line, in parameters and in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Assay
from tests.mesh.movements import write_orders

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_orders(tmp_path_factory.mktemp("orders") / "orders.csv")


def test_the_segment_that_broke_down_is_named(assay: Assay, orders: Path) -> None:
    ran = assay(
        "investigate",
        "--data",
        orders,
        "--metric",
        "sum(revenue)",
        "--baseline",
        "2024-02",
        "--compare",
        "2024-03",
        "--focus",
        "the web shop",
        "--timeout",
        "150",
        seconds=170,
    )

    assert ran.code == 0, ran.out + ran.err
    assert "North" in ran.out and "web" in ran.out and "report.html" in ran.out


def test_a_question_why_tells_its_periods_and_finds_the_same(assay: Assay, orders: Path) -> None:
    ran = assay(
        "ask",
        "why did revenue drop in March?",
        "--data",
        orders,
        "--json",
        "--timeout",
        "150",
        seconds=170,
    )

    assert ran.code == 0, ran.out + ran.err
    told = ran.json
    assert any(said in told["understood"] for said in ("2024-02-01", "February 2024"))
    assert "North" in told["answer"]["text"] and "web" in told["answer"]["text"]


def test_a_metric_that_nothing_splits_is_told_by_how_much_it_moved(
    assay: Assay, tmp_path: Path
) -> None:
    rows = [f"{n},2024-0{2 + n // 28}-{1 + n % 28:02d},{10 + n // 28}" for n in range(56)]
    file = tmp_path / "takings.csv"
    file.write_text("\n".join(["id,day,amount", *rows]))
    asked = ("--metric", "sum(amount)", "--baseline", "2024-02", "--compare", "2024-03")
    ran = assay("investigate", "--data", file, *asked, seconds=170)

    assert ran.code == 0, ran.out + ran.err
    said = " ".join(ran.out.split())
    assert "rose from 299.31 in February 2024" in said and "to 308 in March 2024" in said
    assert "not known: no column splits it" in said and "0 dimensions" in said
    assert "has no column that splits its rows into segments" in said


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--metric", "", "--baseline", "2024-02", "--compare", "2024-03"), "METRIC_SQL_REQUIRED"),
        (
            ("--metric", "sum(x", "--baseline", "2024-02", "--compare", "2024-03"),
            "METRIC_NOT_UNDERSTOOD",
        ),
        (
            ("--metric", "sum(revenue)", "--baseline", "2024-02", "--compare", "2033"),
            "NO_ROWS_IN_PERIOD",
        ),
        (
            ("--metric", "sum(revenue)", "--baseline", "spring", "--compare", "2024-03"),
            "INVALID_DATE_RANGE",
        ),
        (
            (
                "--metric",
                "sum(revenue)",
                "--baseline",
                "2024-02",
                "--compare",
                "2024-03",
                "--by",
                "colour",
            ),
            "NO_DIMENSIONS",
        ),
        (
            (
                "--metric",
                "sum(revenue)",
                "--baseline",
                "2024-02",
                "--compare",
                "2024-03",
                "--time",
                "region",
            ),
            "NO_TIME_COLUMN",
        ),
    ],
)
def test_bad_input_is_refused_by_its_code_with_what_to_do(
    assay: Assay, orders: Path, arguments: tuple[str, ...], code: str
) -> None:
    ran = assay("investigate", "--data", orders, *arguments, "--json", seconds=120)

    assert ran.code != 0
    assert ran.json["error"]["reason"] == code, ran.out
    assert ran.json["error"]["hint"].endswith(".")
