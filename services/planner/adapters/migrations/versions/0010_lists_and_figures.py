"""Lists of jobs by any filter, and figures about those at work, without looking at all others."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"

_LISTS = {
    "ix_planners_tenant_session": ["tenant", "session_id", "created_at", "planner_id"],
    "ix_planners_tenant_conversation": ["tenant", "conversation_id", "created_at", "planner_id"],
    "ix_planners_tenant_kind_state": ["tenant", "kind", "state", "created_at", "planner_id"],
    "ix_planners_state_kind": ["state", "kind"],
}
_BEFORE = {
    "ix_planners_tenant_session": ["tenant", "session_id"],
    "ix_planners_conversation": ["conversation_id"],
    "ix_planners_state": ["state"],
}


def upgrade() -> None:
    """Put wider indexes in the place of those there were."""
    _replace(_BEFORE, _LISTS)


def downgrade() -> None:
    """Put them back."""
    _replace(_LISTS, _BEFORE)


def _replace(old: dict[str, list[str]], new: dict[str, list[str]]) -> None:
    for name in old:
        op.drop_index(name, "planners")
    for name, columns in new.items():
        op.create_index(name, "planners", columns)
