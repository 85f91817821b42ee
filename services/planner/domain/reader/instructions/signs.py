"""Comparisons as sentences state them, in signs or in words: "≥", "at least", "older than"."""

from __future__ import annotations

import re

from services.planner.domain.query.defining.terms import Function

_MORE, _LESS = "greater|more|larger|higher|bigger|older", "less|fewer|smaller|lower|younger"
_SIGNS: tuple[tuple[str, Function], ...] = (
    (
        rf">=|≥|> =|at least|no less than|not less than|(?:{_MORE}) than or equal to|minimum of",
        ">=",
    ),
    (rf"<=|≤|< =|at most|no more than|not more than|up to|(?:{_LESS}) than or equal to", "<="),
    (rf">|(?:strictly )?(?:{_MORE}) than|above|over|exceeds?|exceeding|after|beyond", ">"),
    (rf"<|(?:strictly )?(?:{_LESS}) than|below|under|before", "<"),
    (r"!=|≠|not equal to|not|other than", "!="),
    (r"==?|equals?(?: to)?|of exactly|exactly", "=="),
)
SIGN = "|".join(words for words, _ in _SIGNS)
"""Every comparison in words or signs, as a pattern."""


def sign_of(words: str) -> Function:
    """The comparison that words state."""
    return next(sign for pattern, sign in _SIGNS if re.fullmatch(pattern, words.strip()))
