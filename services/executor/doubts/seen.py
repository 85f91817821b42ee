"""A table as doubts are looked for in: what is known of its columns, and a way to ask for more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt
from services.executor.facts.asking import Ask


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """A column with its statistics; `minimum` and `maximum` are texts in ISO form."""

    name: str
    data_type: DataType
    nulls: int = 0
    distinct: int = 0
    minimum: str | None = None
    maximum: str | None = None
    samples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenTable:
    """A table of `rows` rows, which SQL calls `name`."""

    name: str
    rows: int
    columns: tuple[SeenColumn, ...]


Find = Callable[[SeenTable, Ask], Iterator[Doubt]]
"""What a kind of doubt is found by. It asks the data only where the statistics make it likely, so
that a table without a fault costs next to nothing. Raises UnansweredError."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of doubt: its code, what it is called, and for people why it matters and what is
    right."""

    code: str
    name: str
    why: str
    find: Find
