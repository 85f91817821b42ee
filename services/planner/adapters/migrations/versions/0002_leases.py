"""Leases: who works on a job; and how often a person replied to it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table, with a free lease for every job there is."""
    op.create_table(
        "leases",
        sa.Column("planner_id", sa.String(length=32), nullable=False),
        sa.Column("owner", sa.String(length=32), nullable=True),
        sa.Column("token", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.Float(), nullable=False),
        sa.Column("lease_seconds", sa.Float(), nullable=False),
        sa.Column("deadline", sa.Float(), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["planner_id"],
            ["planners.planner_id"],
        ),
        sa.PrimaryKeyConstraint("planner_id"),
    )
    op.create_index(op.f("ix_leases_owner"), "leases", ["owner"], unique=False)
    op.execute(
        "INSERT INTO leases (planner_id, token, lease_until, lease_seconds, cancel_requested) "
        "SELECT planner_id, 0, 0, 0, false FROM planners"
    )
    op.add_column(
        "planners", sa.Column("replies", sa.Integer(), nullable=False, server_default="0")
    )


def downgrade() -> None:
    """Drop both; nobody may be working."""
    op.drop_column("planners", "replies")
    op.drop_table("leases")
