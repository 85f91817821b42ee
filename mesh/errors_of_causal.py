"""Reasons to refuse or end a causal job (seed 001); to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.kinds import Kind
from mesh.reasons import reason

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
