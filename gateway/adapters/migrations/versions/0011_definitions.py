"""Definitions of what data means, each with how it stands and who decided."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mesh.storage.columns import UtcTime

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "definitions",
        sa.Column("definition_id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(100), nullable=False),
        sa.Column("place", sa.String(64), nullable=False),
        sa.Column("places", sa.Text, nullable=False),
        sa.Column("sources", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("measured", sa.Text, nullable=False),
        sa.Column("proposed_by", sa.String(100), nullable=False),
        sa.Column("proposed_at", UtcTime, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("decided_by", sa.String(100), nullable=False),
        sa.Column("decided_at", UtcTime),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_index(
        "ix_definitions_tenant_proposed_at",
        "definitions",
        ["tenant", "proposed_at", "definition_id"],
    )
    op.create_index("ix_definitions_tenant_place", "definitions", ["tenant", "place", "state"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("definitions")
