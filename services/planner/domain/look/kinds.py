"""What the values of a column mean to a look: the reader's kinds, and what it cannot know."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from services.planner.domain.catalogue import Column, Table
from services.planner.domain.semantics.kinds import Kind, adds_up
from services.planner.domain.semantics.kinds import kind_of as read_kind
from services.planner.domain.semantics.units import unit_of_name


class SemanticKind(StrEnum):
    """What a column's values mean, and so what may be done with them."""

    ID = "id"
    FLAG = "flag"
    CATEGORY = "category"
    NAME = "name"
    TEXT = "text"
    DATE_PART = "date part"
    TIME = "time"
    AMOUNT = "amount"
    LEVEL = "level"
    INTENSIVE = "intensive"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A kind with what is measured in; the unit is empty where nothing tells it."""

    kind: SemanticKind
    unit: str = ""


def kind_of(column: Column, table: Table) -> Meaning:
    """What a column of a table means; NUMBER where nothing tells whether it may be added up."""
    kind, unit = read_kind(column, table), unit_of_name(column.name)
    semantic_kind = SemanticKind(kind.value)
    if kind is Kind.AMOUNT and not adds_up(column):
        semantic_kind = SemanticKind.NUMBER
    return Meaning(semantic_kind, column.unit or (unit.name if unit is not None else ""))
