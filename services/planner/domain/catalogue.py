"""What the planner knows of the data without ever reading it: descriptions and looked-up values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from mesh.digest import sha256_hex
from services.planner.domain.doubt import Doubt
from services.planner.domain.facts import Facts
from services.planner.domain.frozen import (
    Frozen as Frozen,  # whoever knows catalogues makes more such values
)

_PLAIN_NAME = re.compile(r'"([A-Za-z_]\w*)"')
_DIVISOR = re.compile(r"NULLIF\((.+?), 0\)")


class DataType(StrEnum):
    """Logical type of a column, whatever the source's own name for it (seed 002)."""

    STRING = "string"
    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"


class ColumnRole(StrEnum):
    """What a column is for, inferred from its name, type and statistics (seed 002)."""

    DIMENSION = "dimension"
    MEASURE = "measure"
    ID = "id"
    TIMESTAMP = "timestamp"


class Alias(Frozen):
    """Another name, `said` by people, of a value of a column: "NYC" of "New York"."""

    said: str
    value: str


class Column(Frozen):
    """One column. `minimum` and `maximum` are texts in ISO form; `samples` are frequent values.

    What a semantic model says of it: other names, its kind (`reader.links.semantics.Kind`) and
    unit where names do not tell, other names of its values. One with a `formula` is a metric: it is
    not in the data but computed, by SQL over columns whose tables are named. With a `guess` no
    model says so: it is what a word of business was taken for, as it is told. One that is `unread`
    is known by a sample, and read once something uses it.
    """

    name: str
    data_type: DataType
    role: ColumnRole
    nullable: bool = False
    distinct: int = 0
    nulls: int = 0
    minimum: str | None = None
    maximum: str | None = None
    samples: tuple[str, ...] = ()
    comment: str = ""
    synonyms: tuple[str, ...] = ()
    kind: str = ""
    unit: str = ""
    aliases: tuple[Alias, ...] = ()
    formula: str = ""
    guess: str = ""
    unread: bool = False

    def formula_in(self, table: str) -> str:
        """The formula as a person of that table would write it: without the table's own name,
        needless quotes, and care for a divisor of nought."""
        own = self.formula.replace(f'"{table}".', "")
        return _DIVISOR.sub(r"\1", _PLAIN_NAME.sub(r"\1", own))


class Table(Frozen):
    """One table, under the name that SQL of this request uses for it.

    `time_column` is the date that its rows are told by where a semantic model says so: a column of
    its own, or "table.column" of one that it refers to.
    """

    name: str
    source_name: str
    rows: int
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    comment: str = ""
    synonyms: tuple[str, ...] = ()
    time_column: str = ""

    @property
    def stored(self) -> tuple[Column, ...]:
        """The columns that the data has: those that SQL may name."""
        return tuple(column for column in self.columns if not column.formula)

    def column(self, name: str) -> Column | None:
        """The column of that exact name, or None."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        """The first of columns called alike; thousands are asked for by name, each often."""
        return {column.name: column for column in reversed(self.columns)}


class Relationship(Frozen):
    """Rows of `from_table` refer to a row of `to_table`; `confidence` is 1.0 where declared.

    `further` are more pairs of columns, from and to, that must be equal too. `by_model` says that
    a semantic model declares it.
    """

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    confidence: float = 1.0
    declared: bool = True
    further: tuple[tuple[str, str], ...] = ()
    by_model: bool = False


class Unrelated(Frozen):
    """Two columns that do not join their tables, whatever their names and values suggest."""

    table: str
    column: str
    other_table: str
    other_column: str

    def denies(self, link: Relationship) -> bool:
        """Whether a relationship is the one that there is not."""
        ends = {(link.from_table, link.from_column), (link.to_table, link.to_column)}
        return ends == {(self.table, self.column), (self.other_table, self.other_column)}


class Catalogue(Frozen):
    """All tables a request may use, after policy has taken away what it may not.

    `unrelated` are joins that somebody who knows the data denies. `lacking` are names that somebody
    who knows it gave to what this request may not use: they mean nothing else. `facts` were
    measured of the rows; there are none yet where nobody asked before. `doubts` were seen in them,
    the gravest first. `fiscal_year_starts` is the month, 0 where nobody said. `unused` tells of
    approved definitions that do not fit and are not used.
    """

    tables: tuple[Table, ...]
    relationships: tuple[Relationship, ...] = ()
    fingerprint: str = ""
    unrelated: tuple[Unrelated, ...] = ()
    lacking: tuple[str, ...] = ()
    facts: Facts = Facts()
    doubts: tuple[Doubt, ...] = ()
    fiscal_year_starts: int = 0
    unused: tuple[str, ...] = ()

    def denying(self, pairs: Sequence[Unrelated]) -> Catalogue:
        """The catalogue without these joins, be they known or guessed."""
        kept = tuple(r for r in self.relationships if not any(p.denies(r) for p in pairs))
        return self.model_copy(
            update={"relationships": kept, "unrelated": (*self.unrelated, *pairs)}
        )

    def __hash__(self) -> int:
        """Of the names and sizes of tables alone: many things are kept by catalogue, and to hash
        every column of hundreds at each look-up takes longer than most of what is kept."""
        return hash((self.fingerprint, *((t.name, len(t.columns)) for t in self.tables)))

    def __eq__(self, other: object) -> bool:
        """Whether the content is the same: each look-up of what is kept by catalogue asks it, and
        comparing thousands of columns one by one would take longer than what is saved."""
        if not isinstance(other, Catalogue):
            return NotImplemented
        return self is other or self._content == other._content

    @cached_property
    def _content(self) -> str:
        """A digest of all fields, computed when another catalogue is first compared."""
        return sha256_hex(self.model_dump_json().encode())

    def table(self, name: str) -> Table | None:
        """The table of that exact name, or None."""
        return next((t for t in self.tables if t.name == name), None)

    def doubted(self, code: str, table: str, column: str) -> Doubt | None:
        """The doubt of a kind that was seen in a column, where nothing was made of it."""
        known = (one for one in self.doubts if one.code == code and not one.repaired)
        return next((d for d in known if (d.table, d.column) == (table, column)), None)


class ValueHit(Frozen):
    """A cell value that matches a phrase of the question. `score` is 1.0 for an exact match."""

    phrase: str
    table: str
    column: str
    value: str
    score: float


class ValueLookup(Protocol):
    """Asks the executor which text columns hold values like these phrases."""

    async def __call__(self, phrases: Sequence[str]) -> Sequence[ValueHit]:
        """Hits for all phrases, best first; case and word endings are ignored."""
        ...


class Likeness(Frozen):
    """How alike in meaning a phrase and a name are: `similarity` is a cosine, to two digits."""

    phrase: str
    name: str
    similarity: float


class MeaningLookup(Protocol):
    """Asks which names mean what these phrases mean."""

    async def __call__(self, phrases: Sequence[str], names: Sequence[str]) -> Sequence[Likeness]:
        """The few nearest names of each phrase, best first; none where meaning is not known."""
        ...
