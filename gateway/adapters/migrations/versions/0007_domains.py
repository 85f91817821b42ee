"""Domains and what was approved of their tools."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "domains",
        sa.Column("tenant", sa.String(100), primary_key=True),
        sa.Column("name", sa.String(63), primary_key=True),
        sa.Column("display_name", sa.String(200), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("capabilities", sa.JSON, nullable=False),
        sa.Column("mcp_tools", sa.JSON, nullable=False),
        sa.Column("related_domains", sa.JSON, nullable=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("made_of", sa.String(16), nullable=False),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "approved_tools",
        sa.Column("tenant", sa.String(100), primary_key=True),
        sa.Column("domain", sa.String(63), primary_key=True),
        sa.Column("tool", sa.String(200), primary_key=True),
        sa.Column("server", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
    )


def downgrade() -> None:
    """Drop them; the domains and what was approved are lost."""
    op.drop_table("approved_tools")
    op.drop_table("domains")
