"""What is asked for and not answered, or not for sure: by reason, missing word and check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

LONGEST_SUBJECT = 100


class GapKind(StrEnum):
    """What a gap is of."""

    REASON = "reason"  # why there was no answer, a reason of mesh.errors
    WORD = "word"  # a word of questions for which nothing was found
    CHECK = "check"  # a check of analysis that an answer does not hold against: its code


@dataclass(frozen=True, slots=True)
class GapExample:
    """A job that a gap was seen in; `refused` where it was not answered."""

    job_id: str
    question: str
    asked_by: str
    asked_at: datetime
    refused: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """One gap: in how many jobs, of which so many were not answered, and the newest of them."""

    kind: GapKind
    subject: str
    refused: int
    doubted: int
    examples: tuple[GapExample, ...]


@dataclass(frozen=True, slots=True)
class Gaps:
    """Those of a time, each kind's most frequent first, among so many jobs that had ended."""

    ended: int
    refused: int
    doubted: int
    gaps: tuple[Gap, ...] = ()


def gaps_in(planning: Mapping[str, Any]) -> list[tuple[GapKind, str]]:
    """What a planning decision, as JSON, says is missing or in doubt: words and checks."""
    words = [(GapKind.WORD, str(word)[:LONGEST_SUBJECT]) for word in planning.get("missing") or ()]
    found = planning.get("findings") or ()
    codes = [str(one["code"]) for one in found if one.get("severity") in ("error", "doubt")]
    return list(dict.fromkeys([*words, *((GapKind.CHECK, code) for code in codes)]))
