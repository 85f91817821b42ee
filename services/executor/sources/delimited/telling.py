"""Tells how a text was read: notes for people, and decisions that a read option can overrule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ColumnKind, ReaderOptions, Repair
from services.executor.sources.building import Building
from services.executor.sources.delimited.dialect import Dialect
from services.executor.sources.delimited.headings import find_declared_levels
from services.executor.sources.delimited.judged import Judged, shortened
from services.executor.sources.delimited.layout import Layout
from services.executor.sources.delimited.plain import Plain
from services.executor.sources.delimited.planning import Plan
from services.executor.sources.settling import settled

_KINDS = {
    Plain.WHOLE: ColumnKind.INTEGER,
    Plain.WIDE: ColumnKind.INTEGER,
    Plain.DECIMAL: ColumnKind.NUMBER,
    Plain.FLAG: ColumnKind.BOOLEAN,
    Plain.DAY: ColumnKind.DATE,
    Plain.MOMENT: ColumnKind.DATETIME,
    Plain.SECONDS: ColumnKind.DATETIME,
    Plain.MILLISECONDS: ColumnKind.DATETIME,
}
_SHOWN_UNITS = 4


def tell_layout(
    table: str, dialect: Dialect, layout: Layout, options: ReaderOptions, building: Building
) -> None:
    """The separators, and where the table is."""
    shown = {"\t": "tab", "\x1f": "unit separator"}.get(dialect.delimiter, dialect.delimiter)
    building.decide(table, "delimiter", shown)
    building.decide(table, "quote", dialect.quote)
    building.decide(table, "escape", dialect.escape)
    building.decide(table, "header", str(layout.header).lower())
    building.decide(table, "skip_lines", str(layout.line - 1))
    if layout.preamble:
        first = layout.preamble[0][:60]
        count = len(layout.preamble)
        lines = "line before the table is" if count == 1 else "lines before the table are"
        building.note(f'{count} {lines} left out: "{first}"')
    if layout.comment:
        building.note(f'lines that begin with "{layout.comment}" are remarks and left out')
        building.decide(table, "comment", layout.comment)
    if not layout.header and options.header is None:
        building.note("the first line holds data, not names; columns are called column_1, …")
    if layout.row_names:
        building.note('the header is one name short; the first column is called "row"')
    _tell_headings(table, layout, options, building)
    if layout.units:
        named = list(filter(None, layout.units))
        more = ", …" if len(named) > _SHOWN_UNITS else ""
        building.note(
            f"line {layout.first_line - 1:,}, below the names, holds units and no values: "
            f"{', '.join(named[:_SHOWN_UNITS])}{more}"
        )
        building.decide(
            table, "units_row", "true", because="units stand above numbers", certain=False
        )


def _tell_headings(table: str, layout: Layout, options: ReaderOptions, building: Building) -> None:
    """Names that stand in several lines: joined, or the second line a remark on the columns."""
    found, number = layout.headings, find_declared_levels(options)
    if number is not None:
        building.made.add(f"headings={number}")
    if found is None or found.levels < 2:
        return
    shown = next((name for name in found.names if " " in name), found.names[0])
    what = "the last says more of the columns" if found.remarks else f'joined as "{shown}"'
    text = f"the columns are named in {found.levels} lines: {what}"
    doubt = Doubt(
        code="headings",
        table=table,
        said=text,
        changes="what the columns are called, and whether the lines below the first are rows",
        examples=found.names[:_SHOWN_UNITS],
        repairs=(Repair(kind="headings", value=str(found.levels)),),
        weight=0.1,
        certain=True,
    )
    if settled(doubt, options, building):
        building.note(text)


def tell_missing(plan: Plan, table: str, building: Building) -> None:
    """The texts that stand for no value."""
    if plan.missing:
        marks = ", ".join(f'"{mark}"' for mark in plan.missing)
        building.note(f"read as missing: {marks}")
        building.decide(table, "missing", ", ".join(plan.missing))


def tell_types(
    columns: Sequence[str],
    plan: Plan,
    judged: Mapping[str, Judged],
    options: ReaderOptions,
    table: str,
    building: Building,
) -> None:
    """What the values of every column are that is more than text without a doubt."""
    for column in columns:
        kind, read = plan.plain[column], judged.get(column)
        if kind in (Plain.SECONDS, Plain.MILLISECONDS) and column not in options.types:
            building.note(
                f"column {column} holds {kind.value}; read as moments in UTC", column=column
            )
            building.decide(
                table,
                "types",
                ColumnKind.DATETIME.value,
                column=column,
                because=f"all its numbers are {kind.value} if moments, and its name says so",
                certain=False,
            )
        elif kind is not Plain.TEXT:
            building.decide(table, "types", _KINDS[kind].value, column=column)
        elif read is not None:
            because = f'written like "{shortened(read.example)}"' if read.example else ""
            building.decide(table, "types", read.kind.value, column=column, because=because)
        elif column in plan.doubts:
            building.decide(
                table,
                "types",
                ColumnKind.TEXT.value,
                column=column,
                because=plan.doubts[column],
                certain=False,
            )
