"""Sources that users gave names."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "known_sources",
        sa.Column("tenant", sa.String(100), primary_key=True),
        sa.Column("name", sa.String(63), primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    """Drop it; the names are lost."""
    op.drop_table("known_sources")
