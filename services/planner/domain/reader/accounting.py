"""Which words of a question a reading makes use of, whoever proposed it.

The ranker sees that of its own candidates by their sketches. A reading from elsewhere has none:
here it is judged by what it names, sorts, counts and compares with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from services.planner.domain.catalogue import ColumnRole
from services.planner.domain.query.intent import (
    Against,
    Aggregate,
    Condition,
    Field,
    Filter,
    Grain,
    Group,
    Intent,
    Measure,
    Membership,
    Operator,
    Product,
)
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.grammar import aggregation, comparison, counting, ordering
from services.planner.domain.reader.grammar import negation as denial
from services.planner.domain.reader.words.common import PRESENTATION, STOP_WORDS
from services.planner.domain.reader.words.grains import grain_of

_NAMED = 0.5
"""From this coverage on a word names a column, as in what the ranker sees."""
_DENYING = frozenset(
    (Operator.NOT_EQUAL, Operator.NOT_IN, Operator.NOT_CONTAINS, Operator.IS_NULL,
     Operator.NOT_NULL)
)  # fmt: skip
_YEAR_DIGITS = 4

Claims = Sequence[tuple[str, Field | None]]
"""Phrases of the question and the column each is said to mean; None where only the phrase is
known to be used."""


@dataclass(frozen=True)
class Account:
    """Content words that a reading does not use, of how many, and columns that it uses and that no
    word speaks of."""

    unread: tuple[str, ...]
    words: int
    unsaid: tuple[str, ...]

    @property
    def lacking(self) -> int:
        """How much is left unexplained."""
        return len(self.unread) + len(self.unsaid)


def account_of(intent: Intent, scene: Scene, claims: Claims = ()) -> Account:
    """How a reading accounts for the question's words."""
    fields = set(fields_of(intent))
    read, said = set[int](), set[Field]()
    for first, last, field in _named(intent, scene, fields, claims):
        read |= set(range(first, last + 1))
        said |= {field} if field is not None else set()
    content = [
        token
        for token in scene.tokens
        if not token.mark
        and (token.index in scene.loud or token.lower not in STOP_WORDS | PRESENTATION)
    ]
    denied = {at for cue in scene.words.find(denial.RULES) for at in range(cue.first, cue.last + 1)}
    lost = denied if not _denies(intent) else set[int]()
    content += [token for token in scene.tokens if token.index in lost and token not in content]
    unread = tuple(
        token.text for token in content if token.index in lost or token.index not in read
    )
    unsaid = tuple(
        sorted(f"{f.table}.{f.column}" for f in fields - said if not _identifies(f, scene))
    )
    return Account(unread, len(content), unsaid)


def _identifies(field: Field, scene: Scene) -> bool:
    """Whether a column tells apart what another one names: nobody speaks of those."""
    place = scene.schema.of_field.get((field.table, field.column))
    return place is not None and place.column.role is ColumnRole.ID


def fields_of(intent: Intent) -> Iterator[Field]:
    """The columns that an intent shows, reckons with, sorts by and asks conditions of."""
    for dimension in intent.dimensions:
        yield from _of_expression(dimension.expression)
    for measure in (*intent.measures, *(one.measure for one in intent.having)):
        yield from _of_measure(measure)
    for wanted in intent.filters:
        yield from _of_filter(wanted)
    for order in intent.order:
        if order.field is not None:
            yield order.field


def _of_expression(expression: object) -> Iterator[Field]:
    if isinstance(expression, Field):
        yield expression
    elif isinstance(expression, Product):
        yield from (*expression.factors, *expression.discounts)
    else:
        yield from getattr(expression, "parts", ())


def _of_measure(measure: Measure) -> Iterator[Field]:
    yield from _of_expression(measure.expression)
    if measure.where is not None:
        yield from _of_filter(measure.where)


def _of_filter(wanted: Filter) -> Iterator[Field]:
    for one in _leaves(wanted):
        if isinstance(one, Condition):
            yield one.field
        elif isinstance(one, Against):
            yield from (one.field, one.other)


def _leaves(wanted: Filter) -> Iterator[Condition | Against | Membership]:
    """The conditions of a filter; those on rows that must not be there are no part of it."""
    if isinstance(wanted, Membership) and not wanted.absent and wanted.where is not None:
        yield from _leaves(wanted.where)
    if isinstance(wanted, Group):
        for member in wanted.members:
            yield from _leaves(member)
    else:
        yield wanted


def _denies(intent: Intent) -> bool:
    """Whether a condition says what is not: a lost "not" turns a question round."""
    leaves = [leaf for wanted in intent.filters for leaf in _leaves(wanted)]
    absent = any(isinstance(leaf, Membership) and leaf.absent for leaf in leaves)
    said = {leaf.operator for leaf in leaves if not isinstance(leaf, Membership)}
    nought = any(0 in one.values for one in intent.having)
    flags = any(isinstance(one, Condition) and {0} & set(one.values) for one in leaves)
    return absent or nought or flags or bool(said & _DENYING)


def _named(
    intent: Intent, scene: Scene, fields: set[Field], claims: Claims
) -> Iterator[tuple[int, int, Field | None]]:
    """Spans of words that the reading uses, with the column each speaks of."""
    for mention in scene.mentions:
        if mention.place.field in fields and mention.coverage >= _NAMED:
            yield mention.first, mention.last, mention.place.field
    leaves = [leaf for wanted in intent.filters for leaf in _leaves(wanted)]
    related = {leaf.related for leaf in leaves if isinstance(leaf, Membership)}
    tables = {intent.base, *(r.right.table for r in intent.joins), *related}
    for table in scene.tables:
        if table.table.name in tables and table.coverage >= _NAMED:
            yield table.first, table.last, None
    yield from _of_values(scene, [leaf for leaf in leaves if isinstance(leaf, Condition)])
    numbers = {value for one in intent.having for value in one.values}
    numbers |= {float(intent.limit)} if intent.limit is not None else set()
    for token in scene.tokens:
        if token.number in numbers:
            yield token.index, token.index, None
        grain = grain_of(token.lower, token.stem)
        for dimension in intent.dimensions:
            if grain is not None and dimension.grain is not None and _alike(grain, dimension.grain):
                field = next(_of_expression(dimension.expression), None)
                yield token.index, token.index, field
    yield from _of_cues(intent, scene, leaves)
    for phrase, field in claims:
        if field is None or field in fields:
            yield from ((*span, field) for span in _spans(scene, phrase))


def _of_values(
    scene: Scene, conditions: Iterable[Condition]
) -> Iterator[tuple[int, int, Field | None]]:
    for condition in conditions:
        texts = {str(value).casefold() for value in condition.values}
        for link in scene.values:
            if link.place.field == condition.field and link.value.casefold() in texts:
                yield link.first, link.last, condition.field
        for text in texts:
            yield from ((*span, condition.field) for span in _spans(scene, text))
        numbers = {v for v in condition.values if isinstance(v, int | float)}
        numbers |= {float(t[:_YEAR_DIGITS]) for t in texts if _is_day(t)}
        for token in scene.tokens:
            if token.number is not None and token.number in numbers:
                yield token.index, token.index, None


def _of_cues(
    intent: Intent, scene: Scene, leaves: Sequence[Condition | Against | Membership]
) -> Iterator[tuple[int, int, None]]:
    """Words that tell how: averages, extremes, comparisons, negations."""
    measures = [*intent.measures, *(one.measure for one in intent.having)]
    made = {measure.aggregate for measure in measures}
    made |= {Aggregate.COUNT} if Aggregate.COUNT_DISTINCT in made else set()
    if intent.order:
        made |= {Aggregate.MINIMUM, Aggregate.MAXIMUM}
        for cue in scene.words.find((*ordering.SORTING, *ordering.DIRECTIONS, *ordering.TOP)):
            yield cue.first, cue.last, None
    compared = {leaf.operator for leaf in leaves if not isinstance(leaf, Membership)}
    compared |= {one.operator for one in intent.having}
    average = any(isinstance(leaf, Condition) and leaf.than_average for leaf in leaves)
    made |= {Aggregate.AVERAGE} if average else set()
    for counted in scene.words.find(aggregation.RULES):
        if counted.means in made:
            yield counted.first, counted.last, None
    for sign in scene.words.find((*comparison.RULES, *comparison.AVERAGE)):
        if sign.means in compared:
            yield sign.first, sign.last, None
    if _denies(intent):
        for no in scene.words.find(denial.RULES):
            yield no.first, no.last, None
    for cue_ in scene.words.find(counting.RULES):
        if cue_.means in ("each", "or"):
            yield cue_.first, cue_.last, None


def _spans(scene: Scene, phrase: str) -> Iterator[tuple[int, int]]:
    """Where the words of a phrase stand in the question one after the other."""
    words = [word.strip("\"'.,?!").casefold() for word in phrase.split()]
    lower = [token.text.strip("\"'").casefold() for token in scene.tokens]
    for at in range(len(lower) - len(words) + 1):
        if words and lower[at : at + len(words)] == words:
            yield at, at + len(words) - 1


def _alike(said: Grain, shown: Grain) -> bool:
    """Whether a unit that is said is the one that is shown: months of a year are months."""
    parts = {Grain.MONTH_OF_YEAR: Grain.MONTH, Grain.WEEKDAY: Grain.DAY}
    return said is shown or parts.get(shown) is said


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True
