"""The jobs of a conversation are found without looking at all others."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the index."""
    op.create_index("ix_planners_conversation", "planners", ["conversation_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_planners_conversation", "planners")
