"""Reasons to refuse or end a causal job (seed 001); to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

NO_TREATMENT_OUTCOME = reason(
    "NO_TREATMENT_OUTCOME",
    Kind.WRONG_USE,
    "A causal job names no treatment and outcome, and no column looks like one.",
    "Name them: --treatment COLUMN --outcome COLUMN.",
)
KNOWLEDGE_INVALID = reason(
    "KNOWLEDGE_INVALID",
    Kind.WRONG_USE,
    "What was told of the data cannot be read, names columns that are not there, or contradicts "
    "itself.",
    "Write tiers, forbidden and required edges as docs/causal.md shows, with columns of the data.",
)
NOTHING_TO_HAND_OVER = reason(
    "NOTHING_TO_HAND_OVER",
    Kind.STATE,
    "A causal question is to be about what an investigation found, and that is no segment whose "
    "rows could be held against others.",
    "Name an explanation that has a segment, or ask of columns: --data, --treatment, --outcome.",
)
NO_ROW_MEASURE = reason(
    "NO_ROW_MEASURE",
    Kind.WRONG_USE,
    "A causal question is to be about a metric that single rows have no value of: a quotient of "
    "amounts, a count of rows or of different things, or leaves with a forecast.",
    "Name what a row tells of itself: --outcome COLUMN.",
)
