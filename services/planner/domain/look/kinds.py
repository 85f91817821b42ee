"""What the values of a column mean, as far as its role, type and values tell.

The one place that a look asks for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from services.planner.domain.catalogue import Column, ColumnRole, DataType, Table

_DATE_PARTS = frozenset("year quarter month week weekday day dayofweek dow hour minute yr".split())
_NAMES = frozenset("name title label surname firstname lastname fullname".split())
_FLAGS = frozenset("0 1 t f y n true false yes no".split())
# A text column with more different values than this part of its rows says words, not kinds.
_MOSTLY_DIFFERENT = 0.5
_FEW = 20


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
    """What a column of a table means. Whether a number may be added up is not known here."""
    if column.data_type in (DataType.DATE, DataType.DATETIME):
        return Meaning(SemanticKind.TIME)
    if column.data_type is DataType.BOOLEAN or _is_flag(column):
        return Meaning(SemanticKind.FLAG)
    words = _words(column.name)
    if column.role is ColumnRole.TIMESTAMP or (words and words[-1] in _DATE_PARTS):
        return Meaning(SemanticKind.DATE_PART)
    if column.role is ColumnRole.ID:
        return Meaning(SemanticKind.ID)
    if column.role is ColumnRole.MEASURE:
        return Meaning(SemanticKind.NUMBER)
    if words and words[-1] in _NAMES:
        return Meaning(SemanticKind.NAME)
    many = column.distinct > max(_FEW, _MOSTLY_DIFFERENT * table.rows)
    return Meaning(SemanticKind.TEXT if many else SemanticKind.CATEGORY)


def _is_flag(column: Column) -> bool:
    values = {sample.casefold() for sample in column.samples}
    return column.distinct == 2 and bool(values) and values <= _FLAGS


def _words(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.findall(r"[a-z0-9]+", spaced.lower())
