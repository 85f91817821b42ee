"""How far a fragment is read."""

from __future__ import annotations

from services.planner.domain.query.intent import Aggregate, Intent
from services.planner.domain.reader.chart.conditions import proposals
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.fragments.cues import Move
from services.planner.domain.reader.fragments.fragment import Fragment
from services.planner.domain.reader.fragments.parts import fields_of, tables_of
from services.planner.domain.reader.grammar.rules import Cue

NAMED, SPOKEN, PARTLY = 0.45, 0.6, 0.3
"""How much of a name is said where a column is named, a table is spoken of, and a part will do."""
LEAST_QUALITY = 0.5  # a part of a value is no value: "people" is not "People Ops"
_SURE_VALUE = 0.8
_VALUES = ("exact", "stem", "alias")


class Progress:
    """One fragment being read: `done` are the words that something was made of, `moves` what is
    done with each word, `cues` the aggregates that no number was made of yet, `valued` the columns
    of which a value is said; `whole` tells that the words might be a question of their own."""

    def __init__(self, scene: Scene, intent: Intent, words: str) -> None:
        self.scene, self.intent, self.words = scene, intent, words
        self.base = intent.base
        self.tables = tables_of(intent)
        self.fields = fields_of(intent)
        self.done: set[int] = set()
        self.moved: list[Move] = []
        self.cues: list[Cue[Aggregate]] = []
        self.whole = False
        self.found = Fragment(scene.question)
        # A default that no word states, such as the latest year, holds of whole questions alone.
        self.proposals: list[Proposal] = [p for p in proposals(scene) if p.first <= p.last]
        self.valued = {
            p.place.index
            for p in self.proposals
            if p.place is not None and p.source in _VALUES and p.quality >= LEAST_QUALITY
        }

    def in_value(self, first: int, last: int) -> bool:
        """Whether words are part of a longer value: "airlines" of "Malaysia Airlines"."""
        return any(
            p.source in _VALUES
            and p.quality >= _SURE_VALUE
            and p.last - p.first > last - first
            and p.first <= first
            and last <= p.last
            for p in self.proposals
        )

    def read(self, first: int, last: int) -> None:
        """Takes words as read."""
        self.done |= set(range(first, last + 1))

    def read_idle(self, first: int, last: int) -> None:
        """A cue is read unless it is part of a name of the data."""
        for at in range(first, last + 1):
            if self.scene.named[at] < 1:
                self.done.add(at)
