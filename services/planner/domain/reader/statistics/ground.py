"""What a question for a test names: columns and tables in order, and the rows that it is of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from services.planner.domain.catalogue import Catalogue, Column
from services.planner.domain.lexicon.normalise import Token
from services.planner.domain.query.intent import Condition, Filter, Operator
from services.planner.domain.reader.chart.beam import Conditions
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.links.mentions import Mention, TableMention, Tie
from services.planner.domain.reader.words.common import STOP_WORDS

_NAMED = 0.8
_Span = TypeVar("_Span", Mention, TableMention)
_EITHER = (Operator.EQUAL, Operator.IN)


@dataclass(frozen=True, slots=True)
class Named:
    """Tokens `first` up to, not including, `last` name a column, or a table."""

    first: int
    last: int
    phrase: str
    table: str
    column: str = ""
    score: float = 1.0

    @property
    def kind(self) -> str:
        """Whether a "column" or a "table" is named."""
        return "column" if self.column else "table"


@dataclass(slots=True)
class Ground:
    """The words, what they name, and who has taken which; `filters` say which rows are meant."""

    tokens: Sequence[Token]
    mentions: Sequence[Named]
    catalogue: Catalogue
    filters: Sequence[Filter] = ()
    conditions: frozenset[int] = frozenset()
    roles: dict[int, str] = field(default_factory=dict[int, str])

    def free(self, index: int) -> bool:
        """True while nothing has taken that mention."""
        return index not in self.roles

    def column(self, mention: Named) -> Column | None:
        """The column that a mention stands for."""
        table = self.catalogue.table(mention.table)
        return table.column(mention.column) if table else None

    def words(self, first: int, last: int) -> list[str]:
        """The lower-case words of tokens `first` up to, not including, `last`."""
        return [t.lower for t in self.tokens[max(0, first) : last]]

    def starting(self, token: int, within: int = 0) -> int | None:
        """The mention that starts at that token, or up to `within` tokens later."""
        for index, mention in enumerate(self.mentions):
            if token <= mention.first <= token + within:
                return index
        return None

    def unread(self) -> list[Token]:
        """The content words that name nothing, state no condition, and say nothing of the test."""
        inside = {at for m in self.mentions for at in range(m.first, m.last)}
        return [
            token for at, token in enumerate(self.tokens)
            if at not in inside | self.conditions and not token.used and not token.mark
            and (token.stem or token.quoted or token.number is not None)
            and token.lower not in STOP_WORDS
        ]  # fmt: skip


def ground_of(scene: Scene, tokens: Sequence[Token], chosen: Conditions) -> Ground:
    """The question as a test reads it: each word names the column that it names best.

    What states a condition names a column only if that one has a word of its own.
    """
    taken = [one for one in chosen.taken if not one.of_groups]
    stating = {at for one in taken for at in range(one.first, one.last + 1)}
    best = _best(m for m in scene.mentions if m.tie is Tie.NAME and m.place.definition is None)
    tables = _best(scene.tables)
    spans = [(m, m.place.table.name, m.place.column.name) for m in best]
    covered = {at for m in best for at in range(m.first, m.last + 1)}
    spans += [
        (t, t.table.name, "") for t in tables if not covered & set(range(t.first, t.last + 1))
    ]
    named: list[Named] = []
    for one, table, column in sorted(spans, key=lambda span: span[0].first):
        if set(range(one.first, one.last + 1)) <= stating:
            continue
        start, end = scene.tokens[one.first].start, scene.tokens[one.last].end
        inside = [at for at, t in enumerate(tokens) if t.start < end and start < t.end]
        if inside and not any(tokens[at].used for at in inside):
            phrase = scene.question[start:end]
            score = min(1.0, one.coverage)
            named.append(Named(inside[0], inside[-1] + 1, phrase, table, column, score))
    bounds = [(scene.tokens[o.first].start, scene.tokens[o.last].end) for o in taken]
    said = {
        at
        for start, end in bounds
        for at, t in enumerate(tokens)
        if t.start < end and start < t.end
    }
    filters = _together([one.condition for one in taken])
    return Ground(tokens, named, scene.schema.catalogue, filters, frozenset(said))


def _best(mentions: Iterable[_Span]) -> list[_Span]:
    """Of mentions that overlap the one that names best, the widest of equals."""
    found: list[_Span] = []
    ordered = sorted(
        (m for m in mentions if m.coverage >= _NAMED),
        key=lambda m: (-m.coverage - 0.2 * m.quality, m.first - m.last, m.first),
    )
    for one in ordered:
        if all(one.last < other.first or other.last < one.first for other in found):
            found.append(one)
    return sorted(found, key=lambda m: m.first)


def _together(filters: Sequence[Filter]) -> list[Filter]:
    """Several values of one column as one condition: rows have one of them."""
    found: list[Filter] = []
    for wanted in filters:
        last = found[-1] if found else None
        if (
            isinstance(wanted, Condition) and isinstance(last, Condition)
            and wanted.field == last.field
            and wanted.operator in _EITHER and last.operator in _EITHER
        ):  # fmt: skip
            values = tuple(dict.fromkeys((*last.values, *wanted.values)))
            found[-1] = last.model_copy(update={"operator": Operator.IN, "values": values})
        else:
            found.append(wanted)
    return found
