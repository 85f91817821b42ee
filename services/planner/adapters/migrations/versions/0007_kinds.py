"""Jobs of several kinds: phase, reason of progress, session, conversation and parent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_TEXTS = ("phase", "progress_reason", "session_id", "conversation_id", "parent_job_id")
_SIZES = {"phase": 30, "session_id": 32, "conversation_id": 32, "parent_job_id": 32}


def upgrade() -> None:
    """Jobs from before belong to no session, and say nothing of their phase."""
    for name in _TEXTS:
        kind = sa.String(_SIZES[name]) if name in _SIZES else sa.Text()
        op.add_column("planners", sa.Column(name, kind, nullable=False, server_default=""))
    op.add_column("planners", sa.Column("turn", sa.Integer(), nullable=False, server_default="0"))
    op.add_column(
        "planners",
        sa.Column("has_report", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.drop_index("ix_planners_tenant_created", "planners")
    op.create_index(
        "ix_planners_tenant_created", "planners", ["tenant", "created_at", "planner_id"]
    )
    op.create_index("ix_planners_tenant_session", "planners", ["tenant", "session_id"])


def downgrade() -> None:
    """Drop the columns; what jobs belong to is lost."""
    op.drop_index("ix_planners_tenant_session", "planners")
    op.drop_index("ix_planners_tenant_created", "planners")
    op.create_index("ix_planners_tenant_created", "planners", ["tenant", "created_at"])
    for name in (*_TEXTS, "turn", "has_report"):
        op.drop_column("planners", name)
