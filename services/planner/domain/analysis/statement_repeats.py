"""Numbers of a person's statement over rows that its joins repeat.

An order joined with its lines comes once for each line: its freight is added several times ("fan
trap"; Adamson, Star Schema, 2010, ch. 4). The statement runs as it is; what it adds up is told,
with what would count each row once where that is plain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from services.planner.domain.analysis.repairing.queries import rendered, statement
from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.language.joining.keys import key_of, unique

_ADDED = exp.Sum | exp.Avg | exp.Count | exp.CountIf


@dataclass(frozen=True)
class _Edge:
    """A condition that ties two aliases: the columns of each that are equal."""

    one: str
    other: str
    equal: dict[str, set[str]] = field(default_factory=dict)


def repeats_in(text: str, catalogue: Catalogue) -> tuple[str, ...]:
    """What must be known of a statement's numbers before they are read; empty where its joins
    repeat nothing that it adds up, or where that cannot be told."""
    tree = statement(text)
    if tree is None:
        return ()
    said: list[str] = []
    for select in tree.find_all(exp.Select):
        said += _of_select(select, tree, catalogue)
    return tuple(dict.fromkeys(said))


def _of_select(select: exp.Select, whole: exp.Expr, catalogue: Catalogue) -> Iterator[str]:
    tables = _tables(select, catalogue)
    if tables is None or len(tables) < 2:
        return
    edges = _edges(select, tables)
    for node in _own(select, _ADDED):
        if isinstance(node.this, exp.Distinct) or isinstance(node.parent, exp.Window):
            continue
        aliases = sorted({_alias(column, tables) or "" for column in _values(node)})
        if not aliases or not aliases[0]:
            continue
        again = [_repeating(alias, edges, tables) for alias in aliases]
        by = again[0]
        if by is None or None in again:  # one of its tables has each row once
            continue
        one, many = tables[aliases[0]], tables[by]
        yield _told(node, one, many) + _offered(select, whole, by, tables, edges)
        return


def _told(node: exp.Expr, one: Table, many: Table) -> str:
    times = f", about {many.rows / one.rows:.2g} times" if many.rows > one.rows > 0 else ""
    return (
        f"{rendered(node)} adds up rows that the joins repeat: a row of {one.name} "
        f"({one.rows:,} rows) comes once for every row of {many.name} ({many.rows:,} rows) that "
        f"goes with it{times}"
    )


def _offered(
    select: exp.Select, whole: exp.Expr, by: str, tables: dict[str, Table], edges: list[_Edge]
) -> str:
    """The way to count each row once: without the join where nothing else needs it."""
    join = next((j for j in select.args.get("joins") or () if _named(j.this) == by), None)
    on = _tied_by(join, select, tables) if join is not None else None
    used = [
        column
        for column in select.find_all(exp.Column)
        if _alias(column, tables) == by and column.find_ancestor(exp.Join) is not join
    ]
    star = any(not node.find_ancestor(exp.Count) for node in _own(select, exp.Star))
    alone = sum(by in (edge.one, edge.other) for edge in edges) == 1
    if join is None or on is None or join.side or used or star or not alone or whole is not select:
        return (
            f". Add up the rows of {tables[by].name} in a query of their own, one row for each "
            "that they belong to, and join the results"
        )
    changed = select.copy()
    changed.set("joins", [j for j in changed.args["joins"] if _named(j.this) != by])
    there = exp.select("1").from_(join.this.copy()).where(on.copy())
    return f". Each counts once in: {rendered(changed.where(exp.Exists(this=there)))}"


def _tied_by(join: exp.Join, select: exp.Select, tables: dict[str, Table]) -> exp.Expr | None:
    """The condition of a join; None where it has none."""
    if join.args.get("on") is not None:
        on: exp.Expr = join.args["on"]
        return on
    before = [alias for alias in tables if alias != _named(join.this)]
    pairs = [
        exp.EQ(this=exp.column(name.name, table=join.this.alias_or_name),
               expression=exp.column(name.name, table=holder))
        for name in join.args.get("using") or ()
        for holder in before[:1] if _has(tables[holder], name.name)
    ]  # fmt: skip
    return exp.and_(*pairs) if pairs else None


def _tables(select: exp.Select, catalogue: Catalogue) -> dict[str, Table] | None:
    """The tables that a SELECT joins, by their aliases; None where one is a query or unknown."""
    known = {table.name.casefold(): table for table in catalogue.tables}
    source = select.args.get("from_") or select.args.get("from")
    if source is None:
        return None
    nodes = [source.this, *(join.this for join in select.args.get("joins") or ())]
    found: dict[str, Table] = {}
    for node in nodes:
        table = known.get(node.name.casefold()) if isinstance(node, exp.Table) else None
        if table is None:
            return None
        found[_named(node)] = table
    return found


def _named(node: exp.Expr) -> str:
    return str(node.alias_or_name).casefold()


def _own(select: exp.Select, kinds: type[exp.Expr] | object) -> Iterator[exp.Expr]:
    """Nodes of a SELECT that are not of a query inside it."""
    for node in select.find_all(exp.Expr):
        if isinstance(node, kinds) and node.find_ancestor(exp.Select) is select:  # type: ignore[arg-type]
            yield node


def _values(node: exp.Expr) -> list[exp.Column]:
    """The columns whose values are added up; not those of the conditions of a CASE."""
    conditions = {id(c) for one in node.find_all(exp.If) for c in one.this.find_all(exp.Column)}
    every = list(node.find_all(exp.Column))
    return [c for c in every if id(c) not in conditions] or every


def _alias(column: exp.Column, tables: dict[str, Table]) -> str | None:
    """Which of the joined tables a column is of; None where that is not plain."""
    if column.table:
        return column.table.casefold() if column.table.casefold() in tables else None
    named = column.name.casefold()
    owners = [
        alias
        for alias, table in tables.items()
        if any(named == known.name.casefold() for known in table.columns)
    ]
    return owners[0] if len(owners) == 1 else None


def _edges(select: exp.Select, tables: dict[str, Table]) -> list[_Edge]:
    """What ties the tables, from ON, USING and WHERE; columns held at one value tie, too."""
    found: dict[frozenset[str], _Edge] = {}
    fixed: dict[str, set[str]] = {alias: set() for alias in tables}

    def tie(one: str, other: str, left: str, right: str) -> None:
        edge = found.setdefault(frozenset((one, other)), _Edge(one, other))
        edge.equal.setdefault(one, set()).add(left.casefold())
        edge.equal.setdefault(other, set()).add(right.casefold())

    for join, holder, name in _using(select, tables):
        tie(holder, join, name, name)
    for node in _own(select, exp.EQ):
        if not isinstance(node, exp.EQ) or not _is_condition(node):
            continue
        left, right = node.left.unnest(), node.right.unnest()
        one, other = _column_of(left, tables), _column_of(right, tables)
        if one and other and one[0] != other[0]:
            tie(one[0], other[0], one[1], other[1])
        for side, value in ((one, right), (other, left)):
            if side and isinstance(value, exp.Literal | exp.Placeholder):
                fixed[side[0]].add(side[1].casefold())
    for alias in _untied(select, tables):  # every row of it goes with every other
        for far in tables:
            if far != alias:
                found.setdefault(frozenset((alias, far)), _Edge(alias, far))
    for edge in found.values():
        for alias in (edge.one, edge.other):
            edge.equal.setdefault(alias, set()).update(fixed[alias])
    return list(found.values())


def _using(select: exp.Select, tables: dict[str, Table]) -> Iterator[tuple[str, str, str]]:
    """For each column of a USING the joined table, the first before that has it, and its name."""
    before = list(tables)[:1]
    for join in select.args.get("joins") or ():
        alias = _named(join.this)
        for name in join.args.get("using") or ():
            holder = next((a for a in before if _has(tables[a], name.name)), before[0])
            yield alias, holder, name.name
        before.append(alias)


def _column_of(node: exp.Expr, tables: dict[str, Table]) -> tuple[str, str] | None:
    """The alias and name of a column of the joined tables; None for anything else."""
    alias = _alias(node, tables) if isinstance(node, exp.Column) else None
    return (alias, node.name) if alias else None


def _untied(select: exp.Select, tables: dict[str, Table]) -> set[str]:
    """Tables that no condition names, of more rows than one."""
    named = {
        _alias(column, tables)
        for column in select.find_all(exp.Column)
        if column.find_ancestor(exp.Join, exp.Where, exp.Select) is not select
    }
    used = {str(name.name) for join in select.args.get("joins") or ()
            for name in join.args.get("using") or ()}  # fmt: skip
    return {
        alias
        for alias, table in tables.items()
        if alias not in named and table.rows > 1 and not any(_has(table, u) for u in used)
    }


def _is_condition(node: exp.Expr) -> bool:
    """Whether every row fits an equation: one of those that AND joins in ON or WHERE."""
    above = node.parent
    while isinstance(above, exp.And | exp.Paren):
        above = above.parent
    return isinstance(above, exp.Join | exp.Where)


def _has(table: Table, name: str) -> bool:
    return any(column.name.casefold() == name.casefold() for column in table.columns)


def _repeating(start: str, edges: list[_Edge], tables: dict[str, Table]) -> str | None:
    """The first alias by which rows of another may come several times; None where they do not."""
    reached, waiting = {start}, [start]
    while waiting:
        here = waiting.pop(0)
        for edge in edges:
            if here not in (edge.one, edge.other):
                continue
            there = edge.other if edge.one == here else edge.one
            if there in reached:
                continue
            if not _is_told(tables[there], edge.equal[there]):
                return there
            reached.add(there)
            waiting.append(there)
    return None


def _is_told(table: Table, columns: set[str]) -> bool:
    """Whether some columns tell the rows of a table apart."""
    key = {name.casefold() for name in key_of(table)}
    return (bool(key) and key <= columns) or any(
        unique(table, column.name) for column in table.columns if column.name.casefold() in columns
    )
