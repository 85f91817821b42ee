"""How a call ended is a result or a reason, never both, never neither, and it took time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from assay.common.v1 import analysis_pb2
from mesh.tool import ErrorCategory, ToolError
from services.executor.call import Outcome
from services.executor.contract import observation_to
from services.executor.domain.artifact import Artifact

NOW = datetime(2026, 1, 2, tzinfo=UTC)
FILE = Artifact(
    artifact_id="c" * 32,
    request_id="0" * 32,
    artifact_type="chart",
    content_ref="charts/x.png",
    content_hash="0" * 64,
    metadata={},
    size_bytes=1,
    created_at=NOW,
    local_path="",
    media_type="image/png",
)


@pytest.mark.parametrize("category", list(ErrorCategory))
def test_a_failure_is_told_with_its_message_and_category(category: ErrorCategory) -> None:
    outcome = Outcome(seconds=0.5, error=ToolError(category, "it broke"))
    told = observation_to("b" * 32, outcome, NOW)
    assert told.status != analysis_pb2.OBSERVATION_STATUS_SUCCESS
    told_as = analysis_pb2.ErrorCategory.Name(told.error_category)
    assert (told.error_message, told_as) == ("it broke", f"ERROR_CATEGORY_{category.name}")
    assert told.execution_time.nanos == 500_000_000


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "has a frame or a file"),
        ({"error": ToolError(ErrorCategory.INTERNAL, "")}, "says why"),
        (
            {"error": ToolError(ErrorCategory.INTERNAL, "it broke"), "artifacts": (FILE,)},
            "has nothing else",
        ),
        ({"artifacts": (FILE,), "seconds": 0.0}, "takes time"),
    ],
)
def test_what_is_no_outcome_is_refused(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Outcome(**{"seconds": 0.5, **given})
