"""A first look at sources, put together from their description and what their rows show."""

from __future__ import annotations

from collections.abc import Mapping

from services.planner.domain.catalogue import Catalogue, Frozen, Table
from services.planner.domain.look.kinds import SemanticKind, kind_of
from services.planner.domain.reader.links.stand_ins import stand_in
from services.planner.domain.reading import ReadDecision

_COMPUTED_WITH = frozenset(
    {SemanticKind.AMOUNT, SemanticKind.LEVEL, SemanticKind.INTENSIVE, SemanticKind.NUMBER}
)
_MOST_SPELLINGS = 3


class ColumnFindings(Frozen):
    """What was seen in the values of a column.

    `missing` are texts that stand for no value, with their number; `spellings` groups of values
    that differ by case or spaces alone.
    """

    column: str
    mean: float | None = None
    missing: tuple[tuple[str, int], ...] = ()
    spellings: tuple[tuple[str, ...], ...] = ()


class TableFindings(Frozen):
    """What was seen in a table; `key` are columns that together tell its rows apart."""

    table: str
    key: tuple[str, ...] = ()
    columns: tuple[ColumnFindings, ...] = ()


class Match(Frozen):
    """The part of a column's different values, 0 to 1, that is in the column it refers to."""

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    share: float


class Findings(Frozen):
    """What the rows show; `unfinished` names tables that were not looked at to the end."""

    tables: tuple[TableFindings, ...] = ()
    matches: tuple[Match, ...] = ()
    unfinished: tuple[str, ...] = ()

    def of(self, table: str) -> TableFindings:
        """What was seen in a table; nothing where it was not looked at."""
        return next((t for t in self.tables if t.table == table), TableFindings(table=table))


class ColumnLook(Frozen):
    """A column with its meaning and what its values are like; `empty` counts rows without one.

    One with a `formula` is a metric of a semantic model.
    """

    name: str
    kind: SemanticKind
    unit: str = ""
    minimum: str | None = None
    maximum: str | None = None
    mean: float | None = None
    distinct: int = 0
    empty: int = 0
    samples: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    description: str = ""
    formula: str = ""


class JoinLook(Frozen):
    """Rows refer to another table by this column, and by `further` pairs of columns of both.

    `matched` is None where it was not counted.
    """

    column: str
    to_table: str
    to_column: str
    declared: bool
    matched: float | None = None
    further: tuple[tuple[str, str], ...] = ()


class TableLook(Frozen):
    """A table: what one row is (`key`), what its columns mean, and what to doubt.

    `time_column` is the date that its rows are told by, "table.column" where it is another's.
    """

    name: str
    source_name: str
    rows: int
    key: tuple[str, ...] = ()
    key_declared: bool = False
    columns: tuple[ColumnLook, ...] = ()
    joins: tuple[JoinLook, ...] = ()
    doubts: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    description: str = ""
    time_column: str = ""


class Look(Frozen):
    """What there is, and questions to begin with. `left_out` says what there was no time for.

    `proposal` is a semantic model to begin with, where one was asked for.
    """

    tables: tuple[TableLook, ...] = ()
    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    decisions: tuple[ReadDecision, ...] = ()
    left_out: str = ""
    proposal: str = ""


def look_of(
    catalogue: Catalogue, findings: Findings, times: Mapping[str, str] | None = None
) -> tuple[TableLook, ...]:
    """Every table as it is shown; `times` are the dates that tables are told by, by their names."""
    tables = (_table(table, catalogue, findings) for table in catalogue.tables)
    known = times or {}
    return tuple(t.model_copy(update={"time_column": known.get(t.name, "")}) for t in tables)


def left_out(findings: Findings) -> str:
    """What was not looked at, in a sentence; empty where all was."""
    if not findings.unfinished:
        return ""
    return f"Not looked at to the end, as it takes too long: {', '.join(findings.unfinished)}."


def _table(table: Table, catalogue: Catalogue, findings: Findings) -> TableLook:
    seen = findings.of(table.name)
    by_name = {each.column: each for each in seen.columns}
    columns = []
    for column in table.columns:
        meaning = kind_of(column, table)
        found = by_name.get(column.name)
        numeric = meaning.kind in _COMPUTED_WITH
        columns.append(
            ColumnLook(
                name=column.name,
                kind=meaning.kind,
                unit=meaning.unit,
                minimum=column.minimum,
                maximum=column.maximum,
                mean=found.mean if found is not None and numeric else None,
                distinct=column.distinct,
                empty=column.nulls,
                samples=column.samples,
                synonyms=column.synonyms,
                description=column.comment,
                formula=column.formula_in(table.name),
            )
        )
    shares = {(m.from_table, m.from_column, m.to_table, m.to_column): m.share
              for m in findings.matches}  # fmt: skip
    joins = tuple(
        JoinLook(
            column=link.from_column,
            to_table=link.to_table,
            to_column=link.to_column,
            declared=link.declared,
            matched=shares.get((link.from_table, link.from_column, link.to_table, link.to_column)),
            further=link.further,
        )
        for link in catalogue.relationships
        if link.from_table == table.name
    )
    return TableLook(
        name=table.name,
        source_name=table.source_name,
        rows=table.rows,
        key=table.primary_key or seen.key,
        key_declared=bool(table.primary_key),
        columns=tuple(columns),
        joins=joins,
        doubts=_doubts(table, columns, seen, table.name in findings.unfinished),
        synonyms=table.synonyms,
        description=table.comment,
    )


def _doubts(
    table: Table, columns: list[ColumnLook], seen: TableFindings, unfinished: bool
) -> tuple[str, ...]:
    times = [c.name for c in columns if c.kind is SemanticKind.TIME]
    parts = [c.name for c in columns if c.kind is SemanticKind.DATE_PART]
    said = []
    if len(times) > 1 and not table.time_column:
        said.append(f"{len(times)} time columns: {', '.join(times)}")
    elif times and len(parts) > 1:
        said.append(f"2 time columns: {'/'.join(parts)}, {times[0]}")
    for column in table.columns:
        if number := stand_in(column):
            said.append(
                f"{column.name}: goes down to {number}, which may stand for a missing value"
            )
    for found in seen.columns:
        said += [f'{found.column} "{text}" {_times(n)}' for text, n in found.missing]
        said += [
            f"{found.column}: {_quoted(values)} differ by case or spaces alone"
            for values in found.spellings
        ]
    if table.rows and not table.primary_key and not seen.key and not unfinished:
        said.append("nothing found that tells its rows apart")
    return tuple(said)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _quoted(values: tuple[str, ...]) -> str:
    told = [f'"{value}"' for value in values[:_MOST_SPELLINGS]]
    return f"{', '.join(told[:-1])} and {told[-1]}"
