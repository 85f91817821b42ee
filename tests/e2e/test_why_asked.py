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
