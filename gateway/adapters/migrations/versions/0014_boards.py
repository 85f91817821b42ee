"""Boards: their pins, the runs of these, and alerts with their way to people."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mesh.storage.columns import UtcTime

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Create the tables."""
    _boards()
    _runs()
    _alerts()


def downgrade() -> None:
    """Drop them; boards and their history are lost, their jobs stay."""
    for table in ("board_deliveries", "board_alerts", "board_runs", "board_pins", "boards"):
        op.drop_table(table)


def _boards() -> None:
    op.create_table(
        "boards",
        sa.Column("board_id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(100), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("opened_title", sa.String(200), nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("created_by", sa.String(100), nullable=False),
        sa.Column("schedule", sa.JSON, nullable=False),
        sa.Column("targets", sa.JSON, nullable=False),
        sa.Column("changes", sa.JSON, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("next_run_at", UtcTime),
    )
    op.create_index("ix_boards_tenant_created_at", "boards", ["tenant", "created_at", "board_id"])
    op.create_index("ix_boards_next_run_at", "boards", ["next_run_at"])
    op.create_table(
        "board_pins",
        sa.Column("pin_id", sa.String(32), primary_key=True),
        sa.Column("board_id", sa.String(32), _within("boards.board_id"), nullable=False),
        sa.Column("tenant", sa.String(100), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("session_id", sa.String(32), nullable=False),
        sa.Column("local", sa.Boolean, nullable=False),
        sa.Column("pinned_by", sa.String(100), nullable=False),
        sa.Column("pinned_at", UtcTime, nullable=False),
        sa.Column("job_id", sa.String(32), nullable=False),
        sa.Column("watched", sa.JSON),
        sa.Column("alerting", sa.JSON, nullable=False),
        sa.Column("before", sa.String(32), nullable=False),
        sa.Column("changed", sa.String(32), nullable=False),
    )
    op.create_index("ix_board_pins_board_id", "board_pins", ["board_id", "pinned_at"])


def _runs() -> None:
    op.create_table(
        "board_runs",
        sa.Column("run_id", sa.String(32), primary_key=True),
        sa.Column("job_id", sa.String(32), nullable=False),
        sa.Column("pin_id", sa.String(32), _within("board_pins.pin_id"), nullable=False),
        sa.Column("board_id", sa.String(32), nullable=False),
        sa.Column("due_at", UtcTime, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("seen_at", UtcTime, nullable=False),
        sa.Column("ended_at", UtcTime),
        sa.Column("result", sa.JSON, nullable=False),
        sa.Column("number", sa.JSON),
        sa.Column("meaning_changed", sa.Boolean, nullable=False),
        sa.Column("out_of_range", sa.Boolean, nullable=False),
    )
    op.create_index("ix_board_runs_pin_id", "board_runs", ["pin_id", "due_at", "run_id"])
    op.create_index("ix_board_runs_state", "board_runs", ["state", "seen_at"])


def _alerts() -> None:
    op.create_table(
        "board_alerts",
        sa.Column("alert_id", sa.String(32), primary_key=True),
        sa.Column("board_id", sa.String(32), _within("boards.board_id"), nullable=False),
        sa.Column("tenant", sa.String(100), nullable=False),
        sa.Column("pin_id", sa.String(32), nullable=False),
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
    )
    op.create_index("ix_board_alerts_board_id", "board_alerts", ["board_id", "at"])
    op.create_table(
        "board_deliveries",
        sa.Column("delivery_id", sa.String(32), primary_key=True),
        sa.Column("alert_id", sa.String(32), _within("board_alerts.alert_id"), nullable=False),
        sa.Column("channel", sa.String(16), nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("try_at", UtcTime, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("recorded", sa.Boolean, nullable=False),
    )
    op.create_index("ix_board_deliveries_alert_id", "board_deliveries", ["alert_id"])
    op.create_index("ix_board_deliveries_recorded", "board_deliveries", ["recorded", "try_at"])


def _within(column: str) -> sa.ForeignKey:
    return sa.ForeignKey(column, ondelete="CASCADE")
