"""Conditions of a statement in one form, with those on rows of other tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.query.from_sql import moments
from services.planner.domain.query.from_sql.aggregates import Aggregates
from services.planner.domain.query.from_sql.nodes import (
    Node,
    NotExpressibleError,
    conjunction,
    members,
    several,
    tables_in,
)
from services.planner.domain.query.from_sql.spelled import NUMBERS, TIMES
from services.planner.domain.query.kinds import Grain

_COMPARED: Mapping[type[exp.Expr], str] = {
    exp.EQ: "eq",
    exp.NEQ: "ne",
    exp.GT: "gt",
    exp.GTE: "ge",
    exp.LT: "lt",
    exp.LTE: "le",
}
_TURNED = {"gt": "lt", "lt": "gt", "ge": "le", "le": "ge", "eq": "eq", "ne": "ne"}
_OPPOSITE = {"gt": "le", "le": "gt", "ge": "lt", "lt": "ge"}
_VALUES = ("number", "text", "flag", "moment")
_PATTERNS = (exp.ILike, exp.Like, exp.Escape)
Within = Callable[[exp.Select, Mapping[str, str]], "Rows"]


class Rows:
    """What a query within a condition gives: one value of each row, of which rows."""

    def __init__(self, gives: Node, tables: frozenset[str], where: frozenset[Node]) -> None:
        self.gives, self.tables, self.where = gives, tables, where


class Conditions(Aggregates):
    """Conditions over the tables of one SELECT; `within` reads the queries in them."""

    def __init__(
        self,
        catalogue: Catalogue,
        called: Mapping[str, str],
        real: Mapping[str, str],
        within: Within,
    ) -> None:
        super().__init__(catalogue, called, real)
        self._within = within

    def node(self, tree: exp.Expr) -> Node:
        """The form of an expression; a query gives the number that is compared with."""
        inner = tree.unnest()
        if isinstance(inner, exp.Subquery):
            inner = inner.this
        if not isinstance(inner, exp.Select):
            return super().node(tree)
        rows = self._within(inner, {})
        nodes = tuple(sorted(rows.where, key=repr))
        return Node("overall", (rows.gives, tuple(sorted(rows.tables)), nodes))

    def condition(self, tree: exp.Expr) -> Node:
        """The form of a condition. Raises NotExpressibleError for what has none."""
        tree = tree.unnest()
        if isinstance(tree, exp.And):
            return conjunction(self.all_of([tree]))
        if isinstance(tree, exp.Or):
            return self._any([self.condition(one) for one in tree.flatten()])
        if isinstance(tree, exp.Not):
            return self._negated(self.condition(tree.this))
        if type(tree) in _COMPARED:
            return self._compared(
                _COMPARED[type(tree)], self.node(tree.this), self.node(tree.expression)
            )
        if isinstance(tree, exp.Between):
            of = self.node(tree.this)
            low, high = self.node(tree.args["low"]), self.node(tree.args["high"])
            return conjunction((self._compared("ge", of, low), self._compared("le", of, high)))
        if isinstance(tree, exp.In):
            return self._in(tree)
        if isinstance(tree, exp.Is):
            return self._is(tree)
        if isinstance(tree, exp.Exists):
            return self._exists(tree)
        if isinstance(tree, _PATTERNS):
            return self._like(tree)
        if isinstance(tree, exp.Column) and self.kind(self.node(tree)) is DataType.BOOLEAN:
            return Node("in", (self.node(tree), (Node("flag", (True,)),)))
        return super().condition(tree)

    def all_of(self, trees: Iterable[exp.Expr]) -> list[Node]:
        """The conditions that all hold, each by itself."""
        flat = [part for tree in trees for part in _parts(tree)]
        found = [one for part in flat for one in members(self.condition(part))]
        return [m for one in moments.with_months(_together(found)) for m in members(one)]

    def _compared(self, op: str, left: Node, right: Node) -> Node:
        value_first = left.op in _VALUES and right.op not in _VALUES
        if value_first or (left.op == "overall" and right.op == "column"):
            op, left, right = _TURNED[op], right, left
        if right.op in _VALUES:
            return self._with_value(op, left, self._fitting(left, right))
        if repr(right) < repr(left) and right.op == left.op == "column":
            op, left, right = _TURNED[op], right, left
        if op == "ne":
            return Node("not", (Node("eq", (left, right)),))
        return Node(op, (left, right))

    def _with_value(self, op: str, left: Node, value: Node) -> Node:
        if op in ("eq", "ne"):
            found = self._among(left, (value,))
            return found if op == "eq" else self._negated(found)
        if left.op == "grain" or self.kind(left) in TIMES:
            return moments.compared(op, left, value, is_day=self.kind(left) is DataType.DATE)
        return Node(op, (left, value))

    def _among(self, left: Node, values: Sequence[Node]) -> Node:
        fitting = {self._fitting(left, value) for value in values}
        if left.op == "grain":
            if left.parts[0] == Grain.MONTH_OF_YEAR.value:
                [month] = fitting if len(fitting) == 1 else [None]
                if month is not None and month.op == "number":
                    return Node("month is", (left.parts[1], month.parts[0]))
            return moments.among(left, fitting)
        return Node("in", (left, tuple(sorted(fitting, key=repr))))

    def _fitting(self, left: Node, value: Node) -> Node:
        """A value as one of what it is compared with."""
        kind = self.kind(left)
        if value.op == "text" and (kind in TIMES or left.op == "grain"):
            return moments.moment(value.parts[0])
        if value.op == "text" and kind in NUMBERS:
            try:
                number = float(value.parts[0])
            except ValueError:
                raise NotExpressibleError("a text beside a number") from None
            return Node("number", (int(number) if number.is_integer() else number,))
        wanted = {DataType.STRING: "text", DataType.BOOLEAN: "flag"}.get(kind) if kind else None
        wanted = "number" if kind in NUMBERS else "moment" if kind in TIMES else wanted
        if wanted is not None and value.op != wanted:
            raise NotExpressibleError(f"{value.op} beside {wanted}")
        return value

    def _in(self, tree: exp.In) -> Node:
        left, query = self.node(tree.this), tree.args.get("query")
        if query is None:
            values = [self.node(one) for one in tree.expressions]
            if any(value.op not in _VALUES for value in values):
                raise NotExpressibleError("among other things than values")
            return self._among(left, values)
        inner = query.unnest()
        inner = inner.this if isinstance(inner, exp.Subquery) else inner
        rows = self._within(inner, {})
        return self._related(left, rows, absent=False)

    def _related(self, left: Node, rows: Rows, *, absent: bool) -> Node:
        """Whether a row has related ones. Of those without a value there is none to be found."""
        present = Node("present", (rows.gives,))
        full = absent or present in rows.where or self.is_full(rows.gives)
        where, tables, gives = rows.where - {present}, rows.tables, rows.gives
        if gives == left and len(tables) > 1:
            tables, gives, where = _without_itself(gives, tables, where)
        nodes = tuple(sorted(where, key=repr))
        return Node("related", (left, gives, tuple(sorted(tables)), nodes, full))

    def _exists(self, tree: exp.Exists) -> Node:
        inner = tree.this.unnest()
        inner = inner.this if isinstance(inner, exp.Subquery) else inner
        if not isinstance(inner, exp.Select):
            raise NotExpressibleError("something other than rows exist")
        rows = self._within(_anything(inner), self._called)
        outer = [one for one in rows.where if tables_in(one) - rows.tables]
        if len(outer) != 1 or outer[0].op != "eq":
            raise NotExpressibleError("rows that are related in more than one way")
        ends = sorted(outer[0].parts, key=lambda end: bool(tables_in(end) <= rows.tables))
        if not (tables_in(ends[1]) <= rows.tables) or tables_in(ends[0]) & rows.tables:
            raise NotExpressibleError("rows that are related otherwise than by a key")
        found = Rows(ends[1], rows.tables, rows.where - {outer[0]})
        return self._related(ends[0], found, absent=self.is_full(ends[0]))

    def is_full(self, node: Node) -> bool:
        """Whether a column has a value in every row, as was measured."""
        known = self.known(node) if node.op == "column" and node.parts[0] in self._real else None
        if known is None and node.op == "column":
            table = self._tables.get(node.parts[0])
            known = table.column(node.parts[1]) if table is not None else None
        return known is not None and not known.nulls

    def _is(self, tree: exp.Is) -> Node:
        of = self.node(tree.this)
        if isinstance(tree.expression, exp.Null):
            return Node("missing", (of,))
        raise NotExpressibleError("neither missing nor there")

    def _like(self, tree: exp.Expr) -> Node:
        escape = ""
        if isinstance(tree, exp.Escape):
            escape, tree = tree.expression.name, tree.this
        if not isinstance(tree, exp.ILike):
            raise NotExpressibleError("texts compared by their capitals too")
        of = tree.this.unnest()
        if isinstance(of, exp.Cast) and of.to.is_type("varchar"):
            of = of.this
        return Node("like", (self.node(of), _pieces(tree.expression.name, escape)))

    def _negated(self, node: Node) -> Node:
        if node.op == "not":
            inner: Node = node.parts[0]
            return inner
        if node.op in _OPPOSITE:
            return Node(_OPPOSITE[node.op], node.parts)
        if node.op in ("missing", "present"):
            return Node("present" if node.op == "missing" else "missing", node.parts)
        if node.op == "and":
            return self._any([self._negated(one) for one in node.parts])
        if node.op == "or":
            return conjunction(self._negated(one) for one in node.parts)
        if node.op == "in" and self.kind(node.parts[0]) is DataType.BOOLEAN:
            of, [flag] = node.parts
            return Node("in", (of, (Node("flag", (not flag.parts[0],)),)))
        if node.op == "related" and not node.parts[4]:
            raise NotExpressibleError("not among values of which some are missing")
        return Node("not", (node,))

    def _any(self, nodes: Sequence[Node]) -> Node:
        """One of these holds: values of one column as one list of them."""
        flat = [one for node in nodes for one in (node.parts if node.op == "or" else (node,))]
        lists: dict[Node, set[Node]] = {}
        for one in flat:
            if one.op == "in":
                lists.setdefault(one.parts[0], set()).update(one.parts[1])
        found = {one for one in flat if one.op != "in"}
        found |= {Node("in", (of, tuple(sorted(values, key=repr)))) for of, values in lists.items()}
        return next(iter(found)) if len(found) == 1 else several("or", found)


def _parts(tree: exp.Expr) -> Iterable[exp.Expr]:
    inner = tree.unnest()
    return (
        [p for one in inner.flatten() for p in _parts(one)]
        if isinstance(inner, exp.And)
        else [inner]
    )


def _together(conditions: Sequence[Node]) -> list[Node]:
    """Ends of spans side by side, so that a year is known where one stands."""
    spans: dict[Node, list[Node]] = {}
    for one in conditions:
        if one.op in ("ge", "lt") and one.parts[1].op == "moment":
            spans.setdefault(one.parts[0], []).append(one)
    pairs = [ends for ends in spans.values() if {one.op for one in ends} == {"ge", "lt"}]
    paired = [ends for ends in pairs if len(ends) == 2]
    left = [one for one in conditions if not any(one in ends for ends in paired)]
    return [*left, *(conjunction(ends) for ends in paired)]


def _without_itself(
    gives: Node, tables: frozenset[str], where: frozenset[Node]
) -> tuple[frozenset[str], Node, frozenset[Node]]:
    """Related rows by what refers to a table, in place of the table: its own key is there."""
    own = gives.parts[0]
    of_own = [one for one in where if own in tables_in(one)]
    if len(of_own) != 1 or of_own[0].op != "eq" or gives not in of_own[0].parts:
        return tables, gives, where
    other = next(one for one in of_own[0].parts if one != gives)
    return tables - {own}, other, where - {of_own[0]}


def _anything(select: exp.Select) -> exp.Select:
    """A query of which is asked only whether it has rows, told by any column of its own."""
    copied = select.copy()
    copied.set("expressions", [exp.Literal.number(1)])
    copied.set("distinct", None)
    return copied


def _pieces(pattern: str, escape: str) -> tuple[str, str]:
    """A pattern as what it asks for: starts, ends or contains, and the text."""
    start, end = pattern.startswith("%"), pattern.endswith("%")
    text = pattern[1 if start else 0 : -1 if end and len(pattern) > 1 else None]
    plain = text.replace(escape * 2, "\0").replace(f"{escape}%", "\1") if escape else text
    plain = plain.replace(f"{escape}_", "\2") if escape else plain
    if "%" in plain or "_" in plain or not (start or end):
        raise NotExpressibleError("a pattern of another kind")
    plain = plain.replace("\0", escape).replace("\1", "%").replace("\2", "_")
    return ("contains" if start and end else "ends" if start else "starts"), plain
