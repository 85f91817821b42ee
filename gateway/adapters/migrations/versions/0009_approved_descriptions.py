"""What a tool said of itself when it was approved: no question needs a look at its server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the columns; of tools that were approved before, nothing is known."""
    with op.batch_alter_table("approved_tools") as table:
        table.add_column(sa.Column("description", sa.Text, nullable=False, server_default=""))
        table.add_column(sa.Column("input_schema", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop them; approvals stay."""
    with op.batch_alter_table("approved_tools") as table:
        table.drop_column("input_schema")
        table.drop_column("description")
