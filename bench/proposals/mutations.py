"""Right statements with one planted mistake each: the inverses of the checks' faults.

Each mutation is a function of a parsed statement, which it may change, and the catalogue; it
returns None where it has nothing to change. Whether the result is really another is for whoever
runs both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from sqlglot import exp, parse_one

from services.planner.domain.catalogue import Catalogue, DataType, Table

Change = Callable[[exp.Expr, Catalogue], exp.Expr | None]
_DIALECT = "duckdb"


@dataclass(frozen=True)
class Mutation:
    """A kind of mistake and how it is made."""

    name: str
    change: Change


def mutated(sql: str, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Every mistake that can be planted into a statement: its kind and the statement with it."""
    for mutation in MUTATIONS:
        tree = parse_one(sql, dialect=_DIALECT)
        before = tree.sql(_DIALECT)
        changed = mutation.change(tree, catalogue)
        if changed is not None and (text := changed.sql(_DIALECT)) != before:
            yield mutation.name, text


def _tables(tree: exp.Expr, catalogue: Catalogue) -> dict[str, Table]:
    known = {table.name.casefold(): table for table in catalogue.tables}
    nodes = tree.find_all(exp.Table)
    return {
        n.alias_or_name.casefold(): known[n.name.casefold()]
        for n in nodes
        if n.name.casefold() in known
    }


def _no_condition(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    join = next((j for j in tree.find_all(exp.Join) if j.args.get("on")), None)
    if join is None:
        return None
    join.set("on", None)
    join.set("kind", "CROSS")
    return tree


def _wrong_grain(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """Join what refers to a table that is aggregated: its rows repeat."""
    select = tree.find(exp.Select)
    tables = _tables(tree, catalogue)
    if select is None or not any(select.find_all(exp.Sum, exp.Avg, exp.Count)):
        return None
    for alias, table in tables.items():
        for link in catalogue.relationships:
            taken = {t.name for t in tables.values()}
            if link.to_table == table.name and link.from_table not in taken:
                other = exp.alias_(exp.to_table(f'"{link.from_table}"'), "assay_far", table=True)
                on = f'assay_far."{link.from_column}" = "{alias}"."{link.to_column}"'
                for column in select.find_all(exp.Column):
                    if not column.table and table.column(column.name):
                        column.set("table", exp.to_identifier(alias, quoted=True))
                return tree if select.join(other, on=on, copy=False) else None
    return None


def _wrong_literal(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """A value as people say it, not as it is written."""
    for node in tree.find_all(exp.EQ, exp.In):
        for literal in node.find_all(exp.Literal):
            if literal.is_string and not literal.name[:4].isdigit() and len(literal.name) > 2:
                value = literal.name
                other = value.upper() if value != value.upper() else value.title()
                literal.replace(exp.Literal.string(other))
                return tree
    return None


def _dropped_filter(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    where = tree.find(exp.Where)
    if where is None or where.find(exp.Subquery, exp.Exists):
        return None
    inner = where.this.unnest()
    if isinstance(inner, exp.And):
        where.set("this", inner.left)
    else:
        where.pop()
    return tree


def _shifted_period(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    for literal in tree.find_all(exp.Literal):
        text = literal.name
        if literal.is_string and len(text) >= 10:
            try:
                day = date.fromisoformat(text[:10])
            except ValueError:
                continue
            literal.replace(exp.Literal.string(f"{day.year + 1}{text[4:]}"))
            return tree
        above = literal.parent
        if text.isdigit() and 1900 <= int(text) <= 2100 and isinstance(above, exp.EQ):
            literal.replace(exp.Literal.number(int(text) + 1))
            return tree
    return None


def _wrong_date(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    times = (DataType.DATE, DataType.DATETIME)
    for alias, table in _tables(tree, catalogue).items():
        dates = [c.name for c in table.columns if c.data_type in times]
        if len(dates) < 2:
            continue
        used = [
            c
            for c in tree.find_all(exp.Column)
            if c.name in dates and c.table.casefold() in ("", alias)
        ]
        if used:
            other = next(name for name in dates if name != used[0].name)
            for column in used:
                column.set("this", exp.to_identifier(other, quoted=True))
            return tree
    return None


def _sum_for_avg(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    for node in tree.find_all(exp.Avg, exp.Sum):
        other = exp.Sum if isinstance(node, exp.Avg) else exp.Avg
        if not isinstance(node.this, exp.Case):
            node.replace(other(this=node.this.copy()))
            return tree
    return None


def _count_for_distinct(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    for node in tree.find_all(exp.Count):
        if isinstance(node.this, exp.Distinct) and len(node.this.expressions) == 1:
            node.set("this", node.this.expressions[0].copy())
            return tree
    return None


def _dropped_group(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    select = tree.find(exp.Select)
    group = select.args.get("group") if select is not None else None
    if select is None or group is None or len(group.expressions) != 1:
        return None
    kept = [e for e in select.expressions if e.find(exp.AggFunc)]
    if not kept or len(kept) == len(select.expressions):
        return None
    select.set("expressions", kept)
    for part in ("group", "order", "limit", "having"):
        select.set(part, None)
    return tree


def _wrong_order(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    order = tree.find(exp.Order)
    if order is None or tree.args.get("limit") is None:
        return None
    first = order.expressions[0]
    first.set("desc", not first.args.get("desc"))
    return tree


def _without_ties(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """One row in place of all that share the first place."""
    for rank in tree.find_all(exp.Rank, exp.DenseRank):
        rank.replace(exp.RowNumber())
        return tree
    for node in tree.find_all(exp.EQ):
        inner = node.expression.unnest()
        best = inner.expressions[0] if isinstance(inner, exp.Select) else None
        where = node.parent
        select = where.parent if isinstance(where, exp.Where) else None
        extreme = isinstance(best, exp.Max | exp.Min) and isinstance(node.this, exp.Column)
        if isinstance(select, exp.Select) and extreme:
            first = exp.Ordered(this=node.this.copy(), desc=isinstance(best, exp.Max))
            select.set("where", None)
            select.order_by(first, copy=False).limit(1, copy=False)
            return tree
    return None


def _empty_dropped(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """Unequal alone, which leaves out what is empty."""
    for node in tree.find_all(exp.Or):
        sides = [node.left.unnest(), node.right.unnest()]
        unequal = [side for side in sides if isinstance(side, exp.NEQ | exp.Not)]
        empty = [s for s in sides if isinstance(s, exp.Is) and isinstance(s.expression, exp.Null)]
        if unequal and empty:
            node.replace(unequal[0].copy())
            return tree
    for other in tree.find_all(exp.NullSafeNEQ):
        other.replace(exp.NEQ(this=other.this.copy(), expression=other.expression.copy()))
        return tree
    return None


def _not_in_with_nulls(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    for node in tree.find_all(exp.Is):
        nulls = isinstance(node.expression, exp.Null) and isinstance(node.parent, exp.Not)
        if nulls and node.find_ancestor(exp.Subquery, exp.In):
            node.parent.replace(exp.true())  # type: ignore[union-attr]
            return tree
    return None


def _share_of_another(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """Divide by the number of rows in place of the whole that is there."""
    for node in tree.find_all(exp.Div):
        if node.expression.find(exp.Window, exp.Subquery, exp.Sum):
            node.set("expression", exp.Count(this=exp.Star()))
            return tree
    return None


def _text_for_number(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    for item in tree.find_all(exp.Ordered):
        if isinstance(item.this, exp.Column | exp.Sum | exp.Count | exp.Avg):
            item.set("this", exp.cast(item.this.copy(), "text"))
            return tree
    return None


def _inner_for_left(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    join = next((j for j in tree.find_all(exp.Join) if j.side == "LEFT"), None)
    if join is None:
        return None
    join.set("side", None)
    return tree


MUTATIONS = (
    Mutation("join without condition", _no_condition),
    Mutation("join at the wrong grain", _wrong_grain),
    Mutation("wrong literal", _wrong_literal),
    Mutation("filter dropped", _dropped_filter),
    Mutation("period shifted", _shifted_period),
    Mutation("wrong date column", _wrong_date),
    Mutation("sum for mean", _sum_for_avg),
    Mutation("rows for things", _count_for_distinct),
    Mutation("group dropped", _dropped_group),
    Mutation("wrong order", _wrong_order),
    Mutation("limit without ties", _without_ties),
    Mutation("empty left out", _empty_dropped),
    Mutation("not in with empty", _not_in_with_nulls),
    Mutation("share of another whole", _share_of_another),
    Mutation("text for number", _text_for_number),
    Mutation("inner for left", _inner_for_left),
)
