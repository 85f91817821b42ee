"""Policy is checked on the question itself, before any table is chosen."""

from __future__ import annotations

from datetime import UTC, datetime

from mesh.policy import Policy
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.permission import column_refused, question_refused
from services.planner.domain.question import AnalysisRequest


def table(name: str, *columns: str) -> Table:
    return Table(
        name=name,
        source_name=name,
        rows=1,
        columns=tuple(
            Column(name=c, data_type=DataType.STRING, role=ColumnRole.DIMENSION) for c in columns
        ),
    )


CATALOGUE = Catalogue(tables=(table("Employees", "Name", "City"),))


def test_a_blocked_column_asked_for_by_name_is_refused() -> None:
    refused = column_refused("average salary by city", ["Employees.Salary"], CATALOGUE)
    assert refused is not None
    assert refused.reason.code == "COLUMN_BLOCKED"
    assert refused.message == "not permitted: column Employees.Salary is blocked by policy"


def test_plural_and_camel_case_are_seen_through() -> None:
    assert column_refused("list home phones", ["Employees.HomePhone"], CATALOGUE)


def test_a_name_that_an_allowed_column_bears_too_is_not_held_against_the_question() -> None:
    assert column_refused("employees by city", ["Stores.City"], CATALOGUE) is None


def test_a_question_that_does_not_mention_it_passes() -> None:
    assert column_refused("employees by name", ["Employees.Salary"], CATALOGUE) is None


def asked(question: str) -> AnalysisRequest:
    return AnalysisRequest(
        request_id="0" * 32,
        intent=question,
        policy=Policy(blocked_patterns=("email",)),
        timestamp=datetime(2024, 5, 6, tzinfo=UTC),
    )


def test_personal_data_in_the_question_is_refused() -> None:
    refused = question_refused(asked("orders of ann@example.org"))
    assert refused is not None
    assert refused.reason.code == "QUESTION_BLOCKED"
    assert "ann@example.org" not in refused.message
    assert question_refused(asked("orders by country")) is None


def test_what_is_kept_of_a_refused_question_is_without_it_and_still_refused() -> None:
    kept = asked("orders of ann@example.org by country").without_personal_data()
    assert kept.intent == "orders of [blocked] by country"
    assert str(question_refused(kept)) == str(question_refused(asked("ann@example.org")))
    assert kept.without_personal_data() == kept
    plain = asked("orders by country")
    assert plain.without_personal_data() == plain
