"""Sentences about an answer of one row, or of one row for each thing. They never compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.reporting.cells import Cell, Ranked, breakdown, ranked
from services.planner.domain.reporting.labels import plural, preposition, singular
from services.planner.domain.reporting.prose import Origin, Prose, Quoted, joined
from services.planner.domain.reporting.shape import Number
from services.planner.domain.reporting.telling import (
    Said,
    Telling,
    between,
    extremes,
    name_of,
    superlative,
    there_are,
    whole,
)

_NAMED_AFTER_FIRST = 2
_MOST_TIED = 3


def single_value(telling: Telling) -> Said:
    """One row of numbers: "Revenue in 1997 was 617,085"."""
    numbers = telling.shape.numbers
    if len(numbers) == 1 and numbers[0].counted:
        sentence = there_are(telling, numbers[0], Cell(telling.table, 0, numbers[0].column))
    else:
        parts = [
            Prose.of(name_of(n), telling.scope if not i else "", telling.was(n),
                     telling.value(0, n))
            for i, n in enumerate(numbers[:4])
        ]  # fmt: skip
        sentence = joined(parts)
    return Said(sentence, (sentence,))


def single_row(telling: Telling) -> Said:
    """One named row: "Germany has the highest revenue (230,285)"."""
    number, *others = telling.shape.numbers
    order = telling.intent.order if telling.intent else ()
    best = telling.intent is not None and telling.intent.limit == 1 and not telling.intent.offset
    if order and order[0].target == "measure" and best:
        finding = Prose.of(
            telling.label(0), telling.had, superlative(number, order[0].descending), telling.scope
        )
        first = Prose.of(finding, telling.with_share(0, number))
        rest = [_named_value(telling, n) for n in others[:3]]
        return Said(finding, (first, joined(rest)) if rest else (first,))
    if not others and not number.counted:
        named = Prose.of(name_of(number), " for ", telling.label(0), telling.scope)
        sentence = Prose.of(named, telling.was(number), telling.value(0, number))
        return Said(sentence, (sentence,))
    if not others:
        noun = number.counted if telling.table.value(0, number.column) != 1 else None
        things = Quoted(plural(noun) if noun else singular(number.counted), Origin.NAME)
        value = telling.value(0, number)
        sentence = Prose.of(telling.label(0), telling.had, value, " ", things, telling.scope)
        return Said(sentence, (sentence,))
    values = [_named_value(telling, n) for n in telling.shape.numbers[:4]]
    sentence = Prose.of(telling.label(0), telling.scope, ": ", joined(values))
    return Said(sentence, (sentence,))


def _named_value(telling: Telling, number: Number) -> Prose:
    return Prose.of(Quoted(number.name, Origin.NAME), " ", telling.value(0, number))


def by_category(telling: Telling, total: Cell | None) -> Said:
    """Several named rows: who is first, who follows, who is last, and all together."""
    number = telling.shape.numbers[0]
    named = telling.shape.categories[0].column
    order = ranked(telling.table, number.column, named_by=named)
    if order.level:
        return _level(telling, number, order)
    ascending = _asked_for_lowest(telling)
    rows = tuple(reversed(order.rows)) if ascending else order.rows
    first = order.lowest if ascending else order.highest
    finding = Prose.of(
        _all(telling, first),
        _had_or_have(telling, first),
        superlative(number, not ascending),
        telling.scope,
    )
    headline = finding
    if len(first) == 1:
        value = telling.value(first[0], number)
        headline = Prose.of(finding, ": " if telling.scope else " (", value,
                            "" if telling.scope else ")")  # fmt: skip
    sentences: list[Prose] = []
    subject = Prose.of(name_of(number), telling.scope)
    if total is not None:
        sentence, subject = whole(telling, number, total)
        sentences.append(sentence)
    here = _Order(telling, number, order, rows, first, ascending)
    parts = _parts(telling, number)
    sentences += [parts] if parts else []
    subject = Prose.of("the highest of all combinations") if parts else subject
    verb = " is " if parts else telling.was(number)
    told = here.value_of_first() if parts else here.told()
    sentences.append(Prose.of(subject, verb, told))
    sentences += [_other_number(telling, other) for other in telling.shape.numbers[1:2]]
    return Said(headline, tuple(sentence for sentence in sentences if sentence))


@dataclass(frozen=True)
class _Order:
    """Rows in the order they are told: `first` are those at its head."""

    telling: Telling
    number: Number
    order: Ranked
    rows: tuple[int, ...]
    first: tuple[int, ...]
    ascending: bool

    def told(self) -> Prose:
        """Who is first, and who follows (of a few) or who is last (of all)."""
        highest, lowest = extremes(self.number)
        near, far = (lowest, highest) if self.ascending else (highest, lowest)
        head = Prose.of(near, " ", self._group(self.first))
        intent = self.telling.intent
        if (intent is not None and intent.limit is not None) or len(self.rows) == 2:
            following = [row for row in self.rows if row not in self.first][:_NAMED_AFTER_FIRST]
            named = [
                Prose.of(self.telling.label(row), self.telling.with_share(row, self.number))
                for row in following
            ]
            return Prose.of(head, ", followed by ", joined(named)) if named else head
        last = self.order.highest if self.ascending else self.order.lowest
        return Prose.of(head, " and ", far, " ", self._group(last))

    def _group(self, rows: tuple[int, ...]) -> Prose:
        telling, number = self.telling, self.number
        if len(rows) == 1:
            return Prose.of(telling.place(rows[0]), telling.with_share(rows[0], number))
        grain = telling.shape.categories[0].grain
        word = preposition(grain) if grain else "for"
        several = Prose.of(f"{word} several")
        if len(rows) <= _MOST_TIED:
            several = Prose.of(f"{word} ", joined(telling.label(row) for row in rows))
        return Prose.of(several, " (", telling.value(rows[0], number), " each)")

    def value_of_first(self) -> Prose:
        """Who is first and at what, where the sentence has said that this is the first."""
        row = self.first[0]
        value = self.telling.with_share(row, self.number)
        return Prose.of(self.telling.label(row), value)


def _asked_for_lowest(telling: Telling) -> bool:
    intent = telling.intent
    if intent is None or not intent.order or intent.limit is None:
        return False
    return intent.order[0].target == "measure" and not intent.order[0].descending


def _level(telling: Telling, number: Number, order: Ranked) -> Said:
    if not order.rows:
        finding = Prose.of("there is no ", Quoted(number.column, Origin.NAME), telling.scope)
        return Said(finding, (finding,))
    finding = Prose.of(
        name_of(number), telling.scope, telling.was(number), "the same throughout: ",
        telling.value(order.rows[0], number),
    )  # fmt: skip
    return Said(finding, (finding,))


def _other_number(telling: Telling, number: Number) -> Prose:
    order = ranked(telling.table, number.column, named_by=telling.shape.categories[0].column)
    if order.level or len(order.highest) > 1:
        return Prose()
    row = order.highest[0]
    derived = telling.intent.derived if telling.intent is not None else ()
    if any(one.together and one.label == number.column for one in derived):
        return Prose.of("together they have ", telling.value(row, number))
    return Prose.of(
        name_of(number), telling.was(number), extremes(number)[0], " ", telling.place(row),
        " (", telling.value(row, number), ")",
    )  # fmt: skip


def _parts(telling: Telling, number: Number) -> Prose:
    """Who is first by each of two categories, where steps summed the answer over the other."""
    categories = telling.shape.categories
    if len(categories) != 2:
        return Prose()
    told: list[Prose] = []
    for category in categories:
        others = [other for other in categories if other is not category]
        found = breakdown(telling.story, category, number, others)
        if found is None or not (order := ranked(found.table, found.number)).rows:
            return Prose()
        row = order.highest[0]
        label = telling.speaker.label(found.table, row, found.category, category.grain)
        inside = [telling.cell(Cell(found.table, row, found.number), number)]
        if found.share is not None:
            inside.append(telling.cell(Cell(found.table, row, found.share), percent=True))
        by = Quoted(category.column.replace("_", " "), Origin.NAME)
        told.append(Prose.of("by ", by, " ", label, " led (", *between(inside, ", "), ")"))
    return joined(told, last=", ")


def _all(telling: Telling, rows: Sequence[int]) -> Prose:
    if len(rows) > _MOST_TIED:
        return Prose.of("several")
    return joined(telling.label(row) for row in rows)


def _had_or_have(telling: Telling, rows: Sequence[int]) -> str:
    return telling.had if len(rows) == 1 or telling.had == " had " else " have "
