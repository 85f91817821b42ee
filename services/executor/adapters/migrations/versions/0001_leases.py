"""What the executor stores, and who needs it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "stored_things",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(400), primary_key=True),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("going_since", sa.Float, nullable=False, server_default="0"),
    )
    op.create_table(
        "leases",
        sa.Column("holder", sa.String(100), primary_key=True),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(400), primary_key=True),
        sa.Column("until", sa.Float),
    )
    op.create_index("ix_leases_kind_name", "leases", ["kind", "name"])
    op.create_index("ix_leases_until", "leases", ["until"])
    op.create_index("ix_stored_things_going_since", "stored_things", ["going_since"])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("leases")
    op.drop_table("stored_things")
