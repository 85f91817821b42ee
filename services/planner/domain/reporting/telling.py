"""One answer being told: its cells as citations, its rows as labels, its columns as words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mesh.proof.assertions import Stated
from services.planner.domain.lexicon.wording import plural, singular
from services.planner.domain.query.intent import Intent
from services.planner.domain.reporting.cells import Cell, share_of
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.labels import preposition
from services.planner.domain.reporting.prose import (
    Label,
    Origin,
    Prose,
    Quoted,
    capital,
)
from services.planner.domain.reporting.scope import scope_of
from services.planner.domain.reporting.shape import Category, Number, Shape, is_full_name
from services.planner.domain.reporting.stating import of_cells, stating
from services.planner.domain.reporting.story import Speaker, Story
from services.planner.domain.reporting.units import spoken

# A smaller share of the whole would be printed as nought.
_SMALLEST_SHARE = 0.0005


@dataclass(frozen=True)
class Finding:
    """A finding and the sentences that say it in full, each without its full stop."""

    headline: Prose
    sentences: tuple[Prose, ...]

    @property
    def text(self) -> Prose:
        """The sentences with capitals and full stops."""
        parts: list[Prose | str] = []
        for position, sentence in enumerate(self.sentences):
            parts += [" "] if position else []
            parts += [capital(sentence), "" if sentence.plain.endswith((".", "。")) else "."]
        return Prose.of(*parts)


@dataclass(frozen=True)
class Telling:
    """One answer being told: its table, the roles of its columns, and the words for them."""

    story: Story
    speaker: Speaker
    table: EvidenceTable
    shape: Shape

    @property
    def intent(self) -> Intent | None:
        """The question's reading."""
        return self.story.reading

    @cached_property
    def scope(self) -> Prose:
        """The filters in words, with a space before."""
        return scope_of(self.intent)

    def was(self, number: Number) -> str:
        """The verb that fits number and scope: what lies in a span of time is past."""
        if number.plural:
            return " were " if self._past else " are "
        return " was " if self._past else " is "

    @property
    def had(self) -> str:
        """The verb of a row that has a number."""
        return " had " if self._past else " has "

    @property
    def _past(self) -> bool:
        return bool(self.scope)

    def value(self, row: int, number: Number) -> Prose:
        """A number of the answer."""
        return self.cell(Cell(self.table, row, number.column), number)

    def cell(self, cell: Cell, number: Number | None = None, *, percent: bool = False) -> Prose:
        """Any cell as a claim, in the way of the number that it is one of."""
        percent = percent or (number is not None and number.fraction)
        unit = number.unit if number is not None else ""
        return Prose.of(
            self.speaker.number(cell.table, cell.row, cell.column, unit=unit, percent=percent)
        )

    def label(self, row: int, categories: Sequence[Category] | None = None) -> Prose:
        """What a row is called, by all its categories or the given ones."""
        chosen = self.shape.categories if categories is None else categories
        parts: list[Prose | str] = []
        for place, category in enumerate(chosen[:3]):
            mark = f" {preposition(category.grain)} " if category.is_time else " / "
            if place and is_full_name(chosen[place - 1].column, category.column):
                mark = " "
            parts += [mark, self._name(row, category)] if parts else [self._name(row, category)]
        return Prose.of(*parts)

    def _name(self, row: int, category: Category) -> Prose:
        """One cell's label; a bare number, such as an id, with its column's name before it."""
        label = self.speaker.label(self.table, row, category.column, category.grain)
        value = self.table.value(row, category.column)
        if category.grain or isinstance(value, bool) or not isinstance(value, int | float):
            return Prose.of(label)
        return Prose.of(Quoted(spoken(category.column), Origin.NAME), " ", label)

    def place(self, row: int) -> Prose:
        """The row with its preposition: "for Germany", "on Friday"."""
        first = self.shape.categories[0]
        word = preposition(first.grain) if first.grain else "for"
        return Prose.of(f"{word} ", self.label(row))

    def with_share(self, row: int, number: Number) -> Prose:
        """The row's number in brackets, with its share of the whole where that is known."""
        category = self.shape.categories[0]
        share = None
        if len(self.shape.categories) == 1:
            share = share_of(self.story, category, number, row)
        inside = [self.value(row, number)]
        is_mentioned = share is not None and abs(share.value) >= _SMALLEST_SHARE
        inside += [self.cell(share, percent=True)] if share and is_mentioned else []
        return Prose.of(" (", Prose.of(*between(inside, ", ")), ")")


def name_of(number: Number) -> Prose:
    """A number's column as the subject of a sentence."""
    if number.rows:
        return Prose.of("the number of ", name_counted(number))
    the = "the " if number.counted else ""
    return Prose.of(the, Quoted(number.name, Origin.NAME))


def name_counted(number: Number, *, one: bool = False) -> Prose:
    """What a count counts: "orders", "order"; "rows of orders" where several are of one order."""
    if number.rows:
        return Prose.of("row of " if one else "rows of ", Quoted(number.counted, Origin.NAME))
    noun = singular(number.counted) if one else plural(number.counted)
    return Prose.of(Quoted(noun, Origin.NAME))


def superlative(number: Number, high: bool) -> Prose:
    """ "the most orders", "the lowest average unit price"."""
    greatest, smallest = extremes(number)
    if number.counted:
        return Prose.of("the most " if high else "the fewest ", name_counted(number))
    name = Quoted(number.name, Origin.NAME)
    return Prose.of(f"the {greatest} " if high else f"the {smallest} ", name)


def extremes(number: Number) -> tuple[str, str]:
    """The words for the ends; a "highest age" is not said to be highest once more."""
    extreme = number.column.casefold().startswith(("highest", "lowest"))
    return ("greatest", "smallest") if extreme else ("highest", "lowest")


def there_are(telling: Telling, number: Number, count: Cell, *, total: bool = False) -> Prose:
    """ "there were 408 orders in 1997"; the scope is part of it."""
    past, one = bool(telling.scope), count.value == 1
    verb = "was" if past and one else "were" if past else "is" if one else "are"
    tail = " in total" if total and not telling.scope else ""
    named = name_counted(number, one=one)
    return stating(
        _worked_out(telling, number, count, total=bool(tail)),
        f"there {verb} ",
        telling.cell(count),
        " ",
        named,
        tail,
        telling.scope,
    )


def _worked_out(telling: Telling, number: Number, cell: Cell, *, total: bool) -> Stated:
    """That a cell is the number told; as a total, also the sum of the answer's column."""
    if not total:
        return of_cells("value", cell)
    return of_cells("total", cell, of=Cell(telling.table, 0, number.column))


def whole(telling: Telling, number: Number, total: Cell) -> tuple[Prose, Prose]:
    """The sentence that tells the total, and how the next one may refer to the number."""
    if number.counted:
        return there_are(telling, number, total, total=True), Prose.of("their number")
    prose = telling.scope or number.column.casefold().startswith("total")
    tail = "" if prose else " in total"
    verb, value = telling.was(number), telling.cell(total, number)
    sentence = stating(
        _worked_out(telling, number, total, total=bool(tail)),
        name_of(number),
        telling.scope,
        verb,
        value,
        tail,
    )
    return sentence, Prose.of("they" if number.plural else "it")


def between(items: Iterable[Prose | Label], mark: str) -> list[Prose | Label | str]:
    """The items with the mark between each two."""
    spread: list[Prose | Label | str] = []
    for position, item in enumerate(items):
        spread += [mark] if position else []
        spread.append(item)
    return spread
