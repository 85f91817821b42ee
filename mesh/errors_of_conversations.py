"""Reasons to refuse what is said in a conversation (seed 003); to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.kinds import Kind
from mesh.reasons import reason

CONVERSATION_BUSY = reason(
    "CONVERSATION_BUSY",
    Kind.STATE,
    "The message before is being answered: a conversation is held one message after the other.",
    "Wait for its answer, or cancel its job.",
)
CONVERSATION_ARCHIVED = reason(
    "CONVERSATION_ARCHIVED",
    Kind.STATE,
    "The conversation was ended: it can be read, and nothing more be said in it.",
    "Begin a new one.",
)
NOTHING_TO_FOLLOW = reason(
    "NOTHING_TO_FOLLOW",
    Kind.DATA,
    "Words that change what was asked before were said where there is nothing to change.",
    "Ask the whole question.",
)
