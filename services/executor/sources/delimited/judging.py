"""What the cells of a text column mean, judged over the whole column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ColumnKind, ReaderOptions
from services.executor.doubts.decimal_marks import decimal_doubt
from services.executor.sources.building import Building
from services.executor.sources.delimited import numbers
from services.executor.sources.delimited.dating import Dating
from services.executor.sources.delimited.judged import BLANKS, Judged, shortened
from services.executor.sources.delimited.places import Places
from services.executor.sources.delimited.plain import MISSING
from services.executor.sources.sql import literal, quoted

_FEW_WORDS = 5
_FEW_CELLS = 0.05
_TRUE = ("true", "t", "yes", "y", "1", "on", "ja", "j", "oui", "si", "sí", "wahr", "vrai")
_FALSE = ("false", "f", "no", "n", "0", "off", "nein", "non", "falsch", "faux")


@dataclass
class Judge:
    """Judges the columns of one staged table; what it decides goes into `building`.

    `staged` is a Parquet file of text columns. `comma` says that the file's delimiter or another
    column speaks for decimal commas, `commas_part` that commas part cells, so that those in numbers
    part thousands; `zoned` are columns of moments with offsets. `unfit` gets the
    cells to keep aside of a column by their lines, `doubts` why another stays text.
    """

    building: Building
    table: str
    staged: Path
    options: ReaderOptions
    places: Places
    comma: bool = False
    commas_part: bool = False
    zoned: frozenset[str] = frozenset()
    unfit: dict[str, dict[int, str]] = field(default_factory=dict)
    doubts: dict[str, str] = field(default_factory=dict)

    def judge(self, wanted: Mapping[str, ColumnKind]) -> dict[str, Judged]:
        """The columns that are more than text, of those given with what they may be."""
        found: dict[str, Judged] = {}
        number_kinds = (ColumnKind.INTEGER, ColumnKind.NUMBER)
        counted = {
            column: numbers.counted(self.building.connection, self._cells(column))
            for column, kind in wanted.items()
            if kind in number_kinds
        }
        self.comma = self.comma or any(c.comma_only > c.point_only for c in counted.values())
        dating = Dating(self.building, self.table, self.options, self.comma, self.zoned)
        for column, kind in wanted.items():
            if kind in number_kinds:
                judged = self._number(column, counted[column])
            elif kind is ColumnKind.BOOLEAN:
                judged = self._flag(column)
            else:
                judged = dating.judge(column, self._cells(column))
            if judged is not None and (accepted := self._accepted(column, judged)) is not None:
                found[column] = accepted
                self.building.doubts += accepted.doubts
                for note in accepted.notes:
                    self.building.note(note, column=column)
        return found

    def _cells(self, column: str) -> str:
        """SQL: the column's texts `v` that stand for a value, and their rows `r`."""
        marks = ", ".join(map(literal, ("", *sorted(self.marks))))
        return (
            f"(SELECT trim({quoted(column)}, {literal(BLANKS)}) AS v, file_row_number AS r "
            f"FROM read_parquet({literal(str(self.staged))}, file_row_number=true) "
            f"WHERE {quoted(column)} IS NOT NULL AND v NOT IN ({marks}))"
        )

    @property
    def marks(self) -> frozenset[str]:
        """The texts that stand for no value among numbers and dates."""
        return MISSING if self.options.missing is None else frozenset(self.options.missing)

    def _number(self, column: str, counts: numbers.Counts) -> Judged | None:
        certain, style = True, numbers.COMMA if self.comma else numbers.POINT
        if self.options.decimal:
            style = numbers.Style(self.options.decimal)
        elif counts.comma_only != counts.point_only:
            style = numbers.COMMA if counts.comma_only > counts.point_only else numbers.POINT
        else:
            certain = self.comma or not counts.ambiguous
        connection, cells = self.building.connection, self._cells(column)
        fits, value = numbers.fits("v", style), numbers.number("v", style)
        rows = connection.execute(
            f"SELECT {numbers.symbols('v')} AS symbol, count(*), "
            f"bool_and({value} = round({value}) AND abs({value}) < {numbers.EXACT_DOUBLE}) "
            f"FROM {cells} WHERE {fits} GROUP BY 1 ORDER BY 2 DESC"
        ).fetchall()
        units = [str(symbol) for symbol, _, _ in rows if symbol]
        if len(units) > 1 or ("%" in units and len(rows) > 1):
            self.doubts[column] = f"its cells mix units: {', '.join(units)}"
            return None  # and told as a doubt, once the table is there
        if not rows:
            return None
        if not certain:
            self.building.note(
                f"column {column} has numbers with either thousands or decimals after "
                f'"{style.thousands if counts.ambiguous else style.decimal}"; '
                f'read with "{style.decimal}" before decimals',
                column=column,
            )
        if counts.comma_only or counts.point_only or counts.ambiguous:
            self.building.decide(
                self.table, "decimal", style.decimal, column=column, certain=certain
            )
        small = all(flag for _, _, flag in rows)
        kind = "BIGINT" if small else numbers.wide_kind(connection, cells, style)
        if not kind:
            self.doubts[column] = "whole numbers of more than 38 digits"
            self.building.note(
                f"column {column} holds {self.doubts[column]}; kept as text", column=column
            )
            return None
        through = "DOUBLE" if small else kind  # 1e3 is whole, and no text of a BIGINT
        doubts: tuple[Doubt, ...] = ()
        if counts.ambiguous and not certain and not self.commas_part:
            example = connection.execute(f"SELECT arg_min(v, r) FROM {cells} WHERE {fits}")
            (first,) = example.fetchone() or ("",)
            of = (self.table, column, style.decimal, counts.total, str(first))
            doubts = (decimal_doubt(*of),)
        return Judged(
            lambda name: f"{numbers.number(name, style, through)}::{kind}",
            lambda name: numbers.fits(name, style),
            ColumnKind.NUMBER if kind == "DOUBLE" else ColumnKind.INTEGER,
            unit=units[0] if units else "",
            doubts=doubts,
        )

    def _flag(self, column: str) -> Judged:
        yes, no = (", ".join(map(literal, words)) for words in (_TRUE, _FALSE))
        return Judged(
            lambda name: f"(lower({name}) IN ({yes}))",
            lambda name: f"(lower({name}) IN ({yes}, {no}))",
            ColumnKind.BOOLEAN,
        )

    def _accepted(self, column: str, judged: Judged) -> Judged | None:
        """The judgement, where all cells fit but a few words, or others are told to stay aside."""
        connection, cells = self.building.connection, self._cells(column)
        total, misfits, words, with_digits, first, row, example = connection.execute(
            f"SELECT count(*), count(*) FILTER (NOT f), count(DISTINCT v) FILTER (NOT f), "
            f"count(*) FILTER (NOT f AND regexp_matches(v, '[0-9]')), "
            f"arg_min(v, r) FILTER (NOT f), min(r) FILTER (NOT f), arg_min(v, r) FILTER (f) "
            f"FROM (SELECT v, r, {judged.fits('v')} AS f FROM {cells})"
        ).fetchall()[0]
        judged = replace(judged, example=example or "")
        if not misfits:
            return judged
        is_mentioned = column in self.options.types
        few = words <= _FEW_WORDS and misfits <= _FEW_CELLS * total and not with_digits
        if is_mentioned or few:
            rejected = dict(
                connection.execute(
                    f"SELECT r, v FROM {cells} WHERE NOT {judged.fits('v')}"
                ).fetchall()
            )
            lines = self.places.of(rejected)
            self.unfit[column] = {lines[r]: text for r, text in rejected.items() if r in lines}
            return judged
        self.doubts[column] = f"{misfits:,} of {total:,} cells are not like the rest"
        place = self.places.of([row]).get(row, 0)
        self.building.note(
            f"column {column} has mixed types; kept as text: {misfits:,} of {total:,} cells are "
            f'not like the rest, first "{shortened(first)}" in line {place:,}',
            column=column,
        )
        return None
