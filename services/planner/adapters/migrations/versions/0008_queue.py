"""Since when a job waits, and when it was begun: for whose turn it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Jobs from before are not known to have waited."""
    op.add_column("leases", sa.Column("waiting_since", sa.Float()))
    op.add_column("leases", sa.Column("begun_at", sa.Float()))
    op.create_index("ix_leases_begun_at", "leases", ["begun_at"])


def downgrade() -> None:
    """Drop the columns; nobody may be waiting."""
    op.drop_index("ix_leases_begun_at", "leases")
    op.drop_column("leases", "begun_at")
    op.drop_column("leases", "waiting_since")
