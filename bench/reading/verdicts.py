"""What became of one question, for people and as figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bench.reading.judging import Judgement
from bench.reading.protocol import Answered
from bench.reading.sets import Item


class Verdict(StrEnum):
    """How a question went. Every question has exactly one."""

    RIGHT = "right"
    EXTRA = "right, extra columns"
    DOUBTED = "wrong, doubt stated"
    UNDOUBTED = "wrong, none stated"
    ASKED = "asked"
    REFUSED = "refused"
    CRASHED = "crashed"


WRONG = (Verdict.DOUBTED, Verdict.UNDOUBTED)
GOOD = (Verdict.RIGHT, Verdict.EXTRA)


@dataclass(frozen=True, slots=True)
class Result:
    """One question's outcome. `rank` is the place, from 1, of the first right candidate."""

    item: Item
    verdict: Verdict
    judgement: Judgement
    confidence: float
    word: str
    doubts: tuple[str, ...]
    chart: str
    sql: str
    reply: str
    seconds: float
    executing_seconds: float
    rank: int | None
    candidates: int
    outcome: str = "crashed"
    constructs: tuple[str, ...] = ()
    kind: str = ""

    @property
    def good(self) -> bool:
        """Right, or right with harmless extra columns."""
        return self.verdict in GOOD

    @property
    def rows_good(self) -> bool:
        """As `good`, also where it asked first and its likelier option is right."""
        asked = self.verdict is Verdict.ASKED
        return self.good or (asked and self.judgement in (Judgement.RIGHT, Judgement.EXTRA))

    @property
    def answered(self) -> bool:
        """Whether there was an answer, right or wrong."""
        return self.outcome == "answered"

    @property
    def sure(self) -> bool:
        """An answer that was told as sure."""
        return self.answered and self.word == "sure"

    @property
    def chart_right(self) -> bool:
        """Whether the chart is of the kind that was asked for."""
        return bool(self.item.chart) and self.chart == self.item.chart


def verdict(item: Item, answer: Answered, judgement: Judgement) -> Verdict:
    """The verdict on an answer whose rows compare with the truth as `judgement` says.

    Asking or refusing is right where it is expected. Where refusing is, any answer is wrong; where
    asking is, one of the readings that should be offered is right with a doubt stated. A doubt is
    stated where assumptions or left-out words are, or where the answer is told as doubtful.
    """
    if answer.outcome == "asked":
        return Verdict.RIGHT if item.expect == "ask" else Verdict.ASKED
    if answer.outcome == "refused":
        return Verdict.RIGHT if item.expect == "refuse" else Verdict.REFUSED
    doubted = bool(answer.doubts) or answer.word == "doubtful"
    if item.expect == "answer" or (item.expect == "ask" and doubted):
        if judgement is Judgement.RIGHT:
            return Verdict.RIGHT
        if judgement is Judgement.EXTRA:
            return Verdict.EXTRA
    return Verdict.DOUBTED if doubted else Verdict.UNDOUBTED
