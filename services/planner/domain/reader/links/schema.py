"""The catalogue made ready for linking: every column with its words, kind and place in the joins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.language.intent import Field
from services.planner.domain.language.joining.joins import JoinGraph, graph_of
from services.planner.domain.reader.links.names import words_of
from services.planner.domain.reader.links.semantics import (
    Kind,
    is_flag,
    is_number,
    is_time,
    kind_of,
)
from services.planner.domain.reader.links.units import Unit, unit_of_name
from services.planner.domain.reader.words.common import STOP_WORDS
from services.planner.domain.reader.words.tokens import stem

_OWN_TABLE, _FILLER = 0.35, 0.4
_KEYS = frozenset(("id", "code", "key"))


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """One column. `weights` say how much each word of its name matters for naming it."""

    index: int
    table: Table
    column: Column
    words: tuple[str, ...]
    weights: tuple[float, ...]
    kind: Kind
    unit: Unit | None
    number: bool
    time: bool
    flag: bool

    @property
    def field(self) -> Field:
        """The column as intents name it."""
        return Field(table=self.table.name, column=self.column.name)

    @property
    def text(self) -> bool:
        """Whether values are text and no days."""
        return self.column.data_type is DataType.STRING and not self.time

    @property
    def key(self) -> bool:
        """Whether the name says that it identifies something."""
        return "id" in self.words or self.column.name.lower() in _KEYS

    @property
    def unique(self) -> float:
        """Distinct values for each row."""
        return self.column.distinct / max(1, self.table.rows)

    @property
    def last(self) -> str:
        """The stem of the name's last word."""
        return stem(self.words[-1])


@dataclass(frozen=True, eq=False)
class Schema:
    """All columns in the catalogue's order, and the graph of joins."""

    catalogue: Catalogue
    places: tuple[Place, ...]
    graph: JoinGraph

    @cached_property
    def table_words(self) -> dict[str, tuple[str, ...]]:
        """The words of each table's name."""
        return {table.name: words_of(table.name) for table in self.catalogue.tables}

    @cached_property
    def of_field(self) -> dict[tuple[str, str], Place]:
        """Columns by table and name."""
        return {(p.table.name, p.column.name): p for p in self.places}

    def of_table(self, table: str) -> list[Place]:
        """The columns of a table."""
        return [place for place in self.places if place.table.name == table]


@lru_cache(maxsize=16)
def schema_of(catalogue: Catalogue) -> Schema:
    """The schema of a catalogue, built once for equal content."""
    places: list[Place] = []
    for table in catalogue.tables:
        own = words_of(table.name)
        for column in table.columns:
            words = words_of(column.name)
            places.append(
                Place(
                    len(places),
                    table,
                    column,
                    words,
                    _weights(words, own),
                    kind_of(column, table),
                    unit_of_name(column.name),
                    is_number(column),
                    is_time(column),
                    is_flag(column),
                )  # fmt: skip
            )
    return Schema(catalogue, tuple(places), graph_of(catalogue))


def _weights(words: tuple[str, ...], own: tuple[str, ...]) -> tuple[float, ...]:
    stems = {stem(word) for word in own}
    found = tuple(
        _OWN_TABLE
        if stem(word) in stems or (len(word) > 2 and any(o.startswith(word) for o in own))
        else _FILLER
        if word in STOP_WORDS
        else 1.0
        for word in words
    )
    return found if max(found) == 1.0 else (1.0,) * len(words)
