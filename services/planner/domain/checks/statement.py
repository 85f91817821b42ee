"""A statement taken apart for checks: its SELECTs, what each reads, and where columns come from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope

from services.planner.domain.catalogue import Catalogue, Column, Table, ValueHit
from services.planner.domain.checks.bound import bound_words
from services.planner.domain.statements.parsing import DIALECT, rendered, statement
from services.planner.domain.statements.proposal import AskedTest, Binding
from services.planner.domain.statements.readable import filled_in

Node = TypeVar("Node", bound=exp.Expr)
_KEPT = 32
_ADDED_NAME = re.compile(r"_col_\d+")


@dataclass(frozen=True)
class Origin:
    """A column of the data that a column of the statement is. `through` are the aggregates of
    queries inside that it has passed, the innermost first."""

    table: Table
    column: Column
    through: tuple[str, ...] = ()


@dataclass
class Block:
    """One SELECT of a statement. `sources` are tables and queries that it reads, by alias."""

    select: exp.Select
    sources: dict[str, Table | Block | None]
    correlated: bool
    judged: Judged = field(repr=False)

    @property
    def tables(self) -> list[Table]:
        """The tables of the data that it reads."""
        return list(self.named.values())

    @property
    def named(self) -> dict[str, Table]:
        """The tables of the data that it reads, by alias."""
        return {a: s for a, s in self.sources.items() if isinstance(s, Table)}

    def joined(self, alias: str) -> exp.Join | None:
        """The join that brings a source in; None of the first one."""
        return next((j for j in self.joins if j.this.alias_or_name == alias), None)

    def own(self, *kinds: type[Node]) -> Iterator[Node]:
        """Nodes of these kinds that belong to this SELECT and to none inside it."""
        for node in self._own:
            if isinstance(node, kinds):
                yield node

    @cached_property
    def _own(self) -> tuple[exp.Expr, ...]:
        """Looked for once: every rule asks for some, and rules change copies alone."""
        within = self.select.bfs()
        return tuple(node for node in within if node.find_ancestor(exp.Select) is self.select)

    @cached_property
    def aggregates(self) -> tuple[exp.AggFunc, ...]:
        """Aggregates over groups of this SELECT's rows; none over windows."""
        return tuple(
            node for node in self.own(exp.AggFunc) if node.find_ancestor(exp.Window) is None
        )

    @cached_property
    def conditions(self) -> tuple[exp.Expr, ...]:
        """What every row must fulfil: the parts that AND joins in WHERE and in inner ON."""
        wheres = [self.select.args.get("where")]
        found = [where.this for where in wheres if where is not None]
        found += [
            join.args["on"]
            for join in self.joins
            if join.args.get("on") is not None and not join.side
        ]
        return tuple(part for each in found for part in parts(each))

    @property
    def joins(self) -> list[exp.Join]:
        """The joins of this SELECT, in order."""
        return list(self.select.args.get("joins") or ())

    @property
    def groups(self) -> list[exp.Expr]:
        """What rows are grouped by."""
        group = self.select.args.get("group")
        return list(group.expressions) if group is not None else []

    def counts_rows(self, node: exp.Expr) -> bool:
        """Whether an aggregate counts what rows are grouped by: within a group that is one value,
        so that nobody means how many different ones there are."""
        return isinstance(node, exp.Count) and node.this in self.groups

    def origin(self, node: exp.Expr) -> Origin | None:
        """The column of the data that a plain column is; None for anything else."""
        if not isinstance(node, exp.Column):
            return None
        source = self.sources.get(node.table)
        if isinstance(source, Table):
            column = column_of(source, node.name)
            return Origin(source, column) if column is not None else None
        return source.gives(node.name) if isinstance(source, Block) else None

    def gives(self, name: str) -> Origin | None:
        """The column of the data behind one that this SELECT gives."""
        item = self.projection(name)
        if item is None:
            return None
        inner = item.unalias()
        if isinstance(inner, exp.AggFunc) and isinstance(inner.this, exp.Column):
            found = self.origin(inner.this)
            through = (*found.through, inner.key) if found else ()
            return Origin(found.table, found.column, through) if found else None
        return self.origin(inner)

    def projection(self, name: str) -> exp.Expr | None:
        """What this SELECT gives under a name."""
        return next((e for e in self.select.expressions if e.alias_or_name == name), None)

    def asking(
        self,
        *given: exp.Expr | str,
        distinct: bool = False,
        leaving_out: str = "",
        of: exp.Expr | None = None,
    ) -> str:
        """A statement that gives this over the rows of this SELECT before they are grouped, of
        those alone that an aggregate takes by its own FILTER, and without the join of one alias;
        empty for one that depends on a SELECT around it."""
        if self.correlated:
            return ""
        asked = exp.select(*given, dialect=DIALECT)
        for part in ("from_", "joins", "laterals", "where"):
            if (value := self.select.args.get(part)) is not None:
                copied = [one.copy() for one in value] if isinstance(value, list) else value.copy()
                asked.set(part, copied)
        if of is not None and isinstance(of.parent, exp.Filter):
            asked = asked.where(of.parent.expression.this.copy())
        if leaving_out:
            kept = [j for j in asked.args["joins"] if j.this.alias_or_name != leaving_out]
            asked.set("joins", kept)
        if distinct:
            asked = asked.distinct()
        return self.judged.spelled(self.judged.with_queries(asked, self.select))


@dataclass
class Judged:
    """A statement, its parts, and what it is judged by. Names in `tree` are in lower case.

    `hits` are values of the data that words of the question are, `test` what its rows are tested
    by, `bound` words that whoever proposed it has tied to what it does.
    """

    text: str
    tree: exp.Query
    catalogue: Catalogue
    question: str = ""
    hits: tuple[ValueHit, ...] = ()
    test: AskedTest | None = None
    bound: frozenset[str] = frozenset()
    blocks: tuple[Block, ...] = ()

    def spelled(self, node: exp.Expr) -> str:
        """A part of the statement as SQL, with the names as the data have them."""
        known = _spellings(self.catalogue)
        copied = _without_added_names(node.copy())
        if len(self.blocks) == 1 and len(self.blocks[0].sources) == 1:
            for column in copied.find_all(exp.Column):
                column.set("table", None)
        for identifier in copied.find_all(exp.Identifier):
            name = known.get(identifier.name, identifier.name)
            identifier.set("this", name)
            identifier.set("quoted", not _plain(name))
        return rendered(copied)

    def with_queries(self, asked: exp.Select, inside: exp.Expr) -> exp.Select:
        """A statement with the WITH queries that it can see from a place in this one."""
        ctes: list[exp.CTE] = []
        for above in _above(inside):
            held = above.args.get("with_")
            for cte in held.expressions if held is not None else ():
                if inside is cte or any(node is cte for node in _above(inside)):
                    break  # what comes after its own query is not known to it
                ctes.append(cte.copy())
        if ctes:
            asked.set("with_", exp.With(expressions=ctes))
        return asked

    def changed(self, node: exp.Expr, other: exp.Expr) -> str:
        """The whole statement with one part in another's place."""
        marker = "_assay_changed"
        node.meta[marker] = True
        try:
            copied = self.tree.copy()
        finally:
            del node.meta[marker]
        for each in copied.walk():
            if each.meta.pop(marker, None):
                if each is copied:
                    return self.spelled(other)
                each.replace(other.copy())
                break
        return self.spelled(copied)


def taken_apart(
    text: str,
    catalogue: Catalogue,
    params: Sequence[Any] = (),
    question: str = "",
    hits: Sequence[ValueHit] = (),
    test: AskedTest | None = None,
    bindings: Sequence[Binding] = (),
) -> Judged | None:
    """A statement ready to be judged; None for what is no single query, or names what is not
    there."""
    names = tuple((table.name, tuple(c.name for c in table.columns)) for table in catalogue.tables)
    settled = _settled(filled_in(text, params) if params else text, names)
    if settled is None:
        return None
    try:
        whole = settled.copy()
        scopes = traverse_scope(whole)
    except (SqlglotError, RecursionError, ValueError):
        return None
    _name_once(whole)
    bound = bound_words(bindings, text)
    judged = Judged(text, whole, catalogue, question, tuple(hits), test, bound)
    judged.blocks = _blocks(scopes, judged)
    return judged


@lru_cache(maxsize=_KEPT)
def _settled(text: str, names: tuple[tuple[str, tuple[str, ...]], ...]) -> exp.Query | None:
    """The query with every name settled by the `names` of tables and their columns. It is kept, for
    a job takes its statement apart more than once; to change it, copy it."""
    tree = statement(text)
    if tree is None:
        return None
    for bracketed in list(tree.find_all(exp.Paren)):
        if isinstance(bracketed.this, exp.Column | exp.Literal):
            bracketed.replace(bracketed.this)
    schema: dict[str, object] = {
        table: dict.fromkeys(columns, "VARCHAR") for table, columns in names
    }
    try:
        return qualify(
            tree, schema=schema, dialect=DIALECT, quote_identifiers=False, identify=False
        )
    except (SqlglotError, RecursionError, ValueError):
        return None


def _name_once(tree: exp.Expr) -> None:
    """Have a column of USING stand for one of both sides, which are equal in an inner join."""
    for node in list(tree.find_all(exp.Coalesce)):
        sides = [node.this, *node.expressions]
        select = node.find_ancestor(exp.Select)
        outer = any(join.side for join in select.args.get("joins") or ()) if select else True
        alike = all(isinstance(side, exp.Column) for side in sides)
        if alike and not outer and len({side.name for side in sides}) == 1:
            node.replace(node.this)


def column_of(table: Table, name: str) -> Column | None:
    """The column that a name of a statement means, whatever its case."""
    return next((c for c in table.columns if c.name.casefold() == name.casefold()), None)


def _blocks(scopes: Sequence[Scope], judged: Judged) -> tuple[Block, ...]:
    tables = {table.name.casefold(): table for table in judged.catalogue.tables}
    made: dict[int, Block] = {}
    for scope in scopes:
        if not isinstance(scope.expression, exp.Select):
            continue
        sources: dict[str, Table | Block | None] = {}
        for alias, (_, source) in scope.selected_sources.items():
            if isinstance(source, exp.Table):
                sources[alias] = tables.get(source.name.casefold())
            else:
                sources[alias] = made.get(id(source.expression))
        made[id(scope.expression)] = Block(
            scope.expression, sources, bool(scope.external_columns), judged
        )
    return tuple(made.values())


def parts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a condition that AND joins."""
    inner = condition.unnest()
    if isinstance(inner, exp.And):
        yield from parts(inner.left)
        yield from parts(inner.right)
    else:
        yield inner


def _above(node: exp.Expr) -> Iterator[exp.Expr]:
    """A node and all that it is inside of, the outermost first."""
    held: list[exp.Expr] = []
    here: exp.Expr | None = node
    while here is not None:
        held.append(here)
        here = here.parent
    return reversed(held)


def _without_added_names(node: exp.Expr) -> exp.Expr:
    """A part of a statement without the aliases that taking it apart has added."""
    kept = {column.name for column in node.find_all(exp.Column) if column.table}
    for alias in list(node.find_all(exp.Alias)):
        if _ADDED_NAME.fullmatch(alias.alias) and alias.parent and alias.alias not in kept:
            for column in list(alias.parent.find_all(exp.Column)):
                if column.name == alias.alias:  # what is ordered by its place
                    column.replace(alias.this.copy())
            alias.replace(alias.this)
    for table in node.find_all(exp.Table):
        if table.alias == table.name:
            table.set("alias", None)
    return node


def _spellings(catalogue: Catalogue) -> dict[str, str]:
    names = {c.name.casefold(): c.name for t in catalogue.tables for c in t.columns}
    return names | {t.name.casefold(): t.name for t in catalogue.tables}


def _plain(name: str) -> bool:
    from sqlglot.dialects.duckdb import DuckDB

    word = name.replace("_", "a")
    return (
        word.isalnum() and not word[0].isdigit() and word.upper() not in DuckDB.Tokenizer.KEYWORDS
    )
