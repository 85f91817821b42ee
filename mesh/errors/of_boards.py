"""Reasons about boards; to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

BOARD_CHANGED = reason(
    "BOARD_CHANGED",
    Kind.STATE,
    "Somebody else changed the board meanwhile.",
    "Look at it as it is now, and change that.",
)

PIN_OWNER_GONE = reason(
    "PIN_OWNER_GONE",
    Kind.POLICY,
    "On whose behalf an answer is asked for again may not ask any more.",
    "Any analyst may take it over: it is then asked on their behalf.",
)
