"""Faults of joins: rows repeated, lost, or put beside rows that they have nothing to do with."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.catalogue import Table
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.once import repeated_once
from services.planner.domain.checks.relations import (
    Edge,
    apart,
    edges,
    keys_of_source,
    repeating,
)
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    numbers,
    settled,
)
from services.planner.domain.checks.statement import Block, Judged, column_of, parts

_ADDED = (exp.Sum, exp.Avg, exp.Count, exp.CountIf, exp.Median, exp.StddevSamp, exp.Stddev)
_SURE_WRONG = (exp.Sum,)


def _repeated(judged: Judged, *, both: bool) -> Iterator[Suspicion]:
    """Aggregates over rows that a join repeats; with `both` those whose own rows repeat, too."""
    for block in judged.blocks:
        if len(block.sources) < 2:
            continue
        tied = edges(block)
        for node in block.aggregates:
            if not isinstance(node, _ADDED) or isinstance(node.this, exp.Distinct | exp.Star):
                continue
            if block.counts_rows(node):
                continue
            aliases = sorted({c.table for c in _values(node)} & set(block.sources))
            found = [repeating(alias, tied, block) for alias in aliases]
            again = [edge for edge in found if edge is not None]
            if not again or len(again) < len(found):
                continue  # one of its sources has each row once
            if _is_many(again[0], aliases[0], block) is both:
                yield repeated_once(block, node, aliases, again[0], _severity(node))


def _severity(node: exp.Expr) -> Severity:
    return Severity.ERROR if isinstance(node, _SURE_WRONG) else Severity.DOUBT


def _is_many(edge: Edge, alias: str, block: Block) -> bool:
    """Whether rows on both sides repeat: what is added is no plain "one" of one and many."""
    catalogue = block.judged.catalogue
    if alias not in (edge.one, edge.other):
        return True
    keys = keys_of_source(block.sources[alias], catalogue)
    return not any(key <= edge.equal[alias] for key in keys)


def _values(node: exp.Expr) -> list[exp.Column]:
    """The columns whose values are added up; not those of the conditions of a CASE."""
    conditions = {id(c) for one in node.find_all(exp.If) for c in one.this.find_all(exp.Column)}
    every = list(node.find_all(exp.Column))
    return [c for c in every if id(c) not in conditions] or every


def _fan_out(judged: Judged) -> Iterator[Suspicion]:
    return _repeated(judged, both=False)


def _many_to_many(judged: Judged) -> Iterator[Suspicion]:
    return _repeated(judged, both=True)


def _lost(judged: Judged) -> Iterator[Suspicion]:
    """Rows that refer to none of the table they are joined with."""
    for block in judged.blocks:
        for join in block.joins:
            on = join.args.get("on")
            if on is None or join.side or join.kind in ("CROSS", "SEMI", "ANTI"):
                continue
            tied = {column.table for column in on.find_all(exp.Column)}
            for edge in edges(block):
                if {edge.one, edge.other} <= tied:
                    yield from _of_edge(block, join, edge)


def _of_edge(block: Block, join: exp.Join, edge: Edge) -> Iterator[Suspicion]:
    """Of the side that refers: how many of its rows meet none on the other."""
    joined = join.this.alias_or_name
    if joined not in (edge.one, edge.other):
        return
    catalogue = block.judged.catalogue
    for many in (edge.one, edge.other):
        one = edge.across(many)
        here, there = block.sources[many], block.sources[one]
        if not isinstance(here, Table) or not isinstance(there, Table):
            continue
        refers = any(key <= edge.equal[one] for key in keys_of_source(there, catalogue))
        if not refers or any(key <= edge.equal[many] for key in keys_of_source(here, catalogue)):
            continue
        if any({c.table for c in part.find_all(exp.Column)} == {one} for part in block.conditions):
            continue  # a condition on the other side asks for rows that meet one
        yield _lost_rows(block, join, many, one, here, there)
        return


def _lost_rows(
    block: Block, join: exp.Join, many: str, one: str, here: Table, there: Table
) -> Suspicion:
    ties = [
        part.copy()
        for part in parts(join.args["on"])
        if {column.table for column in part.find_all(exp.Column)} <= {many, one}
    ]
    own = [
        part for part in block.conditions if {c.table for c in part.find_all(exp.Column)} == {many}
    ]
    source, target = _table_node(block, many), _table_node(block, one)
    rows = exp.select(exp.Count(this=exp.Star())).from_(source.copy())
    for part in own:
        rows = rows.where(part.copy())
    named = [*block.groups, *(block.select.expressions if not block.groups else ())]
    of_the_other = any(
        c.table == one and c.find_ancestor(exp.AggFunc) is None
        for item in named
        for c in item.find_all(exp.Column)
    )
    met = exp.Exists(this=exp.select("1").from_(target.copy()).where(*ties))
    spelled = block.judged.spelled
    probes = (spelled(rows), spelled(rows.copy().where(exp.Not(this=met))))

    def weigh(answers: Answers) -> Weighed | None:
        every, lost = numbers(answers, 0), numbers(answers, 1)
        if every is None or lost is None or not lost[0]:
            return None
        return Weighed(
            text=f"{lost[0]:,.0f} of {every[0]:,.0f} rows of {here.name} go with no row of "
            f"{there.name}, and the join leaves them out",
            mend=f"LEFT JOIN keeps them; or say that only those with a row of {there.name} count",
            sizes={"rows": every[0], "lost": lost[0]},
            severity=Severity.NOTE if of_the_other else Severity.DOUBT,
        )

    if _refer_all(block, ties, many, one):
        return settled(spelled(join), weigh, ((here.rows,),), ((0,),))
    return Suspicion(spelled(join), weigh, probes)


def _refer_all(block: Block, ties: list[exp.Expr], many: str, one: str) -> bool:
    """Whether it was measured that every row of one source meets one of the other by a condition
    that is nothing but that."""
    only = ties[0] if len(ties) == 1 else None
    here, there = block.sources[many], block.sources[one]
    if not isinstance(only, exp.EQ) or not isinstance(here, Table) or not isinstance(there, Table):
        return False
    sides = {
        side.table: side.name for side in (only.left, only.right) if isinstance(side, exp.Column)
    }
    if set(sides) != {many, one}:
        return False
    column, key = column_of(here, sides[many]), column_of(there, sides[one])
    if column is None or key is None:
        return False
    ends = (here.name, column.name, there.name, key.name)
    known = block.judged.catalogue.facts.reference(*ends)
    return known is not None and known.exact and not known.orphans and known.filled == here.rows


def _table_node(block: Block, alias: str) -> exp.Expr:
    """The source of that alias as FROM has it."""
    nodes = [block.select.args["from_"].this, *(join.this for join in block.joins)]
    found: exp.Expr = next(node for node in nodes if node.alias_or_name == alias)
    return found


def _no_condition(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for group in apart(block)[1:]:
            many = [alias for alias in group if not _is_one_row(block, alias)]
            if many:
                yield _product(block, many[0])


def _is_one_row(block: Block, alias: str) -> bool:
    """Whether a source is known to have one row, or lists of each row that are taken apart."""
    source = block.sources[alias]
    single = any(not key for key in keys_of_source(source, block.judged.catalogue))
    return single or source is None or (isinstance(source, Table) and source.rows <= 1)


def _product(block: Block, alias: str) -> Suspicion:
    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is not None and values[0] <= 1:
            return None
        size = f", {values[0]:,.0f} in all" if values is not None else ""
        return Weighed(
            text=f"nothing ties {_named(block, alias)} to the rest: each of its rows{size} is put "
            "beside every other row",
            mend="join it by the columns that refer to each other",
            sizes={"rows": values[0]} if values is not None else {},
        )

    node = _table_node(block, alias)
    counted = exp.select(exp.Count(this=exp.Star())).from_(node.copy())
    asked = block.judged.spelled(block.judged.with_queries(counted, block.select))
    return Suspicion(block.judged.spelled(node), weigh, () if block.correlated else (asked,))


def _named(block: Block, alias: str) -> str:
    source = block.sources[alias]
    return source.name if isinstance(source, Table) else alias


_JOINED = "FROM orders o JOIN lines l ON l.order_id = o.order_id"

FAN_OUT = Rule(
    "J01",
    "fan-out",
    Severity.ERROR,
    "An order joined with its lines comes once for each line, so its freight is added once for "
    "each line. The data are asked how often rows really repeat: where none does, nothing is said "
    "(fan trap: Adamson, Star Schema, 2010, ch. 4).",
    _fan_out,
    (
        Example(
            SHOP,
            (
                f"SELECT sum(o.freight) {_JOINED}",
                f"SELECT o.region, sum(freight) / sum(quantity) {_JOINED} GROUP BY o.region",
                f"SELECT avg(o.freight) {_JOINED}",
                f"SELECT count(o.order_id) {_JOINED}",
                f"SELECT o.region, count(o.order_id) {_JOINED} GROUP BY o.region",
                f"WITH a AS (SELECT region, sum(freight) f {_JOINED} GROUP BY 1) "
                "SELECT max(f) FROM a",
            ),
            (
                f"SELECT sum(l.quantity) {_JOINED}",
                f"SELECT count(DISTINCT o.order_id) {_JOINED}",
                f"SELECT sum(o.freight) {_JOINED} WHERE l.product = 'ink'",
                "SELECT sum(freight) FROM orders",
                f"SELECT o.region, count(o.region) {_JOINED} GROUP BY o.region",
                "SELECT sum(o.freight) FROM orders o JOIN (SELECT order_id, sum(quantity) q FROM "
                "lines GROUP BY order_id) s ON s.order_id = o.order_id",
            ),
        ),
    ),
)
MANY_TO_MANY = Rule(
    "J03",
    "many to many",
    Severity.ERROR,
    "Two sets of rows that belong to the same thing, joined with each other, multiply both "
    "(chasm trap: Adamson, Star Schema, 2010, ch. 4).",
    _many_to_many,
    (
        Example(
            SHOP,
            (
                "SELECT sum(l.quantity) FROM lines l JOIN payments p ON p.order_id = l.order_id",
                f"SELECT sum(p.amount) {_JOINED} JOIN payments p ON p.order_id = o.order_id",
            ),
            ("SELECT sum(p.amount) FROM payments p JOIN orders o ON o.order_id = p.order_id",),
        ),
    ),
)
LOST = Rule(
    "J02",
    "rows lost",
    Severity.DOUBT,
    "An inner join leaves out rows that refer to nothing on the other side; totals are smaller "
    "than the table's own. A note where rows are told by what the other side calls them: those "
    "that are left out have no name there.",
    _lost,
    (
        Example(
            SHOP,
            (
                "SELECT sum(o.freight) FROM orders o JOIN customers c ON c.customer_id = "
                "o.customer_id",
                "SELECT sum(l.quantity) FROM orders o JOIN lines l ON l.order_id = o.order_id JOIN "
                "customers c ON c.customer_id = o.customer_id AND l.quantity > 0",
            ),
            (
                "SELECT sum(o.freight) FROM orders o LEFT JOIN customers c ON c.customer_id = "
                "o.customer_id",
                f"SELECT sum(l.quantity) {_JOINED}",
                "SELECT sum(o.freight) FROM orders o JOIN customers c ON c.customer_id = "
                "o.customer_id WHERE c.city = 'Oslo'",
            ),
        ),
    ),
)
NO_CONDITION = Rule(
    "J05",
    "no condition",
    Severity.ERROR,
    "Tables listed without a condition that ties them give every pair of their rows.",
    _no_condition,
    (
        Example(
            SHOP,
            (
                "SELECT count(*) FROM orders o, customers c",
                "SELECT count(*) FROM lines l, customers c, orders o WHERE o.customer_id = "
                "c.customer_id",
            ),
            (
                "SELECT count(*) FROM orders o, customers c WHERE c.customer_id = o.customer_id",
                "SELECT o.order_id, o.freight / t.whole FROM orders o CROSS JOIN (SELECT "
                "sum(freight) AS whole FROM orders) t",
            ),
        ),
    ),
)
RULES = (FAN_OUT, LOST, MANY_TO_MANY, NO_CONDITION)
