"""What was not answered, or not for sure, by reason and by what is missing, for who runs a mesh."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add why jobs failed and how sure they are as columns, filled from what is stored, and the
    table of what was missing, of which nothing is known of jobs of before."""
    for name in ("failure_reason", "confidence"):
        op.add_column("planners", sa.Column(name, sa.String(60), nullable=False, server_default=""))
    op.create_table(
        "job_gaps",
        sa.Column(
            "planner_id", sa.String(32), sa.ForeignKey("planners.planner_id"), primary_key=True
        ),
        sa.Column("kind", sa.String(20), primary_key=True),
        sa.Column("subject", sa.String(100), primary_key=True),
    )
    jobs = sa.table(
        "planners",
        sa.column("failure", sa.JSON),
        sa.column("answer", sa.JSON),
        sa.column("failure_reason", sa.String),
        sa.column("confidence", sa.String),
    )
    for document, key, column in (
        (jobs.c.failure, "reason", jobs.c.failure_reason),
        (jobs.c.answer, "confidence", jobs.c.confidence),
    ):
        stored = document[key].as_string()
        op.execute(sa.update(jobs).where(stored.is_not(None)).values({column.name: stored}))


def downgrade() -> None:
    """Drop them."""
    op.drop_table("job_gaps")
    with op.batch_alter_table("planners") as table:
        table.drop_column("failure_reason")
        table.drop_column("confidence")
