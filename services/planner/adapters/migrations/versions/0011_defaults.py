"""What seed 004 gives a default has it in the tables too, not in the code alone."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_NOW = sa.func.current_timestamp()
_MOMENT = sa.DateTime(timezone=True)
_PATHS = (
    "input_variable_filepaths",
    "input_image_filepaths",
    "output_variable_filepaths",
    "output_image_filepaths",
)
_AGENT: dict[str, tuple[Any, Any]] = {
    "schema_version": (sa.Integer(), sa.text("1")),
    "created_at": (_MOMENT, _NOW),
    "updated_at": (_MOMENT, _NOW),
}
_DEFAULTS: dict[str, dict[str, tuple[Any, Any]]] = {
    "planners": _AGENT,
    "workers": {
        **_AGENT,
        "querying_structured_data": (sa.Boolean(), sa.false()),
        **{name: (sa.JSON(), sa.text("'{}'")) for name in _PATHS},
    },
    "planner_messages": {"timestamp": (_MOMENT, _NOW)},
    "worker_messages": {"timestamp": (_MOMENT, _NOW)},
}


def upgrade() -> None:
    """Give the columns their defaults."""
    _set(given=True)


def downgrade() -> None:
    """Take them."""
    _set(given=False)


def _set(*, given: bool) -> None:
    for name, columns in _DEFAULTS.items():
        with op.batch_alter_table(name) as table:  # SQLite changes no column in place
            for column, (kind, default) in columns.items():
                table.alter_column(
                    column,
                    existing_type=kind,
                    existing_nullable=False,
                    server_default=default if given else None,
                )
