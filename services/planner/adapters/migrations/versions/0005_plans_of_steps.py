"""Which plan a step and a call belong to: a job whose plan fails on the way may get another."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_PLANNERS = sa.table("planners", sa.column("planner_id"), sa.column("plan", sa.JSON))
_WORKERS = sa.table("workers", sa.column("planner_id"), sa.column("plan_id"))
_CALLS = sa.table(
    "tool_calls", sa.column("call_id"), sa.column("planner_id"), sa.column("call", sa.JSON)
)


def upgrade() -> None:
    """Add the column; until now every job had one plan at most."""
    op.add_column(
        "workers",
        sa.Column("plan_id", sa.String(length=32), nullable=False, server_default=""),
    )
    database = op.get_bind()
    for planner_id, plan in database.execute(sa.select(_PLANNERS)).all():
        if not plan:
            continue
        plan_id = plan["plan_id"]
        database.execute(
            sa.update(_WORKERS).where(_WORKERS.c.planner_id == planner_id).values(plan_id=plan_id)
        )
        calls = sa.select(_CALLS.c.call_id, _CALLS.c.call).where(_CALLS.c.planner_id == planner_id)
        for call_id, call in database.execute(calls).all():
            database.execute(
                sa.update(_CALLS)
                .where(_CALLS.c.call_id == call_id)
                .values(call={**call, "plan_id": plan_id})
            )


def downgrade() -> None:
    """Drop the column; calls go on saying which plan they were of."""
    op.drop_column("workers", "plan_id")
