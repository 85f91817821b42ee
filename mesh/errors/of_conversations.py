"""Reasons to refuse what is said in a conversation (seed 003); to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

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
CONVERSATION_CHANGED = reason(
    "CONVERSATION_CHANGED",
    Kind.STATE,
    "Something was said in the conversation meanwhile, or taken back.",
    "Look at it as it is now, and go on from there.",
)
NOTHING_TO_FOLLOW = reason(
    "NOTHING_TO_FOLLOW",
    Kind.DATA,
    "Words that change what was asked before were said where there is nothing to change.",
    "Ask the whole question.",
)
NOT_TOLD = reason(
    "NOT_TOLD",
    Kind.DATA,
    "A finished job was asked for something that it has no record of.",
    "Ask for one of the things that it names, or ask the data.",
)
JOB_NOT_COMPLETE = reason(
    "JOB_NOT_COMPLETE",
    Kind.WRONG_USE,
    "A question was asked about a job that has no answer.",
    "Wait until it has ended; one that ended without an answer says why (assay show).",
)
