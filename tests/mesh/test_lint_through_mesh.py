"""A statement is judged through the whole mesh: sized by the data, within policy, without a job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.common.v1 import checks_pb2, data_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from services.planner.domain.checks.examples import SHOP
from tests.mesh.support import Caller, refusal

_JOINED = "FROM orders o JOIN lines l ON l.order_id = o.order_id"


@pytest.fixture
def shop(tmp_path: Path) -> list[Path]:
    places = []
    for name, rows in SHOP.items():
        place = tmp_path / f"{name}.csv"
        place.write_text(rows, encoding="utf-8")
        places.append(place)
    return places


def of(
    sql: str,
    places: list[Path],
    *,
    fix: bool = False,
    question: str = "",
    policy: dict[str, Any] | None = None,
) -> jobs_pb.LintStatementRequest:
    return jobs_pb.LintStatementRequest(
        statement=sql,
        data_sources=[data_pb2.DataSource(file_path=str(place)) for place in places],
        policy=data_pb2.Policy(**(policy or {})),
        fix=fix,
        question=question,
    )


async def test_what_a_join_repeats_is_told_with_both_numbers_and_mended(
    ann: Caller, shop: list[Path]
) -> None:
    wanted = of(f"SELECT sum(o.freight) {_JOINED}", shop, fix=True)
    lint = (await ann.jobs.LintStatement(wanted)).lint
    (found,) = lint.findings

    assert (found.code, found.severity) == ("J01", checks_pb2.CHECK_SEVERITY_ERROR)
    assert (found.sizes["as_is"], found.sizes["once"]) == (98.0, 51.0)
    assert "EXISTS" in lint.fixed
    again = (await ann.jobs.LintStatement(of(lint.fixed, shop))).lint
    assert not again.findings and not again.unanswered


async def test_a_statement_is_held_to_the_words_that_it_answers(
    ann: Caller, shop: list[Path]
) -> None:
    asked = "What is the average freight?"
    lint = (
        await ann.jobs.LintStatement(of("SELECT sum(freight) FROM orders", shop, question=asked))
    ).lint

    assert [found.code for found in lint.findings] == ["W04"]


@pytest.mark.parametrize(
    ("sql", "policy", "reason"),
    [
        ("SELECT sum(", {}, "STATEMENT_FAILED"),
        ("SELECT nothing FROM orders", {}, "STATEMENT_FAILED"),
        ("DELETE FROM orders", {}, "SQL_REFUSED"),
        ("", {}, "QUESTION_EMPTY"),
        ("SELECT name FROM customers", {"allowed_columns": ["city"]}, "COLUMN_BLOCKED"),
    ],
)
async def test_what_cannot_be_judged_is_refused_in_words(
    ann: Caller, shop: list[Path], sql: str, policy: dict[str, list[str]], reason: str
) -> None:
    error = await refusal(ann.jobs.LintStatement(of(sql, shop, policy=policy)))

    assert error.reason.code == reason


async def test_what_is_masked_is_in_no_finding(ann: Caller, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    rows = "".join(f"{i},p{i}@example.com\n" for i in range(20))
    people.write_text("person,mail\n" + rows, encoding="utf-8")
    wanted = of(
        "SELECT count(*) FROM people WHERE mail = 'nobody'",
        [people],
        policy={"blocked_patterns": ["email"]},
    )
    lint = (await ann.jobs.LintStatement(wanted)).lint

    assert "example.com" not in str(lint)
