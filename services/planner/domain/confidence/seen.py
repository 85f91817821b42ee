"""What is seen of a decision before anything runs, and says how often such ones are right."""

from __future__ import annotations

from typing import Literal

from services.planner.domain.catalogue import Frozen

ConfidenceLevel = Literal["high", "medium", "low"]
Kind = Literal["rules", "edit", "chosen", "agreed", "model", "twice", "edit twice", "person"]
KINDS: tuple[Kind, ...] = (
    "rules",
    "edit",
    "chosen",
    "agreed",
    "model",
    "twice",
    "edit twice",
    "person",
)
"""Whose decision it is: the rules' alone, of a whole question or of words that change a reading, or
that a person chose among theirs; one that rules and model share; the model's by one sample and by
two that agree, of a whole question or of one that goes on; a person's own statement. What a recipe
remembers keeps its first kind."""

RAISING = ("fairly sure", "sure", "surest", "clear", "plain")
"""Features that may raise confidence: what the rules think of their own reading, and how plainly it
answers. All others can only lower it."""
_MOST, _LONG, _SURE, _CLEAR = 3, 20, 0.9, 0.97
_HIGH, _MEDIUM = 2, 1


class Seen(Frozen):
    """What speaks for and against a decision.

    `level` is how sure the rules were of their own reading, None where they have none, `reading`
    what their ranker thinks of it, 0 to 1, and `odds` of its result among those of all readings
    that were tried, None where none were. A person has `chosen` it, or `corrected` it. `beside` is
    what who else was asked gave: of the rules' decision the model, of the model's the rules.
    `samples` of the model gave this result; `divided` says that another sample gave a different
    one, `denied` that the model holds the data to have no answer, `unanswered` that the data did
    not answer every check in time, `of_doubtful` that it goes on from a reading that was not
    certain. Counts are of findings that are left, of joins, of what was assumed, and of `words` of
    the question; `unread` are those of a first question that are no part of the statement,
    `undeclared` joins those by columns that nobody declared (`plainly.py`). `alarms` are errors and
    doubts of any check in what rules and model share: about most of it the rules' reading has
    doubts of its own, which are told.
    """

    proposer: Literal["rules", "model", "person"] = "rules"
    level: ConfidenceLevel | None = None
    reading: float | None = None
    odds: float | None = None
    chosen: bool = False
    corrected: bool = False
    beside: Literal["none", "same", "other"] = "none"
    samples: int = 1
    divided: bool = False
    denied: bool = False
    errors: int = 0
    doubts: int = 0
    notes: int = 0
    unanswered: bool = False
    alarms: int = 0
    joins: int = 0
    undeclared: int = 0
    words: int = 0
    unread: int = 0
    assumptions: int = 0
    alternatives: int = 0
    tested: bool = False
    follow_up: bool = False
    of_doubtful: bool = False

    @property
    def kind(self) -> Kind:
        """Which measure holds for it."""
        if self.proposer == "person":
            return "person"
        if self.proposer == "model":
            again: Kind = "edit twice" if self.follow_up else "twice"
            return again if self.samples > 1 else "model"
        if self.beside == "same":
            return "agreed"
        if self.follow_up or self.corrected:
            return "edit"
        return "chosen" if self.chosen else "rules"

    @property
    def unchecked(self) -> Seen:
        """Without what checks and the words of one question said."""
        who = (
            "proposer",
            "level",
            "reading",
            "odds",
            "chosen",
            "corrected",
            "beside",
            "samples",
            "divided",
            "denied",
            "words",
        )
        return Seen(**{name: getattr(self, name) for name in who})

    @property
    def doubted(self) -> bool:
        """Whether something is told against it: then it is not sure, whatever was measured."""
        against = self.divided or self.denied or self.unanswered or self.of_doubtful
        return against or self.errors + self.doubts + self.alternatives > 0

    @property
    def plain(self) -> bool:
        """Whether it is a plain question plainly read: each of its words is a name or a value of
        the statement or asks for a part of it, its joins are declared, nothing is assumed, and no
        other reading comes near."""
        clear = self._own_level >= _HIGH and (self.odds or 0.0) >= _CLEAR
        return clear and not self.unread + self.undeclared + self.assumptions

    @property
    def _own_level(self) -> int:
        """How sure the rules are of their reading, 0 to 2; one less where a model says that the
        data have no answer, of which nothing was measured."""
        levels = {"high": _HIGH, "medium": _MEDIUM}
        return max(0, levels.get(self.level or "", 0) - self.denied)

    @property
    def features(self) -> dict[str, float]:
        """The same as numbers, without those that are nothing."""
        own, level = self.proposer == "rules", self._own_level
        differs = self.proposer == "model" and self.beside == "other"
        every = {
            "fairly sure": own and level >= _MEDIUM,
            "sure": own and level >= _HIGH,
            "surest": _above(self.reading) if own and level >= _HIGH else 0.0,
            "clear": _above(self.odds) if own else 0.0,
            "plain": own and self.plain,
            "errors": min(self.errors, 2),
            "doubts": min(self.doubts, _MOST),
            "notes": min(self.notes, _MOST),
            "unanswered": self.unanswered,
            "alarms": min(self.alarms, _MOST),
            "long question": min(self.words, _LONG) / _LONG,
            "joins": min(self.joins, _MOST),
            "undeclared joins": min(self.undeclared, _MOST),
            "assumptions": min(self.assumptions, _MOST),
            "alternatives": min(self.alternatives, 2),
            "rules differ": differs,
            "rules differ and are sure": differs and self.level == "high",
            "divided": self.divided,
            "tested": self.tested,
            "follow-up": self.follow_up,
            "of a doubtful reading": self.of_doubtful,
        }
        return {name: float(value) for name, value in every.items() if value}


def _above(reading: float | None) -> float:
    """How far a reading, or its odds, are above where they count as sure, 0 to 1."""
    return max(0.0, ((reading or 0.0) - _SURE) / (1 - _SURE))
