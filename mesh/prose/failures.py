"""What is wrong with a text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FailureCode(StrEnum):
    """Kinds of failure; stable, for programs."""

    BINDING_UNREADABLE = "binding-unreadable"
    NUMBER_WRONG = "number-wrong"
    NUMBER_UNBOUND = "number-unbound"
    NAME_WRONG = "name-wrong"
    WORD_WRONG = "word-wrong"
    WORD_UNBOUND = "word-unbound"
    DOUBT_LEFT_OUT = "doubt-left-out"
    FRAME_CONTESTED = "frame-contested"


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that a text says and that is not borne out.

    `claimed` is what the text says, `found` what would be true or is missing, `mend` what to write.
    `start` and `end` are characters of the text, `line` counts from 1.
    """

    code: FailureCode
    claimed: str
    found: str
    mend: str
    start: int
    end: int
    line: int = 0
