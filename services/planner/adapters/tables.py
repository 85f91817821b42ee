"""The planner's tables (seed 004): planners, workers, their messages; calls, decisions, events.

A job is a row of `planners` with its steps as rows of `workers`. Columns that seed 004 names keep
their names and meanings; those below "Assay's own" carry what a job needs to be resumed.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    false,
    func,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mesh.storage.columns import UtcTime

SCHEMA_VERSION = 1


class Base(DeclarativeBase):
    """All tables of the planner's database."""

    type_annotation_map = {datetime: UtcTime, dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012


class PlannerRow(Base):
    """A job."""

    __tablename__ = "planners"

    planner_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    planner_name: Mapped[str] = mapped_column(String(255))
    user_question: Mapped[str] = mapped_column(Text)
    instruction: Mapped[str | None] = mapped_column(Text)
    execution_plan: Mapped[str | None] = mapped_column(Text)
    model: Mapped[str | None] = mapped_column(String(100))
    temperature: Mapped[float | None] = mapped_column(Float)
    failed_task_limit: Mapped[int | None] = mapped_column(Integer)
    status: Mapped[str] = mapped_column(String(50))
    agent_metadata: Mapped[dict[str, Any] | None]
    schema_version: Mapped[int] = mapped_column(Integer, default=SCHEMA_VERSION, server_default="1")
    created_at: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())

    # Assay's own
    tenant: Mapped[str] = mapped_column(String(100))
    kind: Mapped[str] = mapped_column(String(20))
    state: Mapped[str] = mapped_column(String(20))
    request: Mapped[dict[str, Any]]
    understood: Mapped[str] = mapped_column(Text, default="")
    plan: Mapped[dict[str, Any] | None]
    clarification: Mapped[dict[str, Any] | None]
    reply: Mapped[str] = mapped_column(Text, default="")
    answer: Mapped[dict[str, Any] | None]
    failure: Mapped[dict[str, Any] | None]
    phase: Mapped[str] = mapped_column(String(30), default="")
    progress: Mapped[int] = mapped_column(Integer, default=0)
    progress_reason: Mapped[str] = mapped_column(Text, default="")
    session_id: Mapped[str] = mapped_column(String(32), default="")
    conversation_id: Mapped[str] = mapped_column(String(32), default="")
    turn: Mapped[int] = mapped_column(Integer, default=0)
    parent_job_id: Mapped[str] = mapped_column(String(32), default="")
    trace_id: Mapped[str] = mapped_column(String(32), default="")
    last_event: Mapped[int] = mapped_column(Integer, default=0)
    replies: Mapped[int] = mapped_column(Integer, default=0)
    partial_artifacts: Mapped[list[Any] | None]
    end_logged: Mapped[bool] = mapped_column(Boolean, default=True)
    has_report: Mapped[bool] = mapped_column(Boolean, default=False)
    asked_by: Mapped[str] = mapped_column(String(100), default="", server_default="")
    failure_reason: Mapped[str] = mapped_column(String(60), default="", server_default="")
    confidence: Mapped[str] = mapped_column(String(60), default="", server_default="")

    __table_args__ = (
        Index("ix_planners_end_logged", "end_logged"),
        Index("ix_planners_tenant_created", "tenant", "created_at", "planner_id"),
        Index("ix_planners_tenant_session", "tenant", "session_id", "created_at", "planner_id"),
        Index(
            "ix_planners_tenant_conversation",
            "tenant",
            "conversation_id",
            "created_at",
            "planner_id",
        ),
        Index(
            "ix_planners_tenant_kind_state", "tenant", "kind", "state", "created_at", "planner_id"
        ),
        Index("ix_planners_state_kind", "state", "kind"),
        Index("ix_planners_tenant_asked_by", "tenant", "asked_by", "created_at", "planner_id"),
    )


class LeaseRow(Base):
    """Which planner works on a job, and until when, in seconds of the store's lease clock."""

    __tablename__ = "leases"

    planner_id: Mapped[str] = mapped_column(ForeignKey("planners.planner_id"), primary_key=True)
    owner: Mapped[str | None] = mapped_column(String(32), index=True)
    token: Mapped[int] = mapped_column(Integer, default=0)
    lease_until: Mapped[float] = mapped_column(Float, default=0.0)
    lease_seconds: Mapped[float] = mapped_column(Float, default=0.0)
    deadline: Mapped[float | None] = mapped_column(Float)
    waiting_since: Mapped[float | None] = mapped_column(Float)
    begun_at: Mapped[float | None] = mapped_column(Float, index=True)
    cancel_requested: Mapped[bool] = mapped_column(Boolean, default=False)


class GapRow(Base):
    """What a planning decision of a job says is missing or in doubt (`domain.jobs.gaps`)."""

    __tablename__ = "job_gaps"

    planner_id: Mapped[str] = mapped_column(ForeignKey("planners.planner_id"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(20), primary_key=True)
    subject: Mapped[str] = mapped_column(String(100), primary_key=True)


class LessonRow(Base):
    """What memory has still to be told of a job; there is none while memory keeps up."""

    __tablename__ = "lessons"

    planner_id: Mapped[str] = mapped_column(ForeignKey("planners.planner_id"), primary_key=True)
    lesson: Mapped[dict[str, Any]]


class WorkerRow(Base):
    """One step of a job."""

    __tablename__ = "workers"

    worker_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    worker_name: Mapped[str] = mapped_column(String(255))
    planner_id: Mapped[str] = mapped_column(ForeignKey("planners.planner_id"), index=True)
    task_status: Mapped[str] = mapped_column(String(50))
    task_description: Mapped[str | None] = mapped_column(Text)
    acceptance_criteria: Mapped[list[Any] | None]
    user_request: Mapped[str | None] = mapped_column(Text)
    wip_answer_template: Mapped[str | None] = mapped_column(Text)
    task_result: Mapped[str | None] = mapped_column(Text)
    querying_structured_data: Mapped[bool] = mapped_column(
        Boolean, default=False, server_default=false()
    )
    image_keys: Mapped[list[Any] | None]
    variable_keys: Mapped[list[Any] | None]
    tools: Mapped[list[Any] | None]
    input_variable_filepaths: Mapped[dict[str, Any]] = mapped_column(
        default=dict, server_default="{}"
    )
    input_image_filepaths: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    output_variable_filepaths: Mapped[dict[str, Any]] = mapped_column(
        default=dict, server_default="{}"
    )
    output_image_filepaths: Mapped[dict[str, Any]] = mapped_column(
        default=dict, server_default="{}"
    )
    tables: Mapped[list[Any] | None]
    agent_metadata: Mapped[dict[str, Any] | None]
    schema_version: Mapped[int] = mapped_column(Integer, default=SCHEMA_VERSION, server_default="1")
    created_at: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())

    # Assay's own
    plan_id: Mapped[str] = mapped_column(String(32), default="")
    task_id: Mapped[str] = mapped_column(String(64))
    position: Mapped[int] = mapped_column(Integer)
    step: Mapped[dict[str, Any]]


class MessageColumns:
    """The columns that all message tables share."""

    message_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    role: Mapped[str] = mapped_column(String(20))
    content: Mapped[str | None] = mapped_column(Text)
    image: Mapped[str | None] = mapped_column(Text)
    timestamp: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())


class PlannerMessageRow(MessageColumns, Base):
    """What was said between a person and a job."""

    __tablename__ = "planner_messages"

    agent_id: Mapped[str] = mapped_column(ForeignKey("planners.planner_id"), index=True)


class WorkerMessageRow(MessageColumns, Base):
    """What was said between a job and one of its steps: calls and what came back."""

    __tablename__ = "worker_messages"

    agent_id: Mapped[str] = mapped_column(ForeignKey("workers.worker_id"), index=True)


class ToolCallRow(Base):
    """One attempt at one step, with what came back once it did."""

    __tablename__ = "tool_calls"

    call_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    planner_id: Mapped[str] = mapped_column(ForeignKey("planners.planner_id"), index=True)
    position: Mapped[int] = mapped_column(Integer)
    call: Mapped[dict[str, Any]]
    observation: Mapped[dict[str, Any] | None]


class DecisionRow(Base):
    """One recorded judgement."""

    __tablename__ = "decisions"

    decision_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    planner_id: Mapped[str] = mapped_column(ForeignKey("planners.planner_id"), index=True)
    position: Mapped[int] = mapped_column(Integer)
    decision: Mapped[dict[str, Any]]


class JobEventRow(Base):
    """One thing watchers are told."""

    __tablename__ = "job_events"

    planner_id: Mapped[str] = mapped_column(ForeignKey("planners.planner_id"), primary_key=True)
    sequence: Mapped[int] = mapped_column(Integer, primary_key=True)
    timestamp: Mapped[datetime]
    kind: Mapped[str] = mapped_column(String(20))
    data: Mapped[dict[str, Any]]


class ModelRequestRow(Base):
    """One request to a language model: what it may take, and once it came back, what it took."""

    __tablename__ = "model_requests"

    request_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    planner_id: Mapped[str] = mapped_column(String(32), index=True)
    purpose: Mapped[str] = mapped_column(String(20))
    model: Mapped[str] = mapped_column(String(200))
    day: Mapped[str] = mapped_column(String(10), index=True)
    asked_at: Mapped[datetime]
    outcome: Mapped[str] = mapped_column(String(40))
    input_tokens: Mapped[int] = mapped_column(Integer)
    output_tokens: Mapped[int] = mapped_column(Integer)
    cost: Mapped[float | None] = mapped_column(Float)
    seconds: Mapped[float | None] = mapped_column(Float)
