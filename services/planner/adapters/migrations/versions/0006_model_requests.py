"""Requests to language models, so that what they may take is bounded by job and by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mesh.storage.columns import UtcTime

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table; no model was asked before."""
    op.create_table(
        "model_requests",
        sa.Column("request_id", sa.String(length=32), nullable=False),
        sa.Column("planner_id", sa.String(length=32), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("asked_at", UtcTime(), nullable=False),
        sa.Column("outcome", sa.String(length=40), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("request_id"),
    )
    op.create_index("ix_model_requests_planner_id", "model_requests", ["planner_id"])
    op.create_index("ix_model_requests_day", "model_requests", ["day"])


def downgrade() -> None:
    """Drop the table; what models took is not known any more."""
    op.drop_table("model_requests")
