"""What the cells of a text column are as dates, judged over the whole column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ColumnKind, DateOrder, ReaderOptions
from services.executor.doubts.dates import century_doubt, order_doubt
from services.executor.doubts.zones import zone_doubt
from services.executor.sources.building import Building
from services.executor.sources.delimited import dates, months
from services.executor.sources.delimited.centuries import century_of, moved
from services.executor.sources.delimited.judged import Judged, shortened
from services.executor.sources.offsets import as_written, written

_FORM_SAMPLE = 2_000
_WORDS = 1_000
_EXAMPLES = 3
_DAY, _MONTH = DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST


@dataclass
class Dating:
    """Judges the columns of one table that may hold dates.

    `comma` says that the file writes decimal commas, `zoned` are columns of moments with offsets,
    `order` becomes the order that its unambiguous dates have. Cells come as SQL of the texts `v`
    that stand for a value, and their rows `r`.
    """

    building: Building
    table: str
    options: ReaderOptions
    comma: bool
    zoned: frozenset[str]
    order: DateOrder | None = None

    def judge(self, column: str, cells: str) -> Judged | None:
        """How a column is read as dates; None where no cell is one."""
        connection, doubts = self.building.connection, list[Doubt]()
        bare = self._bare(cells)
        chosen = self._forms(column, cells, bare("v"), doubts)
        local = column in as_written(self.options)

        def moment(name: str) -> str:
            if bare is not dates.bare:
                return months.bound(bare(name), "b", dates.parsed("b", chosen))
            own = dates.zoned(name, as_written=local)
            return f"coalesce({months.bound(bare(name), 'b', dates.parsed('b', chosen))}, {own})"

        start, notes = self._century(column, cells, chosen, moment("v"), doubts)

        def read(name: str) -> str:
            return moved(moment(name), start) if start else moment(name)

        value = read("v")
        timed = connection.execute(
            f"SELECT count({value}), bool_or({value} <> date_trunc('day', {value})) FROM {cells}"
        ).fetchone()
        if not timed or not timed[0]:
            return None
        called = sorted({form.called for form in chosen if form.called})
        if called:
            named = " and ".join(called)
            notes.append(f"column {column} holds {named}; each is read as its first day")
        kind = "TIMESTAMP" if timed[1] or any(form.timed for form in chosen) else "DATE"
        if column in self.zoned and not local:
            doubt = zone_doubt(self.table, column, written(connection, cells, dates.zoned("v")))
            doubts += [doubt] if doubt is not None else []
        return Judged(
            lambda name: f"{read(name)}::{kind}",
            lambda name: f"({moment(name)} IS NOT NULL)",
            ColumnKind.DATE if kind == "DATE" else ColumnKind.DATETIME,
            notes=tuple(notes),
            doubts=tuple(doubts),
        )

    def _bare(self, cells: str) -> Callable[[str], str]:
        """SQL of what is left of a text for its form, with months put in English."""
        word = months.first_word(dates.without_weekday("v"))
        rows = self.building.connection.execute(
            f"SELECT DISTINCT {word} AS w FROM {cells} WHERE w <> '' ORDER BY w LIMIT {_WORDS}"
        ).fetchall()
        names = months.foreign(text for (text,) in rows)
        if not names:
            return dates.bare

        def in_english(name: str) -> str:
            english = months.in_english(dates.without_weekday(name), names)
            return months.bound(english, "e", dates.bare("e"))

        return in_english

    def _forms(self, column: str, cells: str, text: str, doubts: list[Doubt]) -> list[dates.Form]:
        """The forms that the cells have, in one order of day and month."""
        connection = self.building.connection
        sample = f"(SELECT DISTINCT {text} AS b FROM {cells} ORDER BY b LIMIT {_FORM_SAMPLE})"
        terms = ", ".join(f"count({dates.parsed('b', [form])})" for form in dates.FORMS)
        counts = connection.execute(f"SELECT {terms} FROM {sample}").fetchone() or ()
        forms = [form for form, n in zip(dates.FORMS, counts, strict=True) if n]
        day, month = (dates.ordered(forms, order) for order in (_DAY, _MONTH))
        row = connection.execute(
            f"SELECT count(d), count(m), count(*) FILTER (d <> m), "
            f"bool_and(contains(b, '.')) FROM (SELECT v AS b, {dates.parsed('t', day)} AS d, "
            f"{dates.parsed('t', month)} AS m FROM (SELECT v, {text} AS t FROM {cells}))"
        ).fetchone()
        day_fits, month_fits, differ, points = row or (0, 0, 0, False)
        order, certain = self._order(column, day_fits, month_fits, differ, bool(points))
        if not certain:
            examples = self._examples(cells)
            doubts.append(order_doubt(self.table, column, order, differ, examples))
        return dates.ordered(forms, order)

    def _order(
        self, column: str, day_fits: int, month_fits: int, differ: int, points: bool
    ) -> tuple[DateOrder, bool]:
        """Day or month first: as told, as the cells say, as other columns have it, or a guess; and
        whether it is none."""
        if (date_order := self.options.date_order_of(column)) in (_DAY, _MONTH):
            return date_order, True
        if day_fits != month_fits:
            self.order = _DAY if day_fits > month_fits else _MONTH
            self.building.decide(
                self.table,
                "date_order",
                self.order.value,
                column=column,
                because=f"only so {max(day_fits, month_fits):,} cells are dates",
            )
            return self.order, True
        if not differ:
            return _DAY, True
        order = self.order or (_DAY if points or self.comma else _MONTH)
        words = {_DAY: "day first", _MONTH: "month first"}
        self.building.note(
            f"column {column} has dates that can be read day first or month first; "
            f"read {words[order]}",
            column=column,
        )
        self.building.decide(
            self.table,
            "date_order",
            order.value,
            column=column,
            because="no cell tells day from month",
            certain=False,
        )
        return order, self.order is not None or points

    def _century(
        self,
        column: str,
        cells: str,
        forms: Sequence[dates.Form],
        moment: str,
        doubts: list[Doubt],
    ) -> tuple[int, list[str]]:
        """From which year on the hundred years lie that two-digit years are of, 0 where there are
        none or years of four digits beside them; and what is told of it."""
        short = [form for form in forms if form.short_year]
        if not short or len(short) < len(forms):
            return 0, []
        rows = self.building.connection.execute(
            f"SELECT year({moment}) % 100 AS y, count(*) FROM {cells} GROUP BY y "
            "HAVING y IS NOT NULL"
        ).fetchall()
        if not rows:
            return 0, []
        found = century_of([year for year, _ in rows], column)
        read = sorted(found.year(year) for year, _ in rows)
        if found.others:
            count = sum(number for _, number in rows)
            doubts.append(
                century_doubt(
                    self.table, column, found, (read[0], read[-1]), count, self._examples(cells)
                )
            )
        if read[0] >= 2000:
            return found.start, []
        text = f"column {column} has years of two digits; read as {read[0]} to {read[-1]}"
        return found.start, [text]

    def _examples(self, cells: str) -> list[str]:
        """The first few of a column's texts."""
        rows = self.building.connection.execute(
            f"SELECT v FROM {cells} ORDER BY r LIMIT {_EXAMPLES}"
        ).fetchall()
        return [shortened(text) for (text,) in rows]
