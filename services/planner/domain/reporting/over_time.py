"""Sentences about numbers over time, alone or split into series."""

from __future__ import annotations

from datetime import date

from services.planner.domain.evidence import EvidenceTable
from services.planner.domain.language.intent import Calculation
from services.planner.domain.reporting.cells import Breakdown, Cell, breakdown, ends, ranked
from services.planner.domain.reporting.labels import preposition
from services.planner.domain.reporting.prose import Prose, joined
from services.planner.domain.reporting.scope import scope_of, year_is_said
from services.planner.domain.reporting.shape import Category, Number
from services.planner.domain.reporting.telling import Said, Telling, name_of, whole


def over_time(telling: Telling, time: Category, total: Cell | None) -> Said:
    """Total, peak, low, and how it began and ended; with series, who led."""
    number = telling.shape.numbers[0]
    series = [c for c in telling.shape.categories if c is not time]
    if series:
        return _with_series(telling, time, series, number, total)
    line = _Line(telling, telling.table, time, number.column)
    if line.never_moves:
        level = line.level()
        return Said(level, (level,))
    if number.calculation is Calculation.RUNNING_TOTAL:
        reached = line.reached()
        return Said(reached, (reached,))
    if line.is_pair:
        change = line.change()
        return Said(change, (change,))
    sentences, subject = _opening(telling, number, total)
    sentences += [line.peak_and_low(subject), line.first_and_last()]
    return Said(line.headline(), tuple(sentence for sentence in sentences if sentence))


def _opening(telling: Telling, number: Number, total: Cell | None) -> tuple[list[Prose], Prose]:
    """The sentence that tells the total, if there is one, and the subject of the next."""
    if total is None:
        return [], Prose.of(name_of(number), telling.scope)
    sentence, subject = whole(telling, number, total)
    return [sentence], subject


class _Line:
    """One number over time in one frame; rows without a time are not part of it."""

    def __init__(self, telling: Telling, table: EvidenceTable, time: Category, column: str) -> None:
        self._telling = telling
        self._number = telling.shape.numbers[0]
        self._table = table
        self._time = time
        self._column = column
        self._ends = ends(table, time.column, column)
        moments = table.rows.column(time.column).to_pylist()
        years = {moment.year for moment in moments if isinstance(moment, date)}
        # December needs no year where the sentence has named the only one.
        self._short = time.grain == "month" and len(years) == 1 and year_is_said(telling.intent)
        self._order = ranked(table, column, named_by=time.column)

    def at(self, row: int, *, short: bool | None = None) -> Prose:
        """The row's time with its preposition: "in December 1997"."""
        short = self._short if short is None else short
        label = self._telling.speaker.label(
            self._table, row, self._time.column, self._time.grain, short=short
        )
        return Prose.of(f" {preposition(self._time.grain)} ", label)

    def value(self, row: int) -> Prose:
        return self._telling.cell(Cell(self._table, row, self._column), self._number)

    @property
    def never_moves(self) -> bool:
        """Whether there is one value throughout, or none."""
        return self._order.level

    @property
    def is_pair(self) -> bool:
        """Whether two times are compared, and no more."""
        return self._table.rows.num_rows == 2 and self._ends is not None

    def change(self) -> Prose:
        """From what to what it rose or fell between two times; these need no scope."""
        assert self._ends is not None
        first, last = self._ends
        verb = " rose from " if self._order.highest[0] == last else " fell from "
        return Prose.of(
            name_of(self._number), scope_of(self._telling.intent, times=False), verb,
            self.value(first), self.at(first, short=False), " to ", self.value(last),
            self.at(last, short=False),
        )  # fmt: skip

    def reached(self) -> Prose:
        """Where a running total stood at its end."""
        last = self._ends[1] if self._ends is not None else self._order.rows[0]
        return Prose.of(
            name_of(self._number), self._telling.scope, " reached ", self.value(last), self.at(last)
        )

    def peak_and_low(self, subject: Prose) -> Prose:
        """When it was highest and when lowest."""
        order = self._order
        high, low = order.highest[0], order.lowest[0]
        verb = " and were lowest" if self._number.plural else " and was lowest"
        peaked = Prose.of(subject, " peaked", self.at(high), " (", self.value(high), ")")
        if len(order.lowest) > 1:
            return Prose.of(peaked, verb, " at ", self.value(low), " several times")
        return Prose.of(peaked, verb, self.at(low), " (", self.value(low), ")")

    def headline(self) -> Prose:
        """When it peaked, and at what."""
        high = self._order.highest[0]
        subject = Prose.of(name_of(self._number), self._telling.scope)
        return Prose.of(subject, " peaked", self.at(high), " at ", self.value(high))

    def first_and_last(self) -> Prose:
        """Where it began and ended, as far as the peak and the low have not said that."""
        told = {self._order.highest[0], *self._order.lowest[:1]}
        if self._ends is None or set(self._ends) <= told:
            return Prose()
        first, last = self._ends
        began = Prose.of("began at ", self.value(first), self.at(first))
        ended = Prose.of("ended at ", self.value(last), self.at(last))
        parts = [part for row, part in ((first, began), (last, ended)) if row not in told]
        return Prose.of("they " if self._number.plural else "it ", joined(parts))

    def level(self) -> Prose:
        """It never changes, or has no value at all."""
        telling, number = self._telling, self._number
        if not self._order.rows:
            return Prose.of("there is no value of ", name_of(number), telling.scope)
        value = self.value(self._order.rows[0])
        said = Prose.of(name_of(number), telling.scope, telling.was(number))
        return Prose.of(said, "the same throughout: ", value)


def _with_series(
    telling: Telling,
    time: Category,
    series: list[Category],
    number: Number,
    total: Cell | None,
) -> Said:
    by_time = breakdown(telling.story, time, number, series)
    leaders = breakdown(
        telling.story, series[0], number, [c for c in telling.shape.categories if c != series[0]]
    )
    line = _Line(telling, by_time.table, time, by_time.number) if by_time is not None else None
    headline = Prose()
    sentences: list[Prose] = []
    if line is not None and line.is_pair and not line.never_moves:
        headline = line.change()
        sentences = [headline]
    else:
        sentences, subject = _opening(telling, number, total)
        if line is not None and not line.never_moves:
            sentences.append(line.peak_and_low(subject))
    if leaders is not None and not ranked(leaders.table, leaders.number).level:
        lead = _leader(telling, leaders, series[0])
        sentences.append(lead)
        link = " of " if _share(leaders) else " in "
        headline = headline or Prose.of(lead, link, name_of(number), telling.scope)
    if not sentences or not headline:
        single = _ends_of_all(telling, number)
        sentences.append(single)
        headline = headline or single
    return Said(headline, tuple(sentences))


def _leader(telling: Telling, leaders: Breakdown, category: Category) -> Prose:
    row = ranked(leaders.table, leaders.number, named_by=leaders.category).highest[0]
    name = telling.speaker.label(leaders.table, row, leaders.category, category.grain)
    value = telling.cell(Cell(leaders.table, row, leaders.number), telling.shape.numbers[0])
    if (share := _share(leaders)) is None:
        return Prose.of(name, " led with ", value)
    percent = telling.cell(Cell(leaders.table, row, share), percent=True)
    return Prose.of(name, " led with ", value, " (", percent, ")")


def _share(leaders: Breakdown) -> str | None:
    if leaders.share is None:
        return None
    row = ranked(leaders.table, leaders.number, named_by=leaders.category).highest[0]
    return leaders.share if leaders.table.value(row, leaders.share) is not None else None


def _ends_of_all(telling: Telling, number: Number) -> Prose:
    """Which single cell is highest and which lowest."""
    order = ranked(telling.table, number.column)
    if not order.rows:
        return Prose.of("there is no value of ", name_of(number), telling.scope)
    high, low = order.highest[0], order.lowest[0]
    subject = Prose.of(name_of(number), telling.scope, telling.was(number))
    highest = Prose.of("highest for ", telling.label(high), " (", telling.value(high, number), ")")
    if len(order.lowest) > 1:
        return Prose.of(subject, highest)
    lowest = Prose.of("lowest for ", telling.label(low), " (", telling.value(low, number), ")")
    return Prose.of(subject, highest, " and ", lowest)
