"""Sentences about numbers over time, alone or split into series."""

from __future__ import annotations

from datetime import date

from services.planner.domain.evidence import EvidenceTable
from services.planner.domain.reporting.cells import Breakdown, Cell, breakdown, ends, ranked
from services.planner.domain.reporting.labels import preposition
from services.planner.domain.reporting.prose import Prose, joined
from services.planner.domain.reporting.scope import year_is_said
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
        level = line.level(number, telling)
        return Said(level, (level,))
    headline = line.headline(number, telling)
    sentences, subject = _opening(telling, number, total)
    sentences += [line.peak_and_low(subject), line.first_and_last()]
    return Said(headline, tuple(sentence for sentence in sentences if sentence))


def _opening(telling: Telling, number: Number, total: Cell | None) -> tuple[list[Prose], Prose]:
    """The sentence that tells the total, if there is one, and the subject of the next."""
    if total is None:
        return [], Prose.of(name_of(number), telling.scope)
    sentence, subject = whole(telling, number, total)
    return [sentence], subject


class _Line:
    """One number over time in one frame."""

    def __init__(self, telling: Telling, table: EvidenceTable, time: Category, column: str) -> None:
        self._speaker = telling.speaker
        self._table = table
        self._time = time
        self._column = column
        moments = table.rows.column(time.column).to_pylist()
        years = {moment.year for moment in moments if isinstance(moment, date)}
        # December needs no year where the sentence has named the only one.
        self._short = time.grain == "month" and len(years) == 1 and year_is_said(telling.intent)
        self._order = ranked(table, column)

    def at(self, row: int) -> Prose:
        """The row's time with its preposition: "in December 1997"."""
        label = self._speaker.label(
            self._table, row, self._time.column, self._time.grain, short=self._short
        )
        return Prose.of(f" {preposition(self._time.grain)} ", label)

    def value(self, row: int) -> Prose:
        return Prose.of(self._speaker.number(self._table, row, self._column))

    @property
    def never_moves(self) -> bool:
        """Whether there is one value throughout, or none."""
        return self._order.level

    def peak_and_low(self, subject: Prose) -> Prose:
        """When it was highest and when lowest."""
        order = self._order
        high, low = order.highest[0], order.lowest[0]
        peaked = Prose.of(subject, " peaked", self.at(high), " (", self.value(high), ")")
        if len(order.lowest) > 1:
            return Prose.of(peaked, " and was lowest at ", self.value(low), " several times")
        return Prose.of(peaked, " and was lowest", self.at(low), " (", self.value(low), ")")

    def headline(self, number: Number, telling: Telling) -> Prose:
        """When it peaked, and at what."""
        high = self._order.highest[0]
        return Prose.of(
            name_of(number),
            telling.scope,
            " peaked",
            self.at(high),
            " at ",
            self.value(high),
        )

    def first_and_last(self) -> Prose:
        """Where it began and ended, as far as the peak and the low have not said that."""
        found = ends(self._table, self._time.column, self._column)
        told = {self._order.highest[0], *self._order.lowest[:1]}
        if found is None or set(found) <= told:
            return Prose()
        first, last = found
        began = Prose.of("began at ", self.value(first), self.at(first))
        ended = Prose.of("ended at ", self.value(last), self.at(last))
        parts = [part for row, part in ((first, began), (last, ended)) if row not in told]
        return Prose.of("it ", joined(parts))

    def level(self, number: Number, telling: Telling) -> Prose:
        """It never changes, or has no value at all."""
        if not self._order.rows:
            return Prose.of("there is no value of ", name_of(number), telling.scope)
        row = self._order.rows[0]
        return Prose.of(
            name_of(number), telling.scope, telling.was, "the same throughout: ", self.value(row)
        )


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
    sentences, subject = _opening(telling, number, total)
    line = _Line(telling, by_time.table, time, by_time.number) if by_time is not None else None
    if line is not None and not line.never_moves:
        sentences.append(line.peak_and_low(subject))
    headline = Prose()
    if leaders is not None and not ranked(leaders.table, leaders.number).level:
        lead = _leader(telling, leaders, series[0])
        sentences.append(lead)
        headline = Prose.of(lead, " of " if _share(leaders) else " in ", name_of(number),
                            telling.scope)  # fmt: skip
    if not sentences or not headline:
        single = _highest_cell(telling, number)
        sentences.append(single)
        headline = headline or single
    return Said(headline, tuple(sentences))


def _leader(telling: Telling, leaders: Breakdown, category: Category) -> Prose:
    row = ranked(leaders.table, leaders.number).highest[0]
    name = telling.speaker.label(leaders.table, row, leaders.category, category.grain)
    value = telling.cell(Cell(leaders.table, row, leaders.number))
    if (share := _share(leaders)) is None:
        return Prose.of(name, " led with ", value)
    percent = telling.cell(Cell(leaders.table, row, share), percent=True)
    return Prose.of(name, " led with ", value, " (", percent, ")")


def _share(leaders: Breakdown) -> str | None:
    if leaders.share is None:
        return None
    row = ranked(leaders.table, leaders.number).highest[0]
    return leaders.share if leaders.table.value(row, leaders.share) is not None else None


def _highest_cell(telling: Telling, number: Number) -> Prose:
    order = ranked(telling.table, number.column)
    if not order.rows:
        return Prose.of("there is no value of ", name_of(number), telling.scope)
    row = order.highest[0]
    return Prose.of(
        name_of(number), telling.scope, telling.was, "highest for ", telling.label(row),
        " (", telling.value(row, number.column), ")",
    )  # fmt: skip
