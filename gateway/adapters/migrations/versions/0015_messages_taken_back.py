"""Messages can be taken back, and know under which terms they were said."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mesh.storage.columns import UtcTime

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add both; messages of before stand, and their terms are those of their conversation."""
    op.add_column("router_messages", sa.Column("taken_back_at", UtcTime))
    op.add_column("router_messages", sa.Column("terms", sa.Text))


def downgrade() -> None:
    """Drop them; messages that were taken back stand again."""
    op.drop_column("router_messages", "terms")
    op.drop_column("router_messages", "taken_back_at")
