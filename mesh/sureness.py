"""How sure an answer is told, in one word that every surface uses (docs/confidence.md)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

Level = Literal["high", "medium", "low"]
Word = Literal["sure", "likely", "doubtful"]
WORDS: Mapping[Level, Word] = MappingProxyType(
    {"high": "sure", "medium": "likely", "low": "doubtful"}
)
"""The levels that are recorded and sent, surest first, each with its word."""


def describe_level(level: str) -> str:
    """The word for a level, as people are told it; empty where none is said."""
    return next((word for known, word in WORDS.items() if known == level), "")
