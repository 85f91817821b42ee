"""Files of jobs that ended without an answer, and whether the audit log knows of an end."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns; jobs that ended before had no end to be logged."""
    op.add_column("planners", sa.Column("partial_artifacts", sa.JSON(), nullable=True))
    op.add_column(
        "planners",
        sa.Column("end_logged", sa.Boolean(), nullable=False, server_default=sa.true()),
    )
    op.create_index("ix_planners_end_logged", "planners", ["end_logged"], unique=False)


def downgrade() -> None:
    """Drop the columns; ends that the log was not told of are not told."""
    op.drop_index("ix_planners_end_logged", "planners")
    op.drop_column("planners", "end_logged")
    op.drop_column("planners", "partial_artifacts")
