"""Questions of another kind than can be answered: causes, and sentences that stay mostly unread."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import Token
from services.planner.domain.lexicon.vocabulary import STOP_WORDS

_CAUSE = re.compile(
    r"^\W*(?:(?:and|but|so)\s+)?(?:why|how\s+come)\b"
    r"|\bwhat\s+(?:caused|causes|explains|explained|led\s+to|is\s+behind|was\s+behind)\b"
    r"|\b(?:the|a)\s+(?:reasons?|causes?)\s+(?:why|for|of|behind)\b|\bexplain\s+why\b",
    re.IGNORECASE,
)
_FEW, _NAMED = 3, 6


def why_no_cause(question: str, names: frozenset[str]) -> str:
    """That causes cannot be told, where they are asked for and no column is called after them."""
    if not _CAUSE.search(question) or names & {"reason", "caus", "why"}:
        return ""
    return (
        "Why something is so cannot be told. Ask how a number changed, by what it differs,"
        " or whether it is linked to another. Why a number moved is looked into where it is said"
        ' when: "why did revenue drop in March 2024".'
    )


def why_mostly_unread(scene: Scene, unknown: Sequence[Token]) -> str:
    """That more was left over than was read, so that the rest is no answer to the question."""
    inside = {i for m in scene.mentions for i in range(m.first, m.last)}
    read = [
        i
        for i, token in enumerate(scene.tokens)
        if i in inside or (token.used and token.lower not in STOP_WORDS)
    ]
    if len(unknown) < _FEW or len(unknown) <= len(read):
        return ""
    said = ", ".join(f'"{token.text}"' for token in unknown[:_NAMED])
    more = " and others" if len(unknown) > _NAMED else ""
    return f"Most of the question could not be read: {said}{more} are nothing in the data."
