"""Sentences about an answer of one row, or of one row for each thing. They never compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mesh.proof.assertions import Stated
from services.planner.domain.lexicon.wording import plural
from services.planner.domain.reporting.cells import Cell, Ranked, breakdown, ranked
from services.planner.domain.reporting.labels import preposition
from services.planner.domain.reporting.prose import Origin, Prose, Quoted, joined
from services.planner.domain.reporting.shape import Number
from services.planner.domain.reporting.stating import (
    extreme,
    of_cells,
    of_rows,
    stating,
)
from services.planner.domain.reporting.telling import (
    Finding,
    Telling,
    between,
    extremes,
    name_counted,
    name_of,
    superlative,
    there_are,
    whole,
)
from services.planner.domain.reporting.units import spoken

_NAMED_AFTER_FIRST = 2
_MOST_TIED = 3


def single_value(telling: Telling) -> Finding:
    """One row of numbers: "Revenue in 1997 was 617,085"."""
    numbers = telling.shape.numbers
    if len(numbers) == 1 and numbers[0].counted:
        sentence = there_are(telling, numbers[0], Cell(telling.table, 0, numbers[0].column))
    else:
        parts = [
            stating(
                _value(telling, 0, n),
                name_of(n),
                telling.scope if not i else "",
                telling.was(n),
                telling.value(0, n),
            )
            for i, n in enumerate(numbers[:4])
        ]
        sentence = joined(parts)
    return Finding(sentence, (sentence,))


def single_row(telling: Telling) -> Finding:
    """One named row: "Germany has the highest revenue (230,285)"."""
    number, *others = telling.shape.numbers
    order = telling.intent.order if telling.intent else ()
    best = telling.intent is not None and telling.intent.limit == 1 and not telling.intent.offset
    best = best and bool(ranked(telling.table, number.column).rows)
    if order and order[0].target == "measure" and best:
        high = order[0].descending
        stated = extreme(telling.table, [0], number.column, "", high=high, named=True)
        parts = (telling.label(0), telling.had, superlative(number, high), telling.scope)
        finding = stating(stated, *parts)
        first = stating(stated, *parts, telling.with_share(0, number))
        rest = [_named_value(telling, n) for n in others[:3]]
        return Finding(finding, (first, joined(rest)) if rest else (first,))
    if not others and not number.counted:
        named = Prose.of(" for ", telling.label(0))
        named = Prose() if telling.scope.plain.startswith(named.plain) else named
        sentence = stating(
            _value(telling, 0, number),
            name_of(number),
            named,
            telling.scope,
            telling.was(number),
            telling.value(0, number),
        )
        return Finding(sentence, (sentence,))
    if not others:
        entities = name_counted(number, one=telling.table.value(0, number.column) == 1)
        value = telling.value(0, number)
        sentence = stating(
            _value(telling, 0, number),
            telling.label(0),
            telling.had,
            value,
            " ",
            entities,
            telling.scope,
        )
        return Finding(sentence, (sentence,))
    values = [_named_value(telling, n) for n in telling.shape.numbers[:4]]
    sentence = stating(
        of_cells("value", *(Cell(telling.table, 0, n.column) for n in telling.shape.numbers[:4])),
        telling.label(0),
        telling.scope,
        ": ",
        joined(values),
    )
    return Finding(sentence, (sentence,))


def _value(telling: Telling, row: int, number: Number) -> Stated:
    return of_cells("value", Cell(telling.table, row, number.column))


def _named_value(telling: Telling, number: Number) -> Prose:
    name = Quoted(number.name, Origin.NAME)
    return stating(_value(telling, 0, number), name, " ", telling.value(0, number))


def by_category(telling: Telling, total: Cell | None) -> Finding:
    """Several named rows: who is first, who follows, who is last, and all together."""
    number = telling.shape.numbers[0]
    named = telling.shape.categories[0].column
    order = ranked(telling.table, number.column, named_by=named)
    if order.level:
        return _level(telling, number, order)
    ascending = _asked_for_lowest(telling)
    rows = tuple(reversed(order.rows)) if ascending else order.rows
    first = order.lowest if ascending else order.highest
    value = Prose()
    if len(first) == 1:
        marks = (": ", "") if telling.scope else (" (", ")")
        value = Prose.of(marks[0], telling.value(first[0], number), marks[1])
    headline = stating(
        extreme(
            telling.table,
            first,
            number.column,
            named,
            high=not ascending,
            named=len(first) <= _MOST_TIED,
        ),
        _all(telling, first),
        _had_or_have(telling, first),
        superlative(number, not ascending),
        telling.scope,
        value,
    )
    sentences: list[Prose] = []
    subject = Prose.of(name_of(number), telling.scope)
    if total is not None:
        sentence, subject = whole(telling, number, total)
        sentences.append(sentence)
    here = _Order(telling, number, order, rows, first, ascending)
    parts = _parts(telling, number)
    sentences += [parts] if parts else []
    if parts and len(first) == 1:
        sentences.append(here.first_of_all())
    else:
        sentences.append(here.render(Prose.of(subject, telling.was(number))))
    sentences += [_other_number(telling, other) for other in telling.shape.numbers[1:2]]
    return Finding(headline, tuple(sentence for sentence in sentences if sentence))


@dataclass(frozen=True)
class _Order:
    """Rows in the order they are told: `first` are those at its head."""

    telling: Telling
    number: Number
    order: Ranked
    rows: tuple[int, ...]
    first: tuple[int, ...]
    ascending: bool

    def render(self, opening: Prose) -> Prose:
        """Behind its subject and verb, who is first, and who follows or who is last of all."""
        highest, lowest = extremes(self.number)
        near, far = (lowest, highest) if self.ascending else (highest, lowest)
        head = self._end(near, self.first, high=not self.ascending, opening=opening)
        intent = self.telling.intent
        if (intent is not None and intent.limit is not None) or len(self.rows) == 2:
            following = [row for row in self.rows if row not in self.first][:_NAMED_AFTER_FIRST]
            named = [
                Prose.of(self.telling.label(row), self.telling.with_share(row, self.number))
                for row in following
            ]
            stated = of_rows(
                "following",
                self.telling.table,
                [*self.first, *following],
                self.number.column,
                self._named_by,
                "up" if self.ascending else "down",
            )
            after = stating(stated, ", followed by ", joined(named)) if named else Prose()
            return Prose.of(head, after)
        last = self.order.highest if self.ascending else self.order.lowest
        return Prose.of(head, " and ", self._end(far, last, high=self.ascending))

    @property
    def _named_by(self) -> str:
        return self.telling.shape.categories[0].column

    def _end(
        self, word: str, rows: tuple[int, ...], *, high: bool, opening: Prose | str = ""
    ) -> Prose:
        stated = extreme(
            self.telling.table,
            rows,
            self.number.column,
            self._named_by,
            high=high,
            named=len(rows) <= _MOST_TIED,
        )
        return stating(stated, opening, word, " ", self._group(rows))

    def _group(self, rows: tuple[int, ...]) -> Prose:
        telling, number = self.telling, self.number
        if len(rows) == 1:
            return Prose.of(telling.place(rows[0]), telling.with_share(rows[0], number))
        grain = telling.shape.categories[0].grain
        word = preposition(grain) if grain else "for"
        several = Prose.of(f"{word} ", _several(telling))
        if len(rows) <= _MOST_TIED:
            several = Prose.of(f"{word} ", joined(telling.label(row) for row in rows))
        return Prose.of(several, " (", telling.value(rows[0], number), " each)")

    def first_of_all(self) -> Prose:
        """Who is first and at what, where others have been first by one category alone."""
        row = self.first[0]
        return stating(
            extreme(
                self.telling.table,
                self.first,
                self.number.column,
                self._named_by,
                high=not self.ascending,
                named=True,
            ),
            "the lowest" if self.ascending else "the highest",
            " of all combinations is ",
            self.telling.label(row),
            self.telling.with_share(row, self.number),
        )


def _asked_for_lowest(telling: Telling) -> bool:
    intent = telling.intent
    if intent is None or not intent.order or intent.limit is None:
        return False
    return intent.order[0].target == "measure" and not intent.order[0].descending


def _level(telling: Telling, number: Number, order: Ranked) -> Finding:
    if not order.rows:
        finding = stating(
            Stated("none", telling.table.digest, (), (number.column,)),
            "there is no ",
            Quoted(number.column, Origin.NAME),
            telling.scope,
        )
        return Finding(finding, (finding,))
    named = telling.shape.categories[0].column
    finding = stating(
        of_rows("same", telling.table, order.rows[:1], number.column, named),
        name_of(number),
        telling.scope,
        telling.was(number),
        "the same throughout: ",
        telling.value(order.rows[0], number),
    )
    return Finding(finding, (finding,))


def _other_number(telling: Telling, number: Number) -> Prose:
    order = ranked(telling.table, number.column, named_by=telling.shape.categories[0].column)
    if order.level or len(order.highest) > 1:
        return Prose()
    row = order.highest[0]
    derived = telling.intent.derived if telling.intent is not None else ()
    if any(one.together and one.label == number.column for one in derived):
        together = of_cells("together", Cell(telling.table, row, number.column))
        return stating(together, "together they have ", telling.value(row, number))
    named = telling.shape.categories[0].column
    return stating(
        extreme(telling.table, [row], number.column, named, high=True, named=True),
        name_of(number),
        telling.was(number),
        extremes(number)[0],
        " ",
        telling.place(row),
        " (",
        telling.value(row, number),
        ")",
    )


def _parts(telling: Telling, number: Number) -> Prose:
    """Who is first by each of two categories, where steps summed the answer over the other."""
    categories = telling.shape.categories
    if len(categories) != 2:
        return Prose()
    prose: list[Prose] = []
    for category in categories:
        others = [other for other in categories if other is not category]
        found = breakdown(telling.story, category, number, others)
        if found is None:
            return Prose()
        order = ranked(found.table, found.number, named_by=found.category)
        if len(order.highest) != 1:
            return Prose()
        row = order.highest[0]
        label = telling.speaker.label(found.table, row, found.category, category.grain)
        inside = [telling.cell(Cell(found.table, row, found.number), number)]
        if found.share is not None:
            inside.append(telling.cell(Cell(found.table, row, found.share), percent=True))
        by = Quoted(spoken(category.column), Origin.NAME)
        stated = extreme(found.table, [row], found.number, found.category, high=True, named=True)
        led = stating(stated, label, " led (", *between(inside, ", "), ")")
        prose.append(Prose.of("by ", by, " ", led))
    return joined(prose, last=", ")


def _all(telling: Telling, rows: Sequence[int]) -> Prose:
    if len(rows) > _MOST_TIED:
        return _several(telling)
    return joined(telling.label(row) for row in rows)


def _several(telling: Telling) -> Prose:
    """ "several months": more rows than are named."""
    column = spoken(telling.shape.categories[0].column)
    return Prose.of("several ", Quoted(plural(column), Origin.NAME))


def _had_or_have(telling: Telling, rows: Sequence[int]) -> str:
    return telling.had if len(rows) == 1 or telling.had == " had " else " have "
