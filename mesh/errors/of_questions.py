"""Reasons that lie in a question, or in an answer to one back; to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

QUESTION_EMPTY = reason(
    "QUESTION_EMPTY", Kind.WRONG_USE, "The question has no words in it.", "Ask something."
)
QUESTION_TOO_LONG = reason(
    "QUESTION_TOO_LONG",
    Kind.WRONG_USE,
    "The question is longer than 2,000 characters, or the message than 5,000.",
    "Shorten it; put background into a file.",
)
NOTHING_UNDERSTOOD = reason(
    "NOTHING_UNDERSTOOD",
    Kind.DATA,
    "No word of the question could be tied to a table, column or value of the data.",
    "Name a column or table; the message lists what there is.",
)
CLARIFICATION_NEEDED = reason(
    "CLARIFICATION_NEEDED",
    Kind.STATE,
    "The question has several readings that give different answers.",
    "Answer with one of the options, or ask again and let the likeliest reading be assumed.",
)
NO_PENDING_QUESTION = reason(
    "NO_PENDING_QUESTION",
    Kind.STATE,
    "The job is not waiting for an answer.",
    "See the job's state.",
)
NO_SUCH_OPTION = reason(
    "NO_SUCH_OPTION",
    Kind.WRONG_USE,
    "The answer to a question back is neither the id nor the text of one of its options.",
    "Answer with one of the options.",
)
QUESTION_BLOCKED = reason(
    "QUESTION_BLOCKED",
    Kind.POLICY,
    "The question itself holds text that a blocked pattern matches.",
    "Take the personal data out of the question.",
)
