"""Tool calls and what comes back (seed 000, sections 3, 4 and 6)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from mesh.ids import derived_id
from services.planner.domain.catalogue import Frozen

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ATTEMPTS = 3
_BROKEN_OFF = "broken off"
_LEAST_SECONDS = 1e-6
"""What a call took of which the clock saw no time pass."""
PARTIAL = "partial"
"""What marks a file, in its metadata, as one that belongs to no answer."""


class ToolCall(Frozen):
    """One attempt at one step of a plan. Repeating a call with the same id runs nothing twice."""

    call_id: str
    plan_id: str
    task_id: str
    tool_name: str
    arguments: dict[str, Any]
    timestamp: datetime
    attempt_number: int = Field(default=1, ge=1, le=MAX_ATTEMPTS)
    change_reason: str = ""


def call_id_of(plan_id: str, task_id: str, attempt: int) -> str:
    """The id of an attempt at a step of a plan: made again, it is the same call."""
    return derived_id(plan_id, "call", task_id, str(attempt))


class ObservationStatus(StrEnum):
    """How a call went."""

    SUCCESS = "success"
    ERROR = "error"
    TIMEOUT = "timeout"
    RESOURCE_LIMIT = "resource_limit"


class Frame(Frozen):
    """A table in Arrow by name: where its rows are, never the rows themselves."""

    name: str
    schema_base64: str
    rows: int
    columns: int
    bytes: int
    digest: str
    locations: tuple[tuple[str, str], ...] = ()

    @property
    def arrow_schema(self) -> pa.Schema | None:
        """Its columns with their types; None where it says none."""
        if not self.schema_base64:
            return None
        import pyarrow as pa  # what lists jobs never needs it

        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(self.schema_base64)))

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of its columns; none where they are not known."""
        schema = self.arrow_schema
        return tuple(schema.names) if schema is not None else ()


class Artifact(Frozen):
    """A file for people, with its hash."""

    artifact_id: str
    request_id: str
    artifact_type: str
    content_ref: str
    content_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    metadata: dict[str, Any] = Field(default_factory=dict)
    size_bytes: int
    created_at: datetime
    local_path: str = ""
    media_type: str = ""


def picture_of(artifacts: Sequence[Artifact]) -> str | None:
    """The place of the first chart among files; None where there is none."""
    charts = (one.content_ref for one in artifacts if one.artifact_type == "chart")
    return next(charts, None)


def partial(artifact: Artifact) -> Artifact:
    """The same file, marked as made by a job, or by a plan of it, that came to no answer."""
    return artifact.model_copy(update={"metadata": {**artifact.metadata, PARTIAL: True}})


ErrorCategory = Annotated[
    str,
    Field(
        pattern=r"^(sql_syntax|type_mismatch|missing_column|resource_exhausted|policy_denied"
        r"|invalid_arguments|cancelled|internal)$"
    ),
]
"""Why a call failed: the four of seed 000 and those that no changed call can mend."""


class Observation(Frozen):
    """What came back from a call: a frame, files and notes, or what went wrong; never both.

    `record_seal` tells what the executor keeps of the call from anything else; older versions and
    failures have none.
    """

    observation_id: str
    call_id: str
    status: ObservationStatus
    frame: Frame | None = None
    artifacts: tuple[Artifact, ...] = ()
    summary: str = ""
    notes: tuple[str, ...] = ()
    error_message: str | None = None
    error_category: ErrorCategory | None = None
    error_details: dict[str, Any] = Field(default_factory=dict)
    execution_time_seconds: float = Field(gt=0)
    row_count: int | None = None
    timestamp: datetime
    record_seal: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Observation:
        if self.status is ObservationStatus.SUCCESS:
            if self.frame is None and not self.artifacts:
                raise ValueError("a successful observation needs a frame or a file")
            if self.error_message or self.error_category:
                raise ValueError("a successful observation tells of no error")
        elif not (self.error_message and self.error_category):
            raise ValueError("a failed observation needs error_message and error_category")
        return self

    @property
    def succeeded(self) -> bool:
        """Whether the call gave a result."""
        return self.status is ObservationStatus.SUCCESS


def broken_off(call: ToolCall, status: ObservationStatus, why: str, now: datetime) -> Observation:
    """What is observed of a call that still ran when its job ended: nothing came back of it."""
    late = status is ObservationStatus.TIMEOUT
    return Observation(
        observation_id=derived_id(call.call_id, _BROKEN_OFF),
        call_id=call.call_id,
        status=status,
        error_message=why,
        error_category="resource_exhausted" if late else "cancelled",
        execution_time_seconds=max((now - call.timestamp).total_seconds(), _LEAST_SECONDS),
        timestamp=now,
    )


def is_broken_off(observation: Observation) -> bool:
    """Whether it is what `broken_off` makes of its call."""
    return observation.observation_id == derived_id(observation.call_id, _BROKEN_OFF)
