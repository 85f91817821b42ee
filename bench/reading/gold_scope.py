"""Which column of the catalogue a name in a query means: aliases, inner queries, case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Table

ColumnName = tuple[str, str]
"""Table and column, as the catalogue spells them."""


class Names:
    """Tables and columns of a catalogue, found in any case."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._tables: dict[str, Table] = {}
        for table in catalogue.tables:
            self._tables.setdefault(table.source_name.casefold(), table)
        for table in catalogue.tables:
            self._tables[table.name.casefold()] = table

    def table(self, name: str) -> Table | None:
        """The table of that name in the request, or else in its source."""
        return self._tables.get(name.casefold())

    def column(self, table: Table, name: str) -> ColumnName | None:
        """The column as the catalogue spells it."""
        folded = name.casefold()
        found = next((c.name for c in table.columns if c.name.casefold() == folded), None)
        return (table.name, found) if found is not None else None


class Scope:
    """One SELECT: what its names mean, those of the queries around it included."""

    def __init__(self, select: exp.Select, names: Names) -> None:
        self.select = select
        self._names = names

    @cached_property
    def sources(self) -> Mapping[str, Table | exp.Select]:
        """Tables and inner queries of FROM and JOIN, by what they are called."""
        found: dict[str, Table | exp.Select] = {}
        first = self.select.args.get("from_") or self.select.args.get("from")
        joined = [join.this for join in self.select.args.get("joins") or []]
        for source in [*([first.this] if first is not None else []), *joined]:
            intended = self._source(source)
            if intended is not None:
                found[source.alias_or_name.casefold()] = intended
        return found

    def _source(self, source: exp.Expr) -> Table | exp.Select | None:
        if isinstance(source, exp.Subquery):
            return _first_select(source.this)
        for query in _around(self.select):
            for common in query.ctes:
                if common.alias.casefold() == source.name.casefold():
                    return _first_select(common.this)
        return self._names.table(source.name)

    def column(self, node: exp.Column) -> ColumnName | None:
        """The column of the catalogue that is meant; None where it is none."""
        part, name = node.table.casefold(), node.name
        for scope in (self, *self._outer):
            candidates = [s for called, s in scope.sources.items() if part in ("", called)]
            found = (self._within(source, name) for source in candidates)
            if (
                first := next((column for column in found if column is not None), None)
            ) is not None:
                return first
        return self._shown_as(name) if not part else None

    @property
    def _outer(self) -> Iterator[Scope]:
        around = (query for query in _around(self.select) if query is not self.select)
        return (Scope(query, self._names) for query in around if isinstance(query, exp.Select))

    def _within(self, source: Table | exp.Select, name: str) -> ColumnName | None:
        if isinstance(source, Table):
            return self._names.column(source, name)
        for shown in source.selects:
            if shown.alias_or_name.casefold() == name.casefold():
                inner = shown.find(exp.Column)
                return Scope(source, self._names).column(inner) if inner is not None else None
        return None

    def _shown_as(self, name: str) -> ColumnName | None:
        """The column behind a name that the query itself gives, as in ORDER BY."""
        for shown in self.select.selects:
            if isinstance(shown, exp.Alias) and shown.alias.casefold() == name.casefold():
                inner = shown.find(exp.Column)
                if inner is not None and inner.name.casefold() != name.casefold():
                    return self.column(inner)
        return None

    def columns(self, part: exp.Expr) -> Iterator[ColumnName]:
        """The columns of a part of this query, not of the queries within it."""
        for node in part.find_all(exp.Column):
            if node.parent_select is self.select and (found := self.column(node)) is not None:
                yield found


def _first_select(query: exp.Expr) -> exp.Select | None:
    return query.find(exp.Select)


def _around(select: exp.Expr) -> Iterator[exp.Query]:
    node: exp.Expr | None = select
    while node is not None:
        if isinstance(node, exp.Query) and not isinstance(node, exp.Subquery):
            yield node
        node = node.parent
