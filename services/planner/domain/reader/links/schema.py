"""The catalogue made ready for linking: every column with its words, its kind and its unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.defining.terms import Definition
from services.planner.domain.query.intent import Field
from services.planner.domain.reader.links.countries import named_by_values
from services.planner.domain.semantics.kinds import (
    Kind,
    holds_years,
    is_flag,
    is_number,
    is_running_total,
    is_time,
    kind_of,
    unit_of,
)
from services.planner.domain.semantics.units import Unit, guessed_unit, names_unit

_OWN_TABLE, _FILLER, _UNIT = 0.35, 0.4, 0.1
_OWN_ROW = 0.9  # different values for each row, of what tells rows apart
_BEFORE_UNIT = frozenset(("in", "per", "of"))
_KEYS = frozenset(("id", "code", "key"))


@dataclass(frozen=True, eq=False)
class Place:
    """One column. `weights` say how much each word of its name matters for naming it; `synonyms`
    are the words of other names that a semantic model gives it.

    With a `definition` no table holds it: it is worked out from others. A `running` total tells how
    many there have been so far.
    """

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
    running: bool = False
    definition: Definition | None = None
    synonyms: tuple[tuple[str, ...], ...] = ()

    @cached_property
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
    def year(self) -> bool:
        """Whether it tells years as numbers."""
        return self.number and self.kind is Kind.DATE_PART and holds_years(self.column)

    @property
    def unique(self) -> float:
        """Distinct values for each row, 1 at most: either number may be an estimate."""
        return min(1.0, self.column.distinct / max(1, self.table.rows))

    @property
    def measure(self) -> Unit | None:
        """Its unit as its name tells it, or as its values let one guess."""
        if self.unit is not None or not self.number:
            return self.unit
        try:
            low, high = float(self.column.minimum or ""), float(self.column.maximum or "")
        except ValueError:
            return None
        return guessed_unit(self.words, low, high)

    @property
    def last(self) -> str:
        """The stem of the name's last word."""
        return stem(self.words[-1])


@dataclass(frozen=True, eq=False)
class Schema:
    """All columns in the catalogue's order."""

    catalogue: Catalogue
    places: tuple[Place, ...]

    @cached_property
    def table_words(self) -> dict[str, tuple[str, ...]]:
        """The words of each table's name."""
        return {table.name: words_of(table.name) for table in self.catalogue.tables}

    @cached_property
    def table_synonyms(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """The words of other names of each table."""
        return {t.name: tuple(map(words_of, t.synonyms)) for t in self.catalogue.tables}

    @cached_property
    def of_field(self) -> dict[tuple[str, str], Place]:
        """Columns by table and name."""
        return {(p.table.name, p.column.name): p for p in self.places}

    @cached_property
    def name_counts(self) -> Counter[tuple[str, ...]]:
        """How many columns each name has, as words."""
        return Counter(place.words for place in self.places)

    def having(self, places: Sequence[Place]) -> Schema:
        """With further columns, numbered after its own."""
        start = len(self.places)
        more = [replace(place, index=start + at) for at, place in enumerate(places)]
        return Schema(self.catalogue, (*self.places, *more))

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
                    index=len(places),
                    table=table,
                    column=column,
                    words=words,
                    weights=_weights(words, () if _repeats(column, table, catalogue) else own),
                    kind=kind_of(column, table),
                    unit=unit_of(column),
                    synonyms=tuple(
                        words_of(text) for text in column.synonyms or named_by_values(column, table)
                    ),
                    number=is_number(column),
                    time=is_time(column),
                    flag=is_flag(column),
                    running=is_running_total(column, table),
                )
            )
    return Schema(catalogue, tuple(places))


def _repeats(column: Column, table: Table, catalogue: Catalogue) -> bool:
    """Whether a table tells several rows of each thing that its own name speaks of, and no other
    table does: readings are called "sensors", and each sensor has many."""
    entities = {stem(word) for word in words_of(column.name)} - {"id"}
    others = {stem(w) for t in catalogue.tables if t is not table for w in words_of(t.name)}
    repeated = column.distinct < _OWN_ROW * table.rows and not entities & others
    return repeated and "id" in words_of(column.name)


def _weights(words: tuple[str, ...], own: tuple[str, ...]) -> tuple[float, ...]:
    """Little for words of the table's own name and for fillers, unless there are no others, and
    next to nothing for the unit or the year that a name ends with: "salary_in_usd"."""
    stems = {stem(word) for word in own}
    number = _without_unit(words)

    def weight(at: int, word: str) -> float:
        if (
            at and at == number - 1 and stem(word) in stems
        ):  # "net amount" of "amounts" is an amount
            return 1.0
        if stem(word) in stems or (len(word) > 2 and any(o.startswith(word) for o in own)):
            return _OWN_TABLE
        return _FILLER if word in STOP_WORDS else 1.0

    found = tuple(weight(at, word) for at, word in enumerate(words[:number]))
    found = found if max(found) == 1.0 else (1.0,) * number
    return found + (_UNIT,) * (len(words) - number)


def _without_unit(words: tuple[str, ...]) -> int:
    """How many words of a name stand before its unit, or its year; all where it has neither."""
    number = len(words)
    while number > 1 and (
        names_unit(words[number - 1])
        or words[number - 1].isdigit()
        or (number < len(words) and words[number - 1] in _BEFORE_UNIT)
    ):
        number -= 1
    return number
