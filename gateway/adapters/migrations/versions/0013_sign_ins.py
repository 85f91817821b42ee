"""Browsers that are signed in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mesh.storage.columns import UtcTime

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "sign_ins",
        sa.Column("sign_in_id", sa.String(64), primary_key=True),
        sa.Column("tenant", sa.String(100), nullable=False),
        sa.Column("user_name", sa.String(100), nullable=False),
        sa.Column("how", sa.String(16), nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("expires_at", UtcTime, nullable=False),
    )
    op.create_index("ix_sign_ins_tenant_user", "sign_ins", ["tenant", "user_name"])
    op.create_index("ix_sign_ins_expires_at", "sign_ins", ["expires_at"])


def downgrade() -> None:
    """Drop it; everybody signs in again."""
    op.drop_table("sign_ins")
