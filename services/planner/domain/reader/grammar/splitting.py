"""What asks for numbers of groups: "by region", "across clinics", "chat vs email"."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from services.planner.domain.reader.grammar.rules import Cue, Rule, Words


class Split(StrEnum):
    """How groups are asked for."""

    OF_EACH = "of each"  # the word after it says what each number is of
    OVER = "over"
    AGAINST = "against"


SPLITS: tuple[Rule[Split], ...] = (
    Rule(
        "of each",
        r"by|per|each|every",
        Split.OF_EACH,
        examples=("revenue by region", "the highest mark in each course"),
    ),
    Rule(
        "over groups",
        r"across|among|between|over|for all|grouped|distribution|breakdown|split|spread",
        Split.OVER,
        examples=("how sales are spread", "delays across airlines"),
    ),
    Rule(
        "set against each other",
        r"vs|versus|against|than|compared?|whether|if|or|and",
        Split.AGAINST,
        examples=("smokers and others", "chat vs email"),
    ),
)


def splits(words: Words, *how: Split) -> Sequence[Cue[Split]]:
    """Where groups are asked for, in one of these ways; in any, where none is named."""
    return [cue for cue in words.find(SPLITS) if not how or cue.means in how]
