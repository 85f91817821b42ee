"""Sentences about numbers over time, alone or split into series."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from mesh.proof.assertions import Stated
from services.planner.domain.query.dimensions.coverage import part_units
from services.planner.domain.query.intent import Calculation
from services.planner.domain.reporting.cells import (
    Breakdown,
    Cell,
    breakdown,
    ends,
    ranked,
)
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.labels import preposition
from services.planner.domain.reporting.prose import Prose, joined
from services.planner.domain.reporting.scope import has_one_year, scope_of
from services.planner.domain.reporting.shape import Category, Number
from services.planner.domain.reporting.stating import (
    extreme,
    of_cells,
    of_rows,
    stating,
)
from services.planner.domain.reporting.telling import Finding, Telling, name_of, whole

_MOST_TIED = 3


def over_time(telling: Telling, time: Category, total: Cell | None) -> Finding:
    """Total, peak, low, and how it began and ended; with series, who led."""
    number = telling.shape.numbers[0]
    series = [c for c in telling.shape.categories if c is not time]
    if series:
        return _with_series(telling, time, series, number, total)
    line = _Line(telling, telling.table, time, number.column)
    if line.never_moves:
        level = line.level()
        return Finding(level, (level,))
    if number.calculation is Calculation.RUNNING_TOTAL:
        reached = line.reached()
        return Finding(reached, (reached,))
    if line.is_pair:
        change = line.change()
        return Finding(change, (change,))
    sentences, subject = _opening(telling, number, total)
    sentences += [line.peak_and_low(subject), line.first_and_last()]
    return Finding(line.headline(), tuple(sentence for sentence in sentences if sentence))


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
        self._short = time.grain == "month" and len(years) == 1 and has_one_year(telling.intent)
        self._order = ranked(table, column, named_by=time.column)
        parts = part_units(telling.intent, telling.story.catalogue) if telling.intent else ()
        self._parts = frozenset(
            row for row, moment in enumerate(moments) if _begins(moment) in parts
        )

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
        rose = self._order.highest[0] == last
        cells = (Cell(self._table, row, self._column) for row in self._ends)
        return stating(
            of_cells("rose" if rose else "fell", *cells, by=self._time.column),
            name_of(self._number),
            scope_of(self._telling.intent, times=False),
            " rose from " if rose else " fell from ",
            self.value(first),
            self.at(first, short=False),
            " to ",
            self.value(last),
            self.at(last, short=False),
        )

    def reached(self) -> Prose:
        """Where a running total stood at its end."""
        last = self._ends[1] if self._ends is not None else self._order.rows[0]
        return stating(
            self._end("last", last),
            name_of(self._number),
            self._telling.scope,
            " reached ",
            self.value(last),
            self.at(last),
        )

    def peak_and_low(self, subject: Prose) -> Prose:
        """When it was highest and when lowest."""
        verb = " and were lowest" if self._number.plural else " and was lowest"
        high, low = self._order.highest, self._order.lowest
        if self._parts & {*high, *low}:  # small, or large, only because it is not whole
            return self._of_whole(subject)
        peaked = stating(self._extreme(high, high=True), subject, " peaked", self._reached(high))
        return Prose.of(peaked, stating(self._extreme(low, high=False), verb, self._reached(low)))

    def _of_whole(self, subject: Prose) -> Prose:
        """The one of peak and low that is of a whole unit of time; nothing where neither is."""
        high, low = self._order.highest, self._order.lowest
        if not self._parts & {*high}:
            stated = self._extreme(high, high=True)
            return stating(stated, subject, " peaked", self._reached(high))
        if self._parts & {*low}:
            return Prose()
        verb = " were lowest" if self._number.plural else " was lowest"
        return stating(self._extreme(low, high=False), subject, verb, self._reached(low))

    def _reached(self, rows: Sequence[int]) -> Prose:
        """When it stood there and at what; without the times where there are several."""
        value = self.value(rows[0])
        if len(rows) > 1:
            return Prose.of(" at ", value, " several times")
        return Prose.of(self.at(rows[0]), " (", value, ")")

    def _extreme(self, rows: Sequence[int], *, high: bool) -> Stated:
        return extreme(
            self._table, rows, self._column, self._time.column, high=high, named=len(rows) == 1
        )

    def _end(self, kind: str, row: int) -> Stated:
        return of_rows(kind, self._table, [row], self._column, self._time.column)

    def headline(self) -> Prose:
        """When it peaked, and at what; how it ended where that is no whole unit of time."""
        if self._parts & {*self._order.highest}:
            return self.first_and_last()
        high = self._order.highest
        subject = Prose.of(name_of(self._number), self._telling.scope)
        when = self.at(high[0]) if len(high) == 1 else Prose()
        tail = "" if len(high) == 1 else " several times"
        stated = self._extreme(high, high=True)
        return stating(stated, subject, " peaked", when, " at ", self.value(high[0]), tail)

    def first_and_last(self) -> Prose:
        """Where it began and ended, as far as the peak and the low have not said that."""
        numbers = {
            row
            for rows in (self._order.highest, self._order.lowest)
            for row in rows[:1]
            if len(rows) == 1
        }
        numbers -= self._parts
        if self._ends is None or set(self._ends) <= numbers:
            return Prose()
        first, last = self._ends
        began = stating(self._end("first", first), "began at ", self.value(first), self.at(first))
        ended = stating(self._end("last", last), "ended at ", self.value(last), self.at(last))
        parts = [part for row, part in ((first, began), (last, ended)) if row not in numbers]
        return Prose.of("they " if self._number.plural else "it ", joined(parts))

    def level(self) -> Prose:
        """It never changes, or has no value at all."""
        telling, number = self._telling, self._number
        if not self._order.rows:
            return no_value(telling, self._table, self._column, number)
        row = self._order.rows[0]
        return stating(
            of_rows("same", self._table, [row], self._column, self._time.column),
            name_of(number),
            telling.scope,
            telling.was(number),
            "the same throughout: ",
            self.value(row),
        )


def _begins(moment: object) -> object:
    """The first day of a unit of time as a cell tells it: a day, or the number of a year."""
    if isinstance(moment, int) and not isinstance(moment, bool) and 0 < moment <= date.max.year:
        return date(moment, 1, 1)
    return moment.date() if isinstance(moment, datetime) else moment


def no_value(telling: Telling, table: EvidenceTable, column: str, number: Number) -> Prose:
    """That a number has no value in any row."""
    return stating(
        Stated("none", table.digest, (), (column,)),
        "there is no value of ",
        name_of(number),
        telling.scope,
    )


def _with_series(
    telling: Telling,
    time: Category,
    series: list[Category],
    number: Number,
    total: Cell | None,
) -> Finding:
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
    lead = _leader(telling, leaders, series[0]) if leaders is not None else Prose()
    if leaders is not None and lead:
        sentences.append(lead)
        link = " of " if _share(leaders) else " in "
        headline = headline or Prose.of(lead, link, name_of(number), telling.scope)
    if not sentences or not headline:
        single = _ends_of_all(telling, number)
        sentences.append(single)
        headline = headline or single
    return Finding(headline, tuple(sentences))


def _leader(telling: Telling, leaders: Breakdown, category: Category) -> Prose:
    order = ranked(leaders.table, leaders.number, named_by=leaders.category)
    rows = order.highest
    if order.level or len(rows) > _MOST_TIED:
        return Prose()
    table, row = leaders.table, rows[0]
    label = telling.speaker.label
    name = joined(Prose.of(label(table, r, leaders.category, category.grain)) for r in rows)
    value = telling.cell(Cell(table, row, leaders.number), telling.shape.numbers[0])
    stated = extreme(table, rows, leaders.number, leaders.category, high=True, named=True)
    each = " each" if len(rows) > 1 else ""
    if (share := _share(leaders)) is None:
        return stating(stated, name, " led with ", value, each)
    percent = telling.cell(Cell(table, row, share), percent=True)
    return stating(stated, name, " led with ", value, " (", percent, ")", each)


def _share(leaders: Breakdown) -> str | None:
    if leaders.share is None:
        return None
    row = ranked(leaders.table, leaders.number, named_by=leaders.category).highest[0]
    return leaders.share if leaders.table.value(row, leaders.share) is not None else None


def _ends_of_all(telling: Telling, number: Number) -> Prose:
    """Which single cell is highest and which lowest."""
    order = ranked(telling.table, number.column)
    if not order.rows:
        return no_value(telling, telling.table, number.column, number)
    subject = Prose.of(name_of(number), telling.scope, telling.was(number))
    highest = _end_of_all(telling, number, order.highest, subject, high=True)
    if len(order.lowest) > 1:
        return highest
    return Prose.of(highest, _end_of_all(telling, number, order.lowest, " and ", high=False))


def _end_of_all(
    telling: Telling, number: Number, rows: Sequence[int], opening: Prose | str, *, high: bool
) -> Prose:
    named = len(rows) <= _MOST_TIED
    who = joined(telling.label(row) for row in rows) if named else Prose.of("several")
    return stating(
        extreme(telling.table, rows, number.column, "", high=high, named=named),
        opening,
        "highest" if high else "lowest",
        " for ",
        who,
        " (",
        telling.value(rows[0], number),
        ")" if len(rows) == 1 else " each)",
    )
