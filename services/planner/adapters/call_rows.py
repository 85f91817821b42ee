"""A step's calls and what came back, as rows, with what they leave in the row of the step."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from services.planner.adapters.job_rows import next_position
from services.planner.adapters.tables import ToolCallRow, WorkerMessageRow, WorkerRow
from services.planner.domain.calls import Frame, Observation, ToolCall, picture_of


def keep_call(
    session: Session,
    job_id: str,
    worker: WorkerRow,
    call: ToolCall,
    observation: Observation | None,
) -> None:
    """Store a call, and what came back once it did, with the messages of both."""
    row = session.get(ToolCallRow, call.call_id)
    if row is None:
        row = ToolCallRow(
            call_id=call.call_id,
            planner_id=job_id,
            position=next_position(session, ToolCallRow, job_id),
            call=call.model_dump(mode="json"),
        )
        session.add(row)
        worker.input_variable_filepaths = _inputs_of(session, worker)
        content = json.dumps({"tool": call.tool_name, "arguments": call.arguments})
        session.add(
            WorkerMessageRow(
                agent_id=worker.worker_id,
                role="developer",
                content=content,
                timestamp=call.timestamp,
            )
        )
    if observation is not None and row.observation is None:
        row.observation = observation.model_dump(mode="json")
        frame = observation.frame
        if frame is not None:
            worker.output_variable_filepaths = {worker.task_id: frame.digest}
            worker.tables = [_table_of(worker.task_id, frame)]
        if observation.succeeded and worker.task_status == "in_progress":
            worker.task_status = "completed"  # until the job has taken it up
        worker.output_image_filepaths = {
            a.artifact_id: a.content_ref
            for a in observation.artifacts
            if a.artifact_type == "chart"
        }
        session.add(
            WorkerMessageRow(
                agent_id=worker.worker_id,
                role="assistant",
                content=observation.error_message or observation.summary,
                image=picture_of(observation.artifacts),
                timestamp=observation.timestamp,
            )
        )


def _inputs_of(session: Session, worker: WorkerRow) -> dict[str, Any]:
    """Where the frames lie that a step reads: by the step that made each."""
    if not worker.variable_keys:
        return {}
    query = select(WorkerRow.output_variable_filepaths).where(
        WorkerRow.planner_id == worker.planner_id,
        WorkerRow.plan_id == worker.plan_id,
        WorkerRow.task_id.in_(worker.variable_keys),
    )
    found: dict[str, Any] = {}
    for made in session.scalars(query):
        found |= made
    return found


def _table_of(name: str, frame: Frame) -> dict[str, Any]:
    """A frame as seed 004's TableMeta."""
    columns = [{"name": field.name, "type": str(field.type)} for field in frame.arrow_schema or ()]
    return {"table_name": name, "row_count": frame.rows, "columns": columns}
