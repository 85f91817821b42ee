"""A first look at sources, put together from their description and what their rows show."""

from __future__ import annotations

from collections.abc import Mapping

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    Frozen,
    Relationship,
    Table,
    ValueHit,
)
from services.planner.domain.doubt import Doubt
from services.planner.domain.facts import ColumnFacts, Facts, TableFacts
from services.planner.domain.look.kinds import SemanticKind, kind_of
from services.planner.domain.reading import ReadDecision

_COMPUTED_WITH = frozenset(
    {SemanticKind.AMOUNT, SemanticKind.LEVEL, SemanticKind.INTENSIVE, SemanticKind.NUMBER}
)


_MOST_VALUES = 12


class Bin(Frozen):
    """Rows whose values are alike: from one on to below another, or one value where it has no
    `end`."""

    start: str
    end: str = ""
    rows: int


class ColumnFindings(Frozen):
    """What was seen in the values of a column.

    `missing` are texts that stand for no value, with their number; `spellings` groups of values
    that differ by case or spaces alone, `bins` how numbers and times are spread.
    """

    column: str
    mean: float | None = None
    missing: tuple[tuple[str, int], ...] = ()
    spellings: tuple[tuple[str, ...], ...] = ()
    bins: tuple[Bin, ...] = ()


class TableFindings(Frozen):
    """What was seen in a table."""

    table: str
    columns: tuple[ColumnFindings, ...] = ()


class Findings(Frozen):
    """What the rows show; `unfinished` names tables that were not looked at to the end."""

    tables: tuple[TableFindings, ...] = ()
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
    bins: tuple[Bin, ...] = ()


class JoinLook(Frozen):
    """Rows refer to another table by this column, and by `further` pairs of columns of both.

    `matched` is the part of its different values, 0 to 1, that are there; `orphans` counts rows
    whose value is not, `most` the rows that go with one of the other table at most and `mean` those
    that go with each. All are None where nobody counted.
    """

    column: str
    to_table: str
    to_column: str
    declared: bool
    matched: float | None = None
    orphans: int | None = None
    most: int | None = None
    mean: float | None = None
    further: tuple[tuple[str, str], ...] = ()


class TableLook(Frozen):
    """A table: what one row is (`key`), and what its columns mean.

    `time_column` is the date that its rows are told by, "table.column" where it is another's.
    """

    name: str
    source_name: str
    rows: int
    key: tuple[str, ...] = ()
    key_declared: bool = False
    columns: tuple[ColumnLook, ...] = ()
    joins: tuple[JoinLook, ...] = ()
    synonyms: tuple[str, ...] = ()
    description: str = ""
    time_column: str = ""


class Look(Frozen):
    """What there is, what to doubt of it, the gravest first, and questions to begin with.
    `left_out` says what there was no time for.

    `proposal` is a semantic model to begin with, where one was asked for; `matches` are values that
    were looked for.
    """

    tables: tuple[TableLook, ...] = ()
    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    decisions: tuple[ReadDecision, ...] = ()
    left_out: str = ""
    proposal: str = ""
    doubts: tuple[Doubt, ...] = ()
    matches: tuple[ValueHit, ...] = ()


def look_of(
    catalogue: Catalogue, findings: Findings, times: Mapping[str, str] | None = None
) -> tuple[TableLook, ...]:
    """Every table as it is shown; `times` are the dates that tables are told by, by their names."""
    tables = (_table(table, catalogue, findings) for table in catalogue.tables)
    known = times or {}
    return tuple(t.model_copy(update={"time_column": known.get(t.name, "")}) for t in tables)


def left_out(findings: Findings, facts: Facts) -> str:
    """What was not looked at, in a sentence; empty where all was."""
    unfinished = dict.fromkeys((*findings.unfinished, *facts.unfinished))
    if not unfinished:
        return ""
    return f"Not looked at to the end, as it takes too long: {', '.join(unfinished)}."


def _table(table: Table, catalogue: Catalogue, findings: Findings) -> TableLook:
    seen, known = findings.of(table.name), catalogue.facts.of(table.name)
    facts = {each.column: each for each in known.columns} if known is not None else {}
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
                bins=found.bins if found is not None and found.bins else _values(column, facts),
            )
        )
    joins = tuple(
        _join(link, catalogue) for link in catalogue.relationships if link.from_table == table.name
    )
    return TableLook(
        name=table.name,
        source_name=table.source_name,
        rows=table.rows,
        key=table.primary_key or _found_key(known),
        key_declared=bool(table.primary_key),
        columns=tuple(columns),
        joins=joins,
        synonyms=table.synonyms,
        description=table.comment,
    )


def _values(column: Column, facts: Mapping[str, ColumnFacts]) -> tuple[Bin, ...]:
    """The values of a column of which all are known, the most frequent first."""
    known = facts.get(column.name)
    if known is None or not known.whole:
        return ()
    return tuple(Bin(start=one.value, rows=one.rows) for one in known.values[:_MOST_VALUES])


def _join(link: Relationship, catalogue: Catalogue) -> JoinLook:
    """How rows refer to another table, as far as it was measured."""
    ends = (link.from_table, link.from_column, link.to_table, link.to_column)
    known = catalogue.facts.reference(*ends) if not link.further else None
    return JoinLook(
        column=link.from_column,
        to_table=link.to_table,
        to_column=link.to_column,
        declared=link.declared,
        matched=known.share if known is not None else None,
        orphans=known.orphans if known is not None else None,
        most=known.most if known is not None else None,
        mean=known.mean if known is not None else None,
        further=link.further,
    )


def _found_key(known: TableFacts | None) -> tuple[str, ...]:
    """The first columns found that tell every row from every other."""
    keys = known.keys if known is not None else ()
    return next((key.columns for key in keys if not key.nulls), ())
