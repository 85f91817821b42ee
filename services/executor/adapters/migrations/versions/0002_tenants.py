"""Whose the stored things are. Those from before belong to the tenant of local meshes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table of leases anew, with their tenants."""
    op.execute("CREATE TABLE leases_before AS SELECT holder, kind, name, until FROM leases")
    op.drop_table("leases")
    op.create_table(
        "leases",
        sa.Column("tenant", sa.String(100), primary_key=True),
        sa.Column("holder", sa.String(100), primary_key=True),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(400), primary_key=True),
        sa.Column("until", sa.Float),
    )
    _index()
    op.create_index("ix_leases_holder", "leases", ["holder"])
    op.execute(
        "INSERT INTO leases (tenant, holder, kind, name, until) "
        "SELECT 'local', holder, kind, name, until FROM leases_before"
    )
    op.drop_table("leases_before")


def downgrade() -> None:
    """Make it anew without them."""
    op.execute(
        "CREATE TABLE leases_before AS SELECT holder, kind, name, max(until) AS until "
        "FROM leases GROUP BY holder, kind, name"
    )
    op.drop_table("leases")
    op.create_table(
        "leases",
        sa.Column("holder", sa.String(100), primary_key=True),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(400), primary_key=True),
        sa.Column("until", sa.Float),
    )
    _index()
    op.execute("INSERT INTO leases SELECT holder, kind, name, until FROM leases_before")
    op.drop_table("leases_before")


def _index() -> None:
    op.create_index("ix_leases_kind_name", "leases", ["kind", "name"])
    op.create_index("ix_leases_until", "leases", ["until"])
