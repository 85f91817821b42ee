"""Which jobs were asked for in which session, and what is kept of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

# Of older jobs only the newest of each session is known.
_NEWEST = sa.text(
    "INSERT INTO session_jobs (tenant, job_id, session_id, keeping, settled, noted_at) "
    "SELECT tenant, last_job_id, session_id, "
    "CASE status WHEN 'expired' THEN 'proof' ELSE 'everything' END, "
    "status <> 'expired', created_at FROM sessions WHERE last_job_id <> '' "
    "ON CONFLICT DO NOTHING"
)


def upgrade() -> None:
    """Create the table and fill in what is known."""
    op.create_table(
        "session_jobs",
        sa.Column("tenant", sa.String(100), primary_key=True),
        sa.Column("job_id", sa.String(32), primary_key=True),
        sa.Column("session_id", sa.String(32), nullable=False),
        sa.Column("keeping", sa.String(16), nullable=False),
        sa.Column("settled", sa.Boolean, nullable=False),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_session_jobs_session_id", "session_jobs", ["session_id"])
    op.create_index("ix_session_jobs_settled", "session_jobs", ["settled"])
    op.execute(_NEWEST)


def downgrade() -> None:
    """Drop it; what the executor keeps of jobs is then kept for good."""
    op.drop_table("session_jobs")
