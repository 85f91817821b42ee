"""What comes back from a call is a result or a failure that says what went wrong (seed 000, 4)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from pydantic import ValidationError

from assay.common.v1 import analysis_pb2
from mesh.tool import ErrorCategory
from services.planner.contract.calls import observation_from
from services.planner.domain.calls import Artifact, Observation, ObservationStatus

NOW = datetime(2026, 1, 2, tzinfo=UTC)
FILE = Artifact(
    artifact_id="c" * 32,
    request_id="0" * 32,
    artifact_type="chart",
    content_ref="charts/x.png",
    content_hash="0" * 64,
    size_bytes=1,
    created_at=NOW,
)
FAILURES = [status for status in ObservationStatus if status is not ObservationStatus.SUCCESS]


def observation(status: ObservationStatus, **given: Any) -> Observation:
    about = {"observation_id": "a" * 32, "call_id": "b" * 32, "timestamp": NOW}
    return Observation(**{**about, "status": status, "execution_time_seconds": 0.1, **given})


@pytest.mark.parametrize("status", FAILURES)
@pytest.mark.parametrize("category", list(ErrorCategory))
def test_a_failure_tells_its_message_and_category(
    status: ObservationStatus, category: ErrorCategory
) -> None:
    seen = observation(status, error_message="it broke", error_category=category.value)
    assert not seen.succeeded


@pytest.mark.parametrize("status", FAILURES)
@pytest.mark.parametrize(
    "told",
    [
        {},
        {"error_message": "it broke"},
        {"error_category": "sql_syntax"},
        {"error_message": "", "error_category": "sql_syntax"},
        {"error_message": "it broke", "error_category": ""},
        {"error_message": "it broke", "error_category": "bad luck"},
    ],
)
def test_a_failure_without_message_or_known_category_is_none(
    status: ObservationStatus, told: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError):
        observation(status, **told)


def test_a_success_has_data_and_no_error() -> None:
    assert observation(ObservationStatus.SUCCESS, artifacts=(FILE,)).succeeded
    with pytest.raises(ValidationError, match="needs a frame or a file"):
        observation(ObservationStatus.SUCCESS)
    for error in ({"error_message": "it broke"}, {"error_category": "internal"}):
        with pytest.raises(ValidationError, match="tells of no error"):
            observation(ObservationStatus.SUCCESS, artifacts=(FILE,), **error)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_every_call_takes_time(seconds: float) -> None:
    with pytest.raises(ValidationError):
        observation(ObservationStatus.SUCCESS, artifacts=(FILE,), execution_time_seconds=seconds)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"error_category": 0}, "error_category"),
        ({"error_message": ""}, "error_message"),
        ({"error_category": 99}, "error_category"),
        ({"execution_time": None}, "execution_time_seconds"),
    ],
)
def test_what_an_executor_sends_is_held_to_the_same(change: Any, complaint: str) -> None:
    message = analysis_pb2.Observation(
        observation_id="a" * 32,
        call_id="b" * 32,
        status=analysis_pb2.OBSERVATION_STATUS_ERROR,
        error_message="it broke",
        error_category=analysis_pb2.ERROR_CATEGORY_SQL_SYNTAX,
        execution_time=Duration(nanos=1),
    )
    assert observation_from(message).error_category == "sql_syntax"
    for name, value in change.items():
        message.ClearField(name)
        if value:
            setattr(message, name, value)
    with pytest.raises(ValidationError, match=complaint):
        observation_from(message)
