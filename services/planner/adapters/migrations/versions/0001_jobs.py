"""Jobs with their steps, messages, calls, decisions and events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the planner's tables."""
    op.create_table(
        "planners",
        sa.Column("planner_id", sa.String(length=32), nullable=False),
        sa.Column("planner_name", sa.String(length=255), nullable=False),
        sa.Column("user_question", sa.Text(), nullable=False),
        sa.Column("instruction", sa.Text(), nullable=True),
        sa.Column("execution_plan", sa.Text(), nullable=True),
        sa.Column("model", sa.String(length=100), nullable=True),
        sa.Column("temperature", sa.Float(), nullable=True),
        sa.Column("failed_task_limit", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=50), nullable=False),
        sa.Column("agent_metadata", sa.JSON(), nullable=True),
        sa.Column("schema_version", sa.Integer(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.Column("tenant", sa.String(length=100), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("understood", sa.Text(), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=True),
        sa.Column("clarification", sa.JSON(), nullable=True),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=True),
        sa.Column("failure", sa.JSON(), nullable=True),
        sa.Column("progress", sa.Integer(), nullable=False),
        sa.Column("trace_id", sa.String(length=32), nullable=False),
        sa.Column("last_event", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("planner_id"),
    )
    op.create_index("ix_planners_state", "planners", ["state"], unique=False)
    op.create_index(
        "ix_planners_tenant_created", "planners", ["tenant", "created_at"], unique=False
    )
    op.create_table(
        "decisions",
        sa.Column("decision_id", sa.String(length=32), nullable=False),
        sa.Column("planner_id", sa.String(length=32), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("decision", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["planner_id"],
            ["planners.planner_id"],
        ),
        sa.PrimaryKeyConstraint("decision_id"),
    )
    op.create_index(op.f("ix_decisions_planner_id"), "decisions", ["planner_id"], unique=False)
    op.create_table(
        "job_events",
        sa.Column("planner_id", sa.String(length=32), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("timestamp", _MOMENT, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["planner_id"],
            ["planners.planner_id"],
        ),
        sa.PrimaryKeyConstraint("planner_id", "sequence"),
    )
    op.create_table(
        "planner_messages",
        sa.Column("agent_id", sa.String(length=32), nullable=False),
        sa.Column("message_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("image", sa.Text(), nullable=True),
        sa.Column("timestamp", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"],
            ["planners.planner_id"],
        ),
        sa.PrimaryKeyConstraint("message_id"),
    )
    op.create_index(
        op.f("ix_planner_messages_agent_id"), "planner_messages", ["agent_id"], unique=False
    )
    op.create_table(
        "tool_calls",
        sa.Column("call_id", sa.String(length=32), nullable=False),
        sa.Column("planner_id", sa.String(length=32), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("call", sa.JSON(), nullable=False),
        sa.Column("observation", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["planner_id"],
            ["planners.planner_id"],
        ),
        sa.PrimaryKeyConstraint("call_id"),
    )
    op.create_index(op.f("ix_tool_calls_planner_id"), "tool_calls", ["planner_id"], unique=False)
    op.create_table(
        "workers",
        sa.Column("worker_id", sa.String(length=32), nullable=False),
        sa.Column("worker_name", sa.String(length=255), nullable=False),
        sa.Column("planner_id", sa.String(length=32), nullable=False),
        sa.Column("task_status", sa.String(length=50), nullable=False),
        sa.Column("task_description", sa.Text(), nullable=True),
        sa.Column("acceptance_criteria", sa.JSON(), nullable=True),
        sa.Column("user_request", sa.Text(), nullable=True),
        sa.Column("wip_answer_template", sa.Text(), nullable=True),
        sa.Column("task_result", sa.Text(), nullable=True),
        sa.Column("querying_structured_data", sa.Boolean(), nullable=False),
        sa.Column("image_keys", sa.JSON(), nullable=True),
        sa.Column("variable_keys", sa.JSON(), nullable=True),
        sa.Column("tools", sa.JSON(), nullable=True),
        sa.Column("input_variable_filepaths", sa.JSON(), nullable=False),
        sa.Column("input_image_filepaths", sa.JSON(), nullable=False),
        sa.Column("output_variable_filepaths", sa.JSON(), nullable=False),
        sa.Column("output_image_filepaths", sa.JSON(), nullable=False),
        sa.Column("tables", sa.JSON(), nullable=True),
        sa.Column("agent_metadata", sa.JSON(), nullable=True),
        sa.Column("schema_version", sa.Integer(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.Column("task_id", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("step", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["planner_id"],
            ["planners.planner_id"],
        ),
        sa.PrimaryKeyConstraint("worker_id"),
    )
    op.create_index(op.f("ix_workers_planner_id"), "workers", ["planner_id"], unique=False)
    op.create_table(
        "worker_messages",
        sa.Column("agent_id", sa.String(length=32), nullable=False),
        sa.Column("message_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("image", sa.Text(), nullable=True),
        sa.Column("timestamp", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"],
            ["workers.worker_id"],
        ),
        sa.PrimaryKeyConstraint("message_id"),
    )
    op.create_index(
        op.f("ix_worker_messages_agent_id"), "worker_messages", ["agent_id"], unique=False
    )


def downgrade() -> None:
    """Drop them; jobs are lost."""
    for table in (
        "worker_messages",
        "workers",
        "tool_calls",
        "planner_messages",
        "job_events",
        "decisions",
        "planners",
    ):
        op.drop_table(table)
