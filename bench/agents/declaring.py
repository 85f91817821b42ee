"""What the author of a right statement would declare that it means, made from the statement alone.

One number, the columns it is split by, conditions, and days or a grain of time: what `means` holds.
A statement of another form declares nothing, and says why.
"""

from __future__ import annotations

from datetime import date, timedelta

from sqlglot import exp, parse_one

from services.planner.domain.catalogue import Catalogue, DataType, Table
from services.planner.domain.meaning import Meaning
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.query.joining.repeats import repeating

_GRAINS = ("year", "quarter", "month", "week", "day")
_TIMES = (DataType.DATE, DataType.DATETIME)
_NO_PART = ("distinct", "having", "qualify", "with_", "windows", "offset", "laterals")


class UndeclaredError(Exception):
    """Why a statement declares nothing."""


def declared(sql: str, catalogue: Catalogue) -> Meaning:
    """The declaration of a right statement. Raises UndeclaredError."""
    tree = parse_one(sql, dialect="duckdb")
    if not isinstance(tree, exp.Select) or any(tree.args.get(part) for part in _NO_PART):
        raise UndeclaredError("not one plain SELECT")
    if tree.find(exp.Subquery, exp.Window, exp.Exists) or len(list(tree.find_all(exp.Select))) > 1:
        raise UndeclaredError("holds a query or a window")
    return _Declaring(tree, catalogue).whole()


class _Declaring:
    """One SELECT with its tables by the names that it gives them."""

    def __init__(self, tree: exp.Select, catalogue: Catalogue) -> None:
        self._tree, self._catalogue = tree, catalogue
        known = {table.name.casefold(): table for table in catalogue.tables}
        nodes = list(tree.find_all(exp.Table))
        if any(node.name.casefold() not in known for node in nodes):
            raise UndeclaredError("reads what is no table")
        self._tables = {
            node.alias_or_name.casefold(): known[node.name.casefold()] for node in nodes
        }
        if len({table.name for table in self._tables.values()}) < len(nodes):
            raise UndeclaredError("reads a table twice")
        self._time, self._grain, self._period = "", "", ""

    def whole(self) -> Meaning:
        numbers = [one for one in self._tree.expressions if one.find(exp.AggFunc)]
        if not numbers:
            raise UndeclaredError("gives no number of several rows")
        if len(numbers) > 1:
            raise UndeclaredError("gives several numbers")
        by = self._by()
        filters = self._filters()
        return Meaning(
            metric=self._metric(numbers[0].unalias()),
            by=tuple(by),
            filter=tuple(filters),
            time=self._time,
            grain=self._grain,
            period=self._period,
        )

    def _metric(self, tree: exp.Expr) -> str:
        while isinstance(tree, exp.Round | exp.Paren | exp.Cast):
            tree = tree.this
        if isinstance(tree, exp.Count) and isinstance(tree.this, exp.Star):
            return f'count("{self._finest().name}")'
        return self._named(tree)

    def _finest(self) -> Table:
        """The table of whose rows each row of the joined tables is one."""
        every = list(self._tables.values())
        for table in every:
            others = [one.name for one in every if one is not table]
            found = graph_of(self._catalogue).tree(table.name, others)
            if not found.missing and not repeating(table.name, found.relations, self._catalogue):
                return table
        raise UndeclaredError("counts rows of no one table")

    def _by(self) -> list[str]:
        group = self._tree.args.get("group")
        found: list[str] = []
        shown = [one.unalias() for one in self._tree.expressions]
        for each in group.expressions if group else ():
            one = self._resolved(each, shown)
            if one not in shown:
                raise UndeclaredError("is split by what it does not show")
            if isinstance(one, exp.Column):
                found.append(self._named(one))
            elif self._grain or not (unit := _unit_of(one)):
                raise UndeclaredError("is split by an expression")
            else:
                self._take_time(next(iter(one.find_all(exp.Column))))
                self._grain = unit
        bare = [one for one in shown if not one.find(exp.AggFunc)]
        if len(bare) != (len(group.expressions) if group else 0):
            raise UndeclaredError("shows what it is not split by")
        return found

    def _resolved(self, each: exp.Expr, shown: list[exp.Expr]) -> exp.Expr:
        """What is grouped by: by its place, by its alias, or itself."""
        if isinstance(each, exp.Literal) and each.name.isdigit():
            return shown[int(each.name) - 1]
        for one in self._tree.expressions:
            if isinstance(each, exp.Column) and not each.table and one.alias == each.name:
                inner: exp.Expr = one.unalias()
                return inner
        return each

    def _filters(self) -> list[str]:
        where = self._tree.args.get("where")
        parts = _conjuncts(where.this if where else None)
        for join in self._tree.args.get("joins") or ():
            if join.side or (join.kind and join.kind not in ("INNER", "CROSS")):
                raise UndeclaredError("keeps rows of one side")
            parts += _conjuncts(join.args.get("on"))
        days = self._days(parts)
        return [self._named(one) for one in parts if one not in days and not self._joins(one)]

    def _joins(self, one: exp.Expr) -> bool:
        """Whether a condition joins two tables."""
        sides = [one.this, one.expression] if isinstance(one, exp.EQ) else []
        columns = [side for side in sides if isinstance(side, exp.Column)]
        return len({self._table_of(side).name for side in columns}) == 2

    def _days(self, parts: list[exp.Expr]) -> list[exp.Expr]:
        """The conditions that together say one period, which is taken."""
        for part in parts:
            found = _period_of(part)
            if found and self._is_time(found[0]) and self._fits_time(found[0]):
                self._take_time(found[0])
                self._period = found[1]
                return [part]
        bounds = [(part, bound) for part in parts if (bound := _bound_of(part))]
        for part, (column, first, low) in bounds:
            for other, (same, last, high) in bounds:
                if low and not high and column == same and self._fits_time(column):
                    self._take_time(column)
                    end = last - timedelta(days=1) if isinstance(other, exp.LT) else last
                    self._period = f"{first.isoformat()}..{end.isoformat()}"
                    return [part, other]
        return []

    def _is_time(self, column: exp.Column) -> bool:
        table = self._table_of(column)
        wanted = column.name.casefold()
        return any(
            one.name.casefold() == wanted and one.data_type in _TIMES for one in table.columns
        )

    def _fits_time(self, column: exp.Column) -> bool:
        return self._is_time(column) and self._time in ("", self._named(column))

    def _take_time(self, column: exp.Column) -> None:
        if not self._is_time(column):
            raise UndeclaredError("is split by a part of a text")
        self._time = self._named(column)

    def _table_of(self, column: exp.Column) -> Table:
        if column.table:
            return self._tables[column.table.casefold()]
        wanted = column.name.casefold()
        having = [
            table
            for table in self._tables.values()
            if any(one.name.casefold() == wanted for one in table.columns)
        ]
        if len(having) != 1:
            raise UndeclaredError(f"{column.name} is in {len(having)} tables")
        return having[0]

    def _named(self, tree: exp.Expr) -> str:
        """An expression with the tables' own names."""

        def named(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
                return exp.column(node.name, table=self._table_of(node).name, quoted=True)
            return node

        return tree.copy().transform(named).sql("duckdb")


def _conjuncts(tree: exp.Expr | None) -> list[exp.Expr]:
    """The conditions that hold together."""
    if tree is None:
        return []
    return list(tree.flatten()) if isinstance(tree, exp.And) else [tree]


def _unit_of(tree: exp.Expr) -> str:
    """The unit of time that an expression cuts to: year(day), date_trunc('month', day)."""
    if len(list(tree.find_all(exp.Column))) != 1:
        return ""
    if isinstance(tree, exp.Year):
        return "year"
    if isinstance(tree, exp.Extract) and tree.name.casefold() == "year":
        return "year"
    if isinstance(tree, exp.DateTrunc | exp.TimestampTrunc):
        unit = tree.text("unit").casefold()
        return unit if unit in _GRAINS else ""
    if isinstance(tree, exp.TimeToStr):
        return {"%Y": "year", "%Y-%m": "month", "%Y-%m-%d": "day"}.get(tree.text("format"), "")
    return ""


def _period_of(part: exp.Expr) -> tuple[exp.Column, str] | None:
    """The column and days of a condition such as year(day) = 1997 or day between two days."""
    if isinstance(part, exp.EQ) and _unit_of(part.this) == "year":
        text = part.expression.name
        columns = list(part.this.find_all(exp.Column))
        return (columns[0], text) if text.isdigit() and len(text) == 4 else None
    if isinstance(part, exp.Between) and isinstance(part.this, exp.Column):
        low, high = _day_of(part.args["low"]), _day_of(part.args["high"])
        return (part.this, f"{low.isoformat()}..{high.isoformat()}") if low and high else None
    return None


def _bound_of(part: exp.Expr) -> tuple[exp.Column, date, bool] | None:
    """The column and day of an open condition, and whether it is the first day."""
    if not isinstance(part, exp.GTE | exp.LT | exp.LTE) or not isinstance(part.this, exp.Column):
        return None
    day = _day_of(part.expression)
    return (part.this, day, isinstance(part, exp.GTE)) if day else None


def _day_of(tree: exp.Expr) -> date | None:
    literal = tree if isinstance(tree, exp.Literal) else tree.find(exp.Literal)
    try:
        return date.fromisoformat(literal.name) if literal is not None else None
    except ValueError:
        return None
