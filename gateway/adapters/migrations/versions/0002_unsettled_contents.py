"""Contents that may have to go, and who holds them meanwhile."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "unsettled_contents",
        sa.Column("content_hash", sa.String(64), primary_key=True),
        sa.Column("deleting_until", sa.Float, nullable=False),
    )
    op.create_table(
        "content_holds",
        sa.Column("hold_id", sa.String(32), primary_key=True),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("held_until", sa.Float, nullable=False),
    )
    op.create_index("ix_content_holds_content_hash", "content_holds", ["content_hash"])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("content_holds")
    op.drop_table("unsettled_contents")
