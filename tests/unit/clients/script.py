"""What a job says while it runs, in a test's words."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow as pa
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2

JOB_ID = "7c1e5a0b9d3f4e2c8a6b1d0f9e8c7b6a"
STARTED = Timestamp(seconds=1_750_000_000)


def state(value: job_pb2.JobState.ValueType) -> job_pb2.JobEvent:
    """The job moved to another state."""
    return job_pb2.JobEvent(state=value)


def understood(text: str) -> job_pb2.JobEvent:
    """What was understood."""
    return job_pb2.JobEvent(understood=text)


def plan(*steps: tuple[str, str]) -> job_pb2.JobEvent:
    """A plan of (task id, tool) in a row."""
    subtasks = [
        analysis_pb2.Subtask(
            task_id=task_id,
            tool_name=tool,
            description=f"what {task_id} does",
            dependencies=[before[0] for before in steps[max(0, number - 1) : number]],
            arguments_json="{}",
        )
        for number, (task_id, tool) in enumerate(steps)
    ]
    cost = Duration(seconds=1, nanos=500_000_000)
    made = analysis_pb2.Plan(plan_id="1" * 32, subtasks=subtasks, total_estimated_cost=cost)
    return job_pb2.JobEvent(plan=made)


def step(
    task_id: str,
    tool: str,
    value: job_pb2.StepState.ValueType,
    *,
    rows: int | None = None,
    columns: int = 0,
    detail: str = "",
    attempt: int = 1,
    milliseconds: int = 0,
    sql: analysis_pb2.Statement | None = None,
) -> job_pb2.JobEvent:
    """A step's new state; `sql` is the query it runs."""
    changed = job_pb2.Step(
        task_id=task_id,
        tool_name=tool,
        state=value,
        attempt=attempt,
        columns=columns,
        detail=detail,
        elapsed=Duration(nanos=milliseconds * 1_000_000),
        statement=sql,
    )
    if rows is not None:
        changed.rows = rows
    return job_pb2.JobEvent(step=changed)


def checks(*made: tuple[str, bool, str]) -> audit_service_pb2.VerifyJobResponse:
    """A verification of (name, whether it holds, detail)."""
    return audit_service_pb2.VerifyJobResponse(
        checks=[
            audit_service_pb2.Check(name=name, ok=holds, detail=detail)
            for name, holds, detail in made
        ],
        ok=all(holds for _, holds, _ in made),
    )


def artifact(kind: str, path: Path, content: bytes) -> analysis_pb2.Artifact:
    """A file that lies at `path` on this machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return analysis_pb2.Artifact(
        artifact_id=hashlib.sha256(path.name.encode()).hexdigest()[:32],
        job_id=JOB_ID,
        artifact_type=analysis_pb2.ArtifactType.Value(f"ARTIFACT_TYPE_{kind.upper()}"),
        content_ref=f"{kind}s/{JOB_ID}/{path.name}",
        content_hash=hashlib.sha256(content).hexdigest(),
        size_bytes=len(content),
        local_path=str(path),
        media_type="text/plain",
    )


def frame(digest: str, table: pa.Table) -> data_pb2.FrameRef:
    """A reference to a table."""
    return data_pb2.FrameRef(name="shape", digest=digest, rows=table.num_rows)


GOOD_PROOF = checks(
    ("chain", True, "21 entries, unbroken"),
    ("tree", True, "included in checkpoint 1,204, signed by assay-1"),
    ("artifacts", True, "3 files match their hashes"),
    ("claims", True, "2 numbers found in their frames"),
)


CLARIFICATION = job_pb2.JobEvent(
    clarification=job_pb2.Clarification(
        question='"sales" could mean',
        options=[
            job_pb2.Choice(option_id="1", text="sum of Total in Invoice"),
            job_pb2.Choice(option_id="2", text="number of invoices"),
        ],
    )
)
