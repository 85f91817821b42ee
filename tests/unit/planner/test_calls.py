"""A call is one of at most three attempts, a file has a hash, and what is partial says so."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from services.planner.domain.calls import (
    Artifact,
    Frame,
    Observation,
    ObservationStatus,
    ToolCall,
    partial,
)

NOW = datetime(2026, 1, 2, tzinfo=UTC)
CALL = ToolCall(
    call_id="c" * 32,
    plan_id="d" * 32,
    task_id="load",
    tool_name="sql.run",
    arguments={},
    timestamp=NOW,
)
FILE = Artifact(
    artifact_id="c" * 32,
    request_id="0" * 32,
    artifact_type="chart",
    content_ref="charts/x.png",
    content_hash="0" * 64,
    size_bytes=1,
    created_at=NOW,
    metadata={"title": "Sales"},
)
FRAME = Frame(name="load", schema_base64="", rows=1, columns=1, bytes=8, digest="f" * 64)


def test_a_call_is_the_first_attempt_unless_it_says_otherwise() -> None:
    assert CALL.attempt_number == 1
    for number in (1, 2, 3):
        assert ToolCall(**{**CALL.model_dump(), "attempt_number": number}).attempt_number == number


@pytest.mark.parametrize("number", [0, 4])
def test_a_step_is_tried_three_times_and_no_more(number: int) -> None:
    with pytest.raises(ValidationError, match="attempt_number"):
        ToolCall(**{**CALL.model_dump(), "attempt_number": number})


@pytest.mark.parametrize("content_hash", ["", "0" * 63, "0" * 65, "G" * 64])
def test_a_file_without_a_hash_is_none(content_hash: str) -> None:
    with pytest.raises(ValidationError, match="content_hash"):
        Artifact(**{**FILE.model_dump(), "content_hash": content_hash})


def test_a_partial_file_is_the_same_file_and_says_that_it_belongs_to_no_answer() -> None:
    marked = partial(FILE)
    assert marked.metadata == {"title": "Sales", "partial": True}
    assert marked.model_copy(update={"metadata": FILE.metadata}) == FILE


@pytest.mark.parametrize("result", [{"frame": FRAME}, {"artifacts": (FILE,)}])
def test_an_observation_with_a_frame_or_a_file_comes_back_as_it_was_kept(
    result: dict[str, object],
) -> None:
    seen = Observation.model_validate(
        {
            "observation_id": "a" * 32,
            "call_id": "b" * 32,
            "timestamp": NOW,
            "status": ObservationStatus.SUCCESS,
            "execution_time_seconds": 0.1,
            **result,
        }
    )
    assert seen.succeeded
    assert Observation.model_validate(seen.model_dump(mode="json")) == seen
