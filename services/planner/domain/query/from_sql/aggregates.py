"""Numbers of groups of a statement in one form, and what is computed over windows of these."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from services.planner.domain.query.from_sql.nodes import (
    AGGREGATES,
    Node,
    NotExpressibleError,
    conjunction,
)
from services.planner.domain.query.from_sql.spelled import Spelled

_AGGREGATES: Mapping[type[exp.Expr], str] = {
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
    exp.Median: "median",
    exp.Stddev: "stddev",
    exp.StddevSamp: "stddev",
    exp.Variance: "variance",
}
_PLACES: Mapping[type[exp.Expr], str] = {exp.Rank: "rank", exp.RowNumber: "row number"}


class Aggregates(Spelled):
    """Numbers of groups over the tables of one SELECT."""

    def aggregate(self, tree: exp.Expr) -> Node:
        """The form of a number of groups, or of one over a window. Raises NotExpressibleError."""
        if isinstance(tree, exp.Window):
            return self._window(tree)
        where: Node | None = None
        if isinstance(tree, exp.Filter):
            where, tree = self.condition(tree.expression.this), tree.this.unnest()
        if isinstance(tree, exp.CountIf):
            return _counting(_both(where, self.condition(tree.this)))
        if isinstance(tree, exp.Count):
            return self._count(tree, where)
        if isinstance(tree, exp.PercentileCont | exp.Quantile):
            part = self.node(tree.expression if tree.expression else tree.args["quantile"])
            if isinstance(tree, exp.Quantile) or part.op != "number":
                raise NotExpressibleError("a quantile of another kind")
            of, number = self.node(tree.this), part.parts[0]
            half = number == 0.5
            return Node("median", (of, where)) if half else Node("quantile", (of, where, number))
        if isinstance(tree, exp.Corr):
            pair = tuple(sorted((self.node(tree.this), self.node(tree.expression)), key=repr))
            return Node("corr", (pair, where))
        op = _AGGREGATES.get(type(tree))
        if op is None or tree.expressions:
            raise NotExpressibleError(f"{type(tree).__name__} is no number that an intent has")
        return self._of_case(op, tree.this.unnest(), where)

    def _of_case(self, op: str, of: exp.Expr, where: Node | None) -> Node:
        """A number of the rows that fit, written as a case without another one."""
        if isinstance(of, exp.Case) and of.this is None and len(of.args["ifs"]) == 1:
            [only], other = of.args["ifs"], of.args.get("default")
            if other is None or isinstance(other, exp.Null):
                fits = _both(where, self.condition(only.this))
                return Node(op, (self.node(only.args["true"]), fits))
        return Node(op, (self.node(of), where))

    def _count(self, tree: exp.Count, where: Node | None) -> Node:
        of = tree.this.unnest() if tree.this is not None else exp.Star()
        if isinstance(of, exp.Distinct):
            if len(of.expressions) != 1:
                raise NotExpressibleError("different values of several columns")
            return Node("distinct", (self.node(of.expressions[0]), where))
        if isinstance(of, exp.Star | exp.Literal):
            return _counting(where)
        if isinstance(of, exp.Case):
            found = self._of_case("count", of, where)
            return _counting(found.parts[1]) if found.parts[0].op in ("number", "text") else found
        return Node("count", (self.node(of), where))

    def _window(self, tree: exp.Window) -> Node:
        function = tree.this
        place = _PLACES.get(type(function))
        own = Node(place) if place is not None else self.node(function)
        if place is None and own.op not in AGGREGATES:
            raise NotExpressibleError("a window that no intent has")
        apart = tuple(sorted((self.node(e) for e in tree.args.get("partition_by") or ()), key=repr))
        order = tree.args.get("order")
        by = tuple(map(self.ordered, order.expressions)) if order is not None else ()
        return Node("window", (own, apart, by, self._frame(tree.args.get("spec"), by)))

    def _frame(self, spec: exp.Expr | None, by: tuple[Node, ...]) -> str:
        """Which rows a window is over: the usual ones are left out."""
        if spec is None:
            return ""
        text = str(spec.sql(dialect="duckdb")).upper()
        usual = ("RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "RANGE UNBOUNDED PRECEDING")
        return "" if by and text in usual else text

    def ordered(self, item: exp.Expr) -> Node:
        """What rows are ordered by, which way, and where those without a value go."""
        if not isinstance(item, exp.Ordered):
            return Node("order", (self.node(item), False))
        if item.args.get("nulls_first"):
            raise NotExpressibleError("rows without a value first")
        return Node("order", (self.node(item.this), bool(item.args.get("desc"))))


def _counting(where: Node | None) -> Node:
    return Node("count", (None, where))


def _both(one: Node | None, other: Node) -> Node:
    return other if one is None else conjunction((one, other))
