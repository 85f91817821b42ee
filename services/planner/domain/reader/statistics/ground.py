"""What a question for a test names: columns and tables in order, and the rows that it is of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from services.planner.domain.catalogue import Catalogue, Column
from services.planner.domain.lexicon.normalise import Token
from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS
from services.planner.domain.query.intent import Condition, Filter, Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.links.mentions import Mention, TableMention, Tie

_NAMED = 0.8
_Span = TypeVar("_Span", Mention, TableMention)
_OF_TESTS = frozenset("between among across against versus vs than there any whether".split())
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
    """The words, what they name, and who has taken which; `filters` say which rows are meant,
    `doubts` which column of several that are called so was taken."""

    tokens: Sequence[Token]
    mentions: Sequence[Named]
    catalogue: Catalogue
    filters: Sequence[Filter] = ()
    conditions: frozenset[int] = frozenset()
    doubts: Sequence[str] = ()
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
            token
            for at, token in enumerate(self.tokens)
            if at not in inside | self.conditions
            and not token.used
            and not token.mark
            and (token.stem or token.quoted or token.number is not None)
            and token.lower not in STOP_WORDS | PRESENTATION | _OF_TESTS
        ]


def ground_of(scene: Scene, tokens: Sequence[Token], taken: Sequence[Proposal]) -> Ground:
    """The question as a test reads it: each word names the column that it names best.

    What states a condition names a column only if that one has a word of its own.
    """
    taken = [one for one in taken if not _is_of_the_test(one, scene, tokens)]
    stating = {at for one in taken for at in range(one.first, one.last + 1)}
    names = [m for m in scene.mentions if m.tie is Tie.NAME and m.place.definition is None]
    served = _served(names, scene)
    names.sort(key=lambda m: -served[m.place.table.name])
    best = _best(names)
    tables = _best(scene.tables)
    spans: list[tuple[Mention | TableMention, str, str]] = []
    spans += [(m, m.place.table.name, m.place.column.name) for m in best]
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
    numbers = {
        at
        for start, end in bounds
        for at, t in enumerate(tokens)
        if t.start < end and start < t.end
    }
    filters = _together([one.condition for one in taken])
    doubts = tuple(
        f'"{scene.question[scene.tokens[m.first].start : scene.tokens[m.last].end]}" is taken as '
        f"{m.place.column.name} of {m.place.table.name}, not of {o.place.table.name}"
        for m in best
        for o in names
        if _is_as_good(o, m) and _is_named(m, named)
    )
    return Ground(tokens, named, scene.schema.catalogue, filters, frozenset(numbers), doubts)


def _is_of_the_test(one: Proposal, scene: Scene, tokens: Sequence[Token]) -> bool:
    """Whether a condition is made of a number that the test took: outliers beyond 2 deviations."""
    start, end = scene.tokens[one.first].start, scene.tokens[one.last].end
    known_tokens = [t for t in tokens if start <= t.start and t.end <= end]
    return any(t.used and t.number is not None for t in known_tokens)


def _served(names: Sequence[Mention], scene: Scene) -> Counter[str]:
    """How many places of the question each table's columns may stand for, itself among them."""
    spans = {(m.place.table.name, m.first) for m in names if m.coverage >= _NAMED}
    spans |= {(t.table.name, t.first) for t in scene.tables if t.coverage >= _NAMED}
    return Counter(table for table, _ in spans)


def _is_as_good(other: Mention, one: Mention) -> bool:
    same = (other.first, other.last, other.coverage, other.quality) == (
        one.first,
        one.last,
        one.coverage,
        one.quality,
    )
    return same and other.place.table is not one.place.table


def _is_named(one: Mention, named: Sequence[Named]) -> bool:
    return any((n.table, n.column) == (one.place.table.name, one.place.column.name) for n in named)


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
            isinstance(wanted, Condition)
            and isinstance(last, Condition)
            and wanted.field == last.field
            and wanted.operator in _EITHER
            and last.operator in _EITHER
        ):
            values = tuple(dict.fromkeys((*last.values, *wanted.values)))
            found[-1] = last.model_copy(update={"operator": Operator.IN, "values": values})
        else:
            found.append(wanted)
    return found
