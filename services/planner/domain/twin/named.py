"""Names of a declaration, found exactly: no word is guessed, and none of two is chosen."""

from __future__ import annotations

from collections.abc import Iterable

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.meaning import NotCompiledError
from services.planner.domain.query.filters import Field

_TIMES = (DataType.DATE, DataType.DATETIME)
_MOST_NAMED = 8


class Names:
    """Tables and columns of a catalogue by their names, upper and lower case aside."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def table(self, name: str) -> Table | None:
        """The table of that name."""
        wanted = name.casefold()
        return next((t for t in self.catalogue.tables if t.name.casefold() == wanted), None)

    def field(self, text: str) -> Field:
        """The column that is written "table.column", or "column" where only one table has it.

        Raises NotCompiledError.
        """
        tree = parse(text)
        if not isinstance(tree, exp.Column):
            raise NotCompiledError(f'"{text}" is no column: write table.column')
        return self.column(tree)

    def column(self, tree: exp.Column) -> Field:
        """The same of a column in an expression."""
        owner = self.table(tree.table) if tree.table else None
        if tree.table and owner is None:
            tables = _listed(t.name for t in self.catalogue.tables)
            raise NotCompiledError(f'there is no table "{tree.table}"; there are {tables}')
        wanted = tree.name.casefold()
        found = [
            Field(table=table.name, column=column.name)
            for table in ([owner] if owner is not None else self.catalogue.tables)
            for column in table.columns
            if column.name.casefold() == wanted and not column.guess
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise NotCompiledError(
                f'"{tree.name}" is in several tables: say {describe_fields(found)}'
            )
        if owner is None:
            raise NotCompiledError(f'no table has a column "{tree.name}"')
        known = _listed(column.name for column in owner.columns)
        raise NotCompiledError(f'{owner.name} has no column "{tree.name}"; it has {known}')

    def known(self, field: Field) -> Column:
        """What the data say of a column that was found."""
        table = self.catalogue.table(field.table)
        column = table.column(field.column) if table is not None else None
        assert column is not None, field
        return column

    def metrics(self, text: str) -> list[Field]:
        """The declared metrics of that name, or of a synonym that was declared for it."""
        owner, _, name = text.strip().rpartition(".")
        wanted = name.strip('"').casefold()
        return [
            Field(table=table.name, column=column.name)
            for table in self.catalogue.tables
            if not owner or table.name.casefold() == owner.strip('"').casefold()
            for column in table.columns
            if column.formula
            and not column.guess
            and wanted in (column.name.casefold(), *map(str.casefold, column.synonyms))
        ]

    def time_of(self, table: Table) -> Field:
        """The date that a table's rows are told by: the declared one, else its only one."""
        if table.time_column:
            owner, _, name = table.time_column.rpartition(".")
            return Field(table=owner or table.name, column=name)
        dates = [
            Field(table=table.name, column=column.name)
            for column in table.stored
            if column.data_type in _TIMES
        ]
        if len(dates) == 1:
            return dates[0]
        which = (
            f"{table.name} has {describe_fields(dates)}" if dates else f"{table.name} has no date"
        )
        raise NotCompiledError(f"`time` is not declared: {which}")

    def is_time(self, field: Field) -> bool:
        """Whether a column holds days or moments."""
        return self.known(field).data_type in _TIMES

    def qualified(self, tree: exp.Expr) -> exp.Expr:
        """An expression with every column under the name of its table. Raises NotCompiledError."""

        def named(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
                return node
            field = self.column(node)
            return exp.column(field.column, table=field.table, quoted=True)

        return tree.transform(named)


def parse(text: str) -> exp.Expr:
    """One expression of DuckDB's dialect. Raises NotCompiledError."""
    try:
        trees = sqlglot.parse(f"SELECT {text}", dialect="duckdb")
    except (SqlglotError, RecursionError) as error:
        raise NotCompiledError(f'"{text}" cannot be read as SQL') from error
    select = trees[0] if len(trees) == 1 else None
    given = {name for name, value in select.args.items() if value} if select is not None else set()
    if (
        not isinstance(select, exp.Select)
        or given - {"expressions", "kind"}
        or len(select.expressions) != 1
    ):
        raise NotCompiledError(f'"{text}" is not one expression of SQL')
    found: exp.Expr = select.expressions[0].copy()
    if found.find(exp.Query, exp.Window, exp.Placeholder, exp.Parameter) is not None:
        raise NotCompiledError(f'"{text}" holds a query, a window or a parameter')
    return found.unalias()


def describe_fields(fields: list[Field]) -> str:
    """Columns for people."""
    return _listed(f"{one.table}.{one.column}" for one in fields)


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _MOST_NAMED} more" if len(every) > _MOST_NAMED else ""
    return ", ".join(every[:_MOST_NAMED]) + more
