"""Faults of counting: rows where things are meant, empty cells, and too few of either."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.relations import keys_of
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    counted,
    numbers,
)
from services.planner.domain.checks.statement import Judged
from services.planner.domain.semantics.kinds import Kind, kind_of

_MANY_EMPTY = 0.2
_FEW = 10
_NEEDS_MANY = (
    exp.Quantile,
    exp.PercentileCont,
    exp.StddevSamp,
    exp.Stddev,
    exp.Corr,
    exp.Median,
    exp.Variance,
    exp.ApproxQuantile,
)


def _find_rows_for_entities(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for node in block.aggregates:
            if not isinstance(node, exp.Count) or not isinstance(node.this, exp.Column):
                continue
            origin = block.origin(node.this)
            if origin is None or origin.through or block.counts_rows(node):
                continue
            named = frozenset((origin.column.name.casefold(),))
            is_name = kind_of(origin.column, origin.table) in (Kind.ID, Kind.NAME)
            if is_name and named not in keys_of(origin.table, judged.catalogue):
                distinct = exp.Count(this=exp.Distinct(expressions=[node.this.copy()]))
                ask = block.asking(node.copy(), distinct, of=node)
                fix = judged.changed(node, distinct)
                yield _suspect_entities(judged.spelled(node), origin.column.name, ask, fix)


def _suspect_entities(at: str, name: str, ask: str, fix: str) -> Suspicion:
    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None or values[0] <= values[1]:
            return None
        return Weighed(
            f"{at} counts rows: {values[0]:,.0f}; there are {values[1]:,.0f} different {name}",
            f"count(DISTINCT {name}) where things are meant, count(*) where rows are",
            {"rows": values[0], "distinct": values[1]},
            fix=fix,
        )

    return Suspicion(at, weigh, (ask,) if ask else ())


def _empty_ones(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for node in block.aggregates:
            if not isinstance(node, exp.Avg | exp.Count) or not isinstance(node.this, exp.Column):
                continue
            origin = block.origin(node.this)
            if origin is None or origin.through or not origin.column.nulls:
                continue
            ask = block.asking(
                exp.Count(this=exp.Star()), exp.Count(this=node.this.copy()), of=node
            )
            counts = isinstance(node, exp.Count)
            yield _empty(judged.spelled(node), origin.column.name, ask, counts=counts)


def _empty(at: str, name: str, ask: str, *, counts: bool) -> Suspicion:
    """A mean is nearly always meant of those that have a value; a count may be of all."""

    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None or values[0] <= 0 or values[0] == values[1]:
            return None
        missing = values[0] - values[1]
        many = counts and missing / values[0] > _MANY_EMPTY
        verbs = ("has", "is") if missing == 1 else ("have", "are")
        return Weighed(
            f"{missing:,.0f} of {values[0]:,.0f} rows {verbs[0]} no {name} and {verbs[1]} not in "
            f"{at}",
            "say whether they count as nought, or are left out",
            {"rows": values[0], "empty": missing},
            severity=Severity.DOUBT if many else Severity.NOTE,
        )

    return Suspicion(at, weigh, (ask,) if ask else ())


def _few_rows(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for node in block.own(*_NEEDS_MANY):
            values = node.find(exp.Column)
            if values is None:
                continue
            groups = [exp.alias_(g.copy(), f"assay_group_{i}") for i, g in enumerate(block.groups)]
            rows = block.asking(*groups, exp.alias_(values.copy(), "assay_value"))
            listed = ", ".join(g.alias for g in groups)
            by = f" GROUP BY {listed}" if listed else ""
            ask = (
                "SELECT min(n), count(*) FROM (SELECT count(assay_value) AS n FROM "
                f"({rows}) AS each_row{by}) AS groups_of_rows WHERE n < {_FEW}"
            )
            alone = Severity.NOTE if isinstance(node, exp.Median) else Severity.DOUBT
            yield _few(judged.spelled(node), bool(groups), ask if rows else "", alone)


def _few(at: str, grouped: bool, ask: str, severity: Severity) -> Suspicion:
    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None or not values[1]:
            return None
        where = f" in {values[1]:,.0f} of the groups" if grouped else ""
        return Weighed(
            f"{at} rests on as few as {counted(values[0], 'value')}{where}",
            f"say it of {_FEW} values or more",
            {"fewest": values[0], "groups": values[1]},
            severity=severity,
        )

    return Suspicion(at, weigh, (ask,) if ask else ())


ROWS_FOR_ENTITIES = Rule(
    "A06",
    "what is counted",
    Severity.DOUBT,
    "count(customer_id) over orders counts orders, whatever its name says.",
    _find_rows_for_entities,
    (
        Example(
            SHOP,
            ("SELECT count(order_id) FROM lines",),
            (
                "SELECT count(DISTINCT order_id) FROM lines",
                "SELECT count(order_id) FROM orders",
                "SELECT count(*) FROM lines",
                "SELECT order_id, count(order_id) FROM lines GROUP BY order_id",
            ),
        ),
    ),
)
EMPTY_ONES = Rule(
    "A07",
    "empty ones",
    Severity.NOTE,
    "A mean is over the rows that have a value, and a count of a column counts these alone.",
    _empty_ones,
    (
        Example(
            SHOP,
            ("SELECT count(region) FROM orders", "SELECT avg(customer_id) FROM orders"),
            ("SELECT count(*) FROM orders", "SELECT avg(freight) FROM orders"),
        ),
    ),
)
FEW_ROWS = Rule(
    "A09",
    "few rows",
    Severity.DOUBT,
    "A percentile, a deviation or a correlation of a handful of values tells of these values and "
    "of nothing else; a note of a median, which is theirs whatever their number.",
    _few_rows,
    (
        Example(
            SHOP,
            (
                "SELECT stddev(freight) FROM orders",
                "SELECT region, quantile_cont(freight, 0.9) FROM orders GROUP BY region",
            ),
            ("SELECT avg(freight) FROM orders",),
        ),
        Example(
            {"many": "n\n" + "".join(f"{i}\n" for i in range(30))},
            (),
            ("SELECT stddev(n) FROM many", "SELECT quantile_cont(n, 0.9) FROM many"),
        ),
    ),
)
RULES = (ROWS_FOR_ENTITIES, EMPTY_ONES, FEW_ROWS)
