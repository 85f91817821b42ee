"""What memory has still to be told of jobs that ended while it was away."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table; of jobs that ended before, nothing was kept."""
    op.create_table(
        "lessons",
        sa.Column("planner_id", sa.String(length=32), nullable=False),
        sa.Column("lesson", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["planner_id"], ["planners.planner_id"]),
        sa.PrimaryKeyConstraint("planner_id"),
    )


def downgrade() -> None:
    """Drop the table; what memory was not told is lost."""
    op.drop_table("lessons")
