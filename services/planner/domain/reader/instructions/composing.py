"""What is known while an analysis is put together: its ground, its figures, the tests wished."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from services.planner.domain.catalogue import ColumnRole, DataType, Table
from services.planner.domain.reader.instructions.condition import Condition
from services.planner.domain.reader.instructions.ground import Ground
from services.planner.domain.reader.instructions.offers import Offer
from services.planner.domain.reader.instructions.output import Slot
from services.planner.domain.reader.instructions.sentences import Sentence
from services.planner.domain.reader.instructions.slots import with_order
from services.planner.domain.reader.instructions.steps import OutlierWish
from services.planner.domain.reader.instructions.tests import Parameters, TestWish
from services.planner.domain.reader.instructions.verdicts import Rule

_C = r"⟨c\d+⟩"
_NEARLY = 0.9


class Composing:
    """What has been read so far; the other parts of composing add to it."""

    def __init__(
        self,
        table: Table,
        slots: Sequence[Slot],
        question: str,
        spoken: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.ground = Ground(table, spoken=dict(spoken))
        self.slots = slots
        self.question = question
        self.offers: list[Offer] = []
        self.wishes: list[TestWish] = []
        self.barriers: list[int] = []
        self.asked: frozenset[str] = frozenset()
        self.groups: list[Condition] = []

        self.rules: list[Rule] = []
        self.parameters = Parameters()
        self.outliers: OutlierWish | None = None

    def stage(self, offer: Offer) -> int:
        """How many steps come before a figure: all but those told after it to be done then."""
        if offer.barriers < len(self.barriers):
            return self.barriers[offer.barriers]
        return len(self.ground.steps)

    def offer(self, offers: Sequence[Offer], place: int) -> None:
        """Adds figures that a sentence, by its place, asks for or brings with it."""
        self.offers += with_order(offers, len(self.barriers), place)

    def take_rest(self, sentence: Sentence, used: frozenset[str] | None = None) -> None:
        """Columns that a report speaks of are read: "report the coefficient of weight".

        Where figures are asked for, only those that they use, so that no other is lost.
        """
        if not (self.offers or self.wishes):
            return
        sentence.matched = True
        here = {n: sentence.marks[n].column for n in re.findall(_C, sentence.text)}
        meaning = self.ground.meaning
        sentence.read |= {
            name
            for name, column in here.items()
            if used is None or {column, meaning(column)} & used or self.is_entity(sentence, name)
        }

    def is_entity(self, sentence: Sentence, name: str) -> bool:
        """Whether words name the rows, as "airlines" does, and no column of theirs."""
        mark = sentence.marks[name]
        column = self.ground.column(mark.column)
        text = sentence.wording[mark.start : mark.end].lower()
        unique = column.distinct >= _NEARLY * self.ground.table.rows
        plural = text.endswith("s") and not mark.column.lower().endswith("s")
        named_by = column.role is ColumnRole.ID or mark.column.lower().endswith("id")
        if named_by and unique and "id" not in text.split("_"):
            return True  # "employees" are rows, whatever their numbers are called
        return column.data_type is DataType.STRING and (unique or plural)
