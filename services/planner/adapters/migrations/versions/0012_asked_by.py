"""Who asked for a job, so that those who run a mesh see whose it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_INDEX = "ix_planners_tenant_asked_by"


def upgrade() -> None:
    """Add the column and the index of its lists; of jobs of before it is not known."""
    asked_by = sa.Column("asked_by", sa.String(100), nullable=False, server_default="")
    op.add_column("planners", asked_by)
    op.create_index(_INDEX, "planners", ["tenant", "asked_by", "created_at", "planner_id"])


def downgrade() -> None:
    """Drop both."""
    op.drop_index(_INDEX, "planners")
    with op.batch_alter_table("planners") as table:
        table.drop_column("asked_by")
