"""Which metric a text means: a metric of the semantic model, SQL over the tables, or a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Column, Table
from services.planner.domain.investigation.each_once import each_once
from services.planner.domain.investigation.metric import (
    Metric,
    columns_of,
    not_understood,
    rewritten,
    taken_apart,
)
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.query.measures.metrics import is_overall
from services.planner.domain.semantic_model.places import nearest
from services.planner.domain.semantics.kinds import Kind, is_number, kind_of, unit_of

_AGGREGATE_MARK = "("


@dataclass(frozen=True, slots=True)
class MetricOfTable:
    """A metric with every column named in full, and the table whose rows it is made of.

    `said` tells what was taken for granted on the way, for people.
    """

    metric: Metric
    table: str
    notes: tuple[str, ...] = ()


def metric_of(text: str, catalogue: Catalogue) -> MetricOfTable | None:
    """The metric that a text means; None where it is words that no column bears.

    Raises AssayError(METRIC_NOT_UNDERSTOOD) for SQL that is no metric over these tables.
    """
    text = text.strip().rstrip(";")
    named = _of_model(text, catalogue) or _column_named(text, catalogue)
    if named is not None:
        return named
    if _AGGREGATE_MARK not in text:
        return None
    return of_sql(text, catalogue)


def of_sql(text: str, catalogue: Catalogue, label: str = "", base: str = "") -> MetricOfTable:
    """The metric of an SQL expression; `label` is what it is called, `base` the table whose rows it
    is made of where more is known than its columns tell."""
    owners: list[str] = []
    texts: list[str] = []

    def full(node: exp.Column) -> exp.Expr:
        table, column = _owner(node, catalogue, owners)
        owners.append(table.name)
        if column.formula:
            return exp.Paren(this=exp.maybe_parse(column.formula, dialect="duckdb"))
        return exp.column(column.name, table=table.name, quoted=True)

    written = rewritten(text, full)
    table = _rows_of([c.table for c in columns_of(written)], catalogue, base)
    used = {c.table for c in columns_of(written)} - {table}
    parted, sentences = each_once(
        written,
        table,
        graph_of(catalogue).tree(table, used).relations,
        catalogue,
        lambda tables: _rows_of(tables, catalogue),
    )
    unit = _unit(text, owners, catalogue)
    metric = replace(
        taken_apart(parted, label or taken_apart(text).sql, unit), sql=taken_apart(written).sql
    )
    texts += sentences
    if not columns_of(written) and len(catalogue.tables) > 1:
        texts.append(f"it counts the rows of {table}")
    return MetricOfTable(metric, table, tuple(texts))


def _of_model(text: str, catalogue: Catalogue) -> MetricOfTable | None:
    """A metric of the semantic model by its name or a synonym."""
    wanted = _plain(text)
    for table in catalogue.tables:
        for column in table.columns:
            if column.formula and wanted in {_plain(n) for n in (column.name, *column.synonyms)}:
                if is_overall(column):
                    return of_sql(column.formula, catalogue, column.name)
                return _of_column(table, column, column.formula, catalogue)
    return None


def _column_named(text: str, catalogue: Catalogue) -> MetricOfTable | None:
    """A number column by its name, or as people write it: what adds up is added, else averaged."""
    wanted = _plain(text.removeprefix("total ").removeprefix("average "))
    found = [
        (table, column)
        for table in catalogue.tables
        for column in table.stored
        if is_number(column)
        and kind_of(column, table) not in (Kind.ID, Kind.DATE_PART)
        and wanted
        in {_plain(n) for n in (column.name, f"{table.name}.{column.name}", *column.synonyms)}
    ]
    if not found:
        return None
    if len(found) > 1:
        places = ", ".join(f"{table.name}.{column.name}" for table, column in found)
        raise not_understood(f"{text!r} is a column of several tables: {places}; name one of them")
    [(table, column)] = found
    reference = exp.column(column.name, table=table.name, quoted=True).sql(dialect="duckdb")
    return _of_column(table, column, reference, catalogue, text)


def _of_column(
    table: Table, column: Column, row: str, catalogue: Catalogue, text: str = ""
) -> MetricOfTable:
    averaged = kind_of(column, table) is Kind.INTENSIVE or text.startswith("average ")
    if text.startswith("total "):
        averaged = False
    how = "avg" if averaged else "sum"
    found = of_sql(f"{how}({row})", catalogue, f"{how}({column.name})")
    sentence = "average" if averaged else "total"
    why = "its values may not be added up" if averaged else "its values add up"
    note = f"the metric is the {sentence} of {column.name}: {why}"
    parts = () if text.startswith(("total ", "average ")) else (note,)
    level = kind_of(column, table) is Kind.LEVEL
    metric = found.metric
    if level:
        metric = replace(metric, level=True)
    return MetricOfTable(metric, found.table, parts)


def _owner(node: exp.Column, catalogue: Catalogue, near: Sequence[str]) -> tuple[Table, Column]:
    """The table and column that a name in SQL means; tables named before go first."""
    tables = [t for t in catalogue.tables if not node.table or _plain(node.table) in _names(t)]
    if node.table and not tables:
        names = [table.name for table in catalogue.tables]
        raise not_understood(_unknown(f"there is no table {node.table!r}", node.table, names))
    found = [
        (table, column)
        for table in tables
        for column in table.columns
        if _plain(column.name) == _plain(node.name)
    ]
    exact = [pair for pair in found if pair[1].name == node.name]
    found = exact or found
    if len(found) > 1:
        found = [pair for pair in found if pair[0].name in near] or found
    if len(found) > 1:
        found = [pair for pair in found if pair[0].rows] or found
    if len(found) > 1:
        found = _referring(found, catalogue)
    if len(found) > 1:
        places = ", ".join(f"{table.name}.{column.name}" for table, column in found)
        raise not_understood(f"{node.name!r} is a column of several tables: {places}; name one")
    if not found:
        names = [column.name for table in tables for column in table.columns]
        raise not_understood(_unknown(f"there is no column {node.name!r}", node.name, names))
    return found[0]


def _referring(
    found: list[tuple[Table, Column]], catalogue: Catalogue
) -> list[tuple[Table, Column]]:
    """Of columns that refer to each other, the one that refers: its rows are what happened."""
    named_to = {(link.to_table, link.to_column) for link in catalogue.relationships}
    return [pair for pair in found if (pair[0].name, pair[1].name) not in named_to] or found


def _unknown(text: str, name: str, names: Sequence[str]) -> str:
    near = nearest(name, names)
    return (
        f"{text}; did you mean {near!r}?" if near else f"{text}; there are {', '.join(names[:12])}"
    )


def _rows_of(tables: Sequence[str], catalogue: Catalogue, base: str = "") -> str:
    """The table whose rows the metric is made of, `base` where it is known: from it all others are
    reached one to one.

    Raises AssayError(METRIC_NOT_UNDERSTOOD) where a row of one belongs to several of another.
    """
    used = list(dict.fromkeys(tables))
    if not used:
        return base or max(catalogue.tables, key=lambda table: table.rows).name
    graph = graph_of(catalogue)
    by_size = sorted(used, key=lambda name: -_size(name, catalogue))
    for one in [base] if base else by_size:
        tree = graph.tree(one, set(used) - {one})
        if not tree.missing and not tree.fans_out:
            return one
    used = list(dict.fromkeys([*([base] if base else []), *used]))
    raise not_understood(
        f"a row of {used[0]} does not belong to one row of {', '.join(used[1:])}: a metric over "
        "both would count rows several times"
    )


def _size(name: str, catalogue: Catalogue) -> int:
    table = catalogue.table(name)
    return table.rows if table else 0


def _unit(text: str, owners: Sequence[str], catalogue: Catalogue) -> str:
    """The unit of a sum or an average of one column; empty for anything else."""
    columns = columns_of(text)
    if len(columns) != 1 or not owners:
        return ""
    table = catalogue.table(owners[0])
    column = (
        next((c for c in table.columns if _plain(c.name) == _plain(columns[0].name)), None)
        if table
        else None
    )
    if column is None or "count" in text.lower():
        return ""
    unit = unit_of(column)
    return column.unit or (unit.name if unit is not None else "")


def _names(table: Table) -> set[str]:
    return {
        _plain(table.name),
        _plain(table.source_name),
        _plain(table.source_name.rpartition(".")[0]),
    }


def _plain(name: str) -> str:
    return " ".join(words_of(name)).casefold() or name.casefold()
