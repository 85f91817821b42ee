"""Words that mean the same."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from services.planner.domain.lexicon.normalise import stem
from services.planner.domain.lexicon.vocabulary import (
    SYNONYM_GROUPS,
)


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = defaultdict(set)
    for group in SYNONYM_GROUPS:
        stems = [stem(word) for word in group if " " not in word]
        for one in stems:
            groups[one].update(s for s in stems if s != one)
    return {key: frozenset(value) for key, value in groups.items()}


def synonyms_of(word: str) -> frozenset[str]:
    """The stems that mean the same as this one, without it."""
    return _synonyms().get(word, frozenset())
