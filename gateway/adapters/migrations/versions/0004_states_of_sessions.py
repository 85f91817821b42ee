"""Sessions have states of their own and a title; what their jobs do is asked of the planner."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

# What a session's newest job did is no state of the session any more.
_STATES = sa.text(
    "UPDATE sessions SET status = CASE WHEN EXISTS (SELECT 1 FROM session_files f "
    "WHERE f.session_id = sessions.session_id) THEN 'has_files' ELSE 'created' END "
    "WHERE status IN ('running', 'completed', 'failed')"
)


def upgrade() -> None:
    """Add title and time of change, and leave the newest job to those who know of it."""
    op.add_column("sessions", sa.Column("title", sa.Text, nullable=False, server_default=""))
    opened = sa.Column("opened_title", sa.Text, nullable=False, server_default="")
    op.add_column("sessions", opened)
    op.add_column("sessions", sa.Column("updated_at", sa.DateTime(timezone=True), nullable=True))
    op.execute(_STATES)
    op.execute(sa.text("UPDATE sessions SET updated_at = created_at"))
    with op.batch_alter_table("sessions") as table:  # SQLite changes no column in place
        table.alter_column("updated_at", existing_type=sa.DateTime(timezone=True), nullable=False)
        table.drop_column("report_ready")
        table.drop_column("last_job_id")


def downgrade() -> None:
    """Put the old columns back, without what they held: what jobs do is the planner's to tell."""
    op.add_column(
        "sessions",
        sa.Column("report_ready", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.add_column(
        "sessions", sa.Column("last_job_id", sa.String(32), nullable=False, server_default="")
    )
    for name in ("updated_at", "opened_title", "title"):
        op.drop_column("sessions", name)
