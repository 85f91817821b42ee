"""Tables of a session's statements have numbers, by which later statements read them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the column; of statements before, no table has a number."""
    with op.batch_alter_table("session_jobs") as table:
        table.add_column(sa.Column("frame", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("session_jobs") as table:
        table.drop_column("frame")
