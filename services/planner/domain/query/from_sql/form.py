"""The canonical form of a statement: equal forms give equal rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.from_sql.conditions import Conditions, Rows
from services.planner.domain.query.from_sql.flat import flattened
from services.planner.domain.query.from_sql.nodes import (
    Node,
    NotExpressibleError,
    aggregated,
)

_OF_VALUES = ("sum", "avg", "min", "max", "median")


@dataclass(frozen=True)
class Form:
    """A SELECT over tables. `real` are the tables by the names that they are known by, in the order
    in which they are read; `optional` are those that keep what nothing matches, with how.

    `outputs` are what is given, by the names of columns in small letters.
    """

    real: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, Node], ...]
    where: frozenset[Node] = frozenset()
    optional: tuple[tuple[str, frozenset[Node]], ...] = ()
    groups: frozenset[Node] = frozenset()
    having: frozenset[Node] = frozenset()
    qualify: frozenset[Node] = frozenset()
    order: tuple[Node, ...] = ()
    limit: int | None = None
    offset: int = 0
    distinct: bool = False
    spelled: Conditions | None = field(default=None, compare=False, repr=False)

    @property
    def grouped(self) -> bool:
        """Whether rows are collapsed into groups."""
        parts = (*(node for _, node in self.outputs), *self.having, *self.order)
        return any(aggregated(_without_windows(one)) for one in parts)

    def named(self, labels: Sequence[str]) -> Form:
        """The form with its columns called so, in order; there are as many."""
        named = zip(labels, self.outputs, strict=True)
        return replace(self, outputs=tuple((name.casefold(), one[1]) for name, one in named))

    def same_as(self, asked: Form) -> bool:
        """Whether it gives the same rows as one that was asked for, in its order where it has one,
        whatever the order of the columns."""
        any_order = not (asked.order or asked.limit is not None or asked.offset)
        return self._rows == asked._rows and (any_order or self.order == asked.order)

    @property
    def _rows(self) -> tuple[object, ...]:
        return (
            frozenset(self.real),
            frozenset(self.outputs),
            self.where,
            self.optional,
            self.groups,
            self.having,
            self.qualify,
            self.limit,
            self.offset,
            self.distinct,
        )


def _without_windows(node: Node) -> Node:
    """A number without what is computed over its window; that is over groups where it adds up
    numbers of groups."""
    if node.op == "window":
        own, apart, by, _ = node.parts
        inner = [part for part in own.parts if isinstance(part, Node)]
        return Node("of window", (*inner, *apart, *by))
    parts = tuple(_without_windows(p) if isinstance(p, Node) else p for p in node.parts)
    return Node(node.op, parts)


def form_of(tree: exp.Expr, catalogue: Catalogue) -> Form:
    """The form of a statement. Raises NotExpressibleError where it has none."""
    return _form(flattened(tree, catalogue), catalogue, {})


def _form(select: exp.Select, catalogue: Catalogue, around: Mapping[str, str]) -> Form:
    called, real, joins = _sources(select, catalogue, around)
    others = {name: name for name in around.values() if name not in real}
    spelled = Conditions(
        catalogue,
        {**around, **called},
        {**others, **real},
        lambda inner, outer: _rows(inner, catalogue, outer),
    )
    where = [_clause(select, "where")]
    optional: list[tuple[str, frozenset[Node]]] = []
    for join, name in joins:
        on = join.args.get("on")
        if join.side.upper() == "LEFT" and on is not None:
            optional.append((name, frozenset(spelled.all_of([on]))))
        elif not _is_plain(join):
            raise NotExpressibleError("a join of another kind")
        else:
            where.append(on)
    group = select.args.get("group")
    groups = frozenset(map(spelled.node, group.expressions)) if group is not None else frozenset()
    if group is not None and any(
        group.args.get(p) for p in ("cube", "rollup", "grouping_sets", "totals")
    ):
        raise NotExpressibleError("groups of several kinds")
    outputs = tuple((one.alias_or_name, spelled.node(one.unalias())) for one in select.expressions)
    order = select.args.get("order")
    found = Form(
        real=tuple(real.items()),
        outputs=outputs,
        where=frozenset(spelled.all_of([one for one in where if one is not None])),
        optional=tuple(optional),
        groups=groups,
        having=_having(spelled, select),
        qualify=frozenset(spelled.all_of(_all(select, "qualify"))),
        order=tuple(map(spelled.ordered, order.expressions)) if order is not None else (),
        limit=_number(select, "limit"),
        offset=_number(select, "offset") or 0,
        distinct=bool(select.args.get("distinct")),
        spelled=spelled,
    )
    return _settled(found)


def _sources(
    select: exp.Select, catalogue: Catalogue, around: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str], list[tuple[exp.Join, str]]]:
    """Names of sources by alias, tables by those names, and the joins with theirs."""
    tables = {t.name.casefold(): t.name for t in catalogue.tables}
    called: dict[str, str] = {}
    real: dict[str, str] = {}
    joins = list(select.args.get("joins") or ())
    of = select.args.get("from_")
    found = [of.this if of is not None else None, *(join.this for join in joins)]
    named = list[str]()
    for source in found:
        table = tables.get(source.name.casefold()) if isinstance(source, exp.Table) else None
        extra = {key for key, value in source.args.items() if value} if source else set[str]()
        if source is None or table is None or extra - {"this", "alias"}:
            raise NotExpressibleError("something other than tables is read")
        if source.alias_column_names:
            raise NotExpressibleError("columns that are named anew")
        name = table if table not in real else source.alias_or_name
        if name in real or (name != table and name in tables) or name in around.values():
            raise NotExpressibleError("a table that is read twice under one name")
        called[source.alias_or_name], real[name] = name, table
        named.append(name)
    return called, real, list(zip(joins, named[1:], strict=True))


def _is_plain(join: exp.Join) -> bool:
    """Whether a join keeps what matches, and nothing else."""
    other = join.side or join.method or join.args.get("using")
    return not other and join.kind.upper() in ("", "INNER", "CROSS")


def _clause(select: exp.Select, name: str) -> exp.Expr | None:
    clause = select.args.get(name)
    return clause.this if clause is not None else None


def _all(select: exp.Select, name: str) -> list[exp.Expr]:
    clause = _clause(select, name)
    return [clause] if clause is not None else []


def _having(spelled: Conditions, select: exp.Select) -> frozenset[Node]:
    return frozenset(spelled.all_of(_all(select, "having")))


def _number(select: exp.Select, name: str) -> int | None:
    clause = select.args.get(name)
    if clause is None:
        return None
    node = clause.expression
    more = {key for key, value in clause.args.items() if value} - {"expression"}
    if more or not isinstance(node, exp.Literal) or node.is_string or not node.name.isdigit():
        raise NotExpressibleError("a limit that is no number")
    return int(node.name)


def _rows(select: exp.Select, catalogue: Catalogue, around: Mapping[str, str]) -> Rows:
    """What a query within a condition gives."""
    found = _form(_flat_within(select), catalogue, around)
    plain = not (found.having or found.qualify or found.limit or found.offset or found.optional)
    if len(found.outputs) != 1 or not plain:
        raise NotExpressibleError("a query within that gives other than rows")
    gives = found.outputs[0][1]
    if found.groups and found.groups != {gives}:
        raise NotExpressibleError("a query within that gives groups")
    if any(name != table for name, table in found.real):
        raise NotExpressibleError("a query within that reads a table twice")
    return Rows(gives, frozenset(name for name, _ in found.real), found.where)


def _flat_within(select: exp.Select) -> exp.Select:
    if any(isinstance(t, exp.Subquery) for t in (select.args["from_"].this,)):
        raise NotExpressibleError("a query over a query within a condition")
    return select


def _settled(form: Form) -> Form:
    """Without what goes without saying: groups of what is told once, what is always there."""
    spelled = form.spelled
    assert spelled is not None
    having = _without_certain(form.having, spelled)
    qualify = _without_certain(form.qualify, spelled)
    outputs = {node for _, node in form.outputs}
    settled = replace(form, having=having, qualify=qualify)
    if settled.groups and not settled.grouped and not settled.having and not settled.qualify:
        by = {node.parts[0] for node in settled.order}
        if settled.groups == outputs and by <= outputs:
            return replace(settled, groups=frozenset(), distinct=True)
    return settled


def _without_certain(conditions: frozenset[Node], spelled: Conditions) -> frozenset[Node]:
    """Conditions but those that a number of a group is there, where it always is."""

    def is_there(node: Node) -> bool:
        if node.op in _OF_VALUES:
            return node.parts[1] is None and spelled.is_full(node.parts[0])
        return node.op in ("count", "distinct") or spelled.is_full(node)

    return frozenset(c for c in conditions if not (c.op == "present" and is_there(c.parts[0])))
