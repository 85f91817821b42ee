"""Faults of parts and wholes: shares of another whole, groups that overlap or leave rows out."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.catalogue import Table
from services.planner.domain.checks.asked import has
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.relations import conditions, edges
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    amount,
    certain,
    numbers,
)
from services.planner.domain.checks.statement import Block, Judged

_ASKED = frozenset("share shares percent percentage percentages proportion fraction %".split())
_WRAPPED = (exp.Cast, exp.TryCast, exp.Nullif, exp.Round, exp.Coalesce, exp.Paren)
_VISIBLE = 1e-9


def _share_of_what(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for node in block.own(exp.Div):
            over, under = _bare(node.this), _bare(node.expression)
            if not over.find(exp.AggFunc) or not under.find(exp.AggFunc, exp.Subquery):
                continue
            hundred = _hundred(node)
            yield from _own_whole(judged, block, node, under)
            if over == under:
                yield certain(
                    judged.spelled(node), "a number is divided by itself", "divide by the whole"
                )
            elif _rows(under) and (value := _summed(over)) is not None:
                if hundred or has(judged.question, _ASKED):
                    yield _mean(judged, node, value)
            else:
                yield from _find_mixed_rows(judged, block, node, over, under)


def _bare(node: exp.Expr) -> exp.Expr:
    """A side of a division without casts, rounding and factors that are numbers."""
    inner = node.unnest()
    while isinstance(inner, (*_WRAPPED, exp.Mul)):
        if isinstance(inner, exp.Mul):
            factor = next((s for s in (inner.left, inner.right) if _is_number(s)), None)
            if factor is None:
                break
            inner = (inner.right if factor is inner.left else inner.left).unnest()
        else:
            inner = inner.this.unnest()
    return inner


def _is_number(node: exp.Expr) -> bool:
    bare = node.unnest()
    bare = bare.this.unnest() if isinstance(bare, exp.Cast) else bare
    return isinstance(bare, exp.Literal) and not bare.is_string


def _hundred(node: exp.Div) -> bool:
    """Whether a ratio is given in hundredths."""
    factors = list(node.this.find_all(exp.Literal))
    above = node.parent
    while isinstance(above, _WRAPPED):
        above = above.parent
    if isinstance(above, exp.Mul):
        factors += [above.left, above.right]
    return any(isinstance(f, exp.Literal) and f.name in ("100", "100.0", "100.00") for f in factors)


def _rows(node: exp.Expr) -> bool:
    """Whether a whole is the number of rows."""
    return isinstance(node, exp.Count) and isinstance(node.this, exp.Star | exp.Literal)


def _summed(node: exp.Expr) -> exp.Expr | None:
    """The amount that is added up, in all rows or in those that fulfil a condition; None where rows
    are counted."""
    inner = node.this if isinstance(node, exp.Filter) else node
    if not isinstance(inner, exp.Sum):
        return None
    value = inner.this.unnest()
    if isinstance(value, exp.Case | exp.If):
        given = value.args["ifs"][0] if isinstance(value, exp.Case) else value
        value = given.args["true"].unnest()
    return value if isinstance(value, exp.Column | exp.Mul) else None


def _mean(judged: Judged, node: exp.Div, value: exp.Expr) -> Suspicion:
    at, amount = judged.spelled(node), judged.spelled(value)
    return certain(
        at,
        f"{at} divides {amount} by a number of rows: that is a mean, and no share",
        f"divide by sum({amount}) over all rows that are meant",
    )


def _own_whole(judged: Judged, block: Block, node: exp.Div, under: exp.Expr) -> Iterator[Suspicion]:
    """A whole within each of the groups that are compared: every share is all of it."""
    if not isinstance(under, exp.Window) or under.args.get("order") is not None:
        return
    within = {part.sql() for part in under.args.get("partition_by") or ()}
    if block.groups and {group.sql() for group in block.groups} <= within:
        yield certain(
            judged.spelled(node),
            "each group is its own whole, so that every share is all of it",
            "leave out of PARTITION BY what the shares are of",
        )


def _find_mixed_rows(
    judged: Judged, block: Block, node: exp.Div, over: exp.Expr, under: exp.Expr
) -> Iterator[Suspicion]:
    """Rows that fulfil a condition over different things, or the other way."""
    part, whole = _counts(over), _counts(under)
    if part is None or whole is None or not _conditional(over) or _conditional(under):
        return
    if (part == "") is (whole == ""):
        return
    name: exp.Expr = exp.maybe_parse(part or whole, dialect="duckdb")
    different = exp.Count(this=exp.Distinct(expressions=[name]))
    probe = block.asking(exp.Count(this=exp.Star()), different)
    at, entities = judged.spelled(node), judged.spelled(name)

    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None or values[0] == values[1]:
            return None
        one, other = (
            ("different " + entities, "rows") if part else ("rows", "different " + entities)
        )
        return Weighed(
            f"{at} divides {one} by {other}: there are {values[0]:,.0f} rows of {values[1]:,.0f} "
            f"different {entities}",
            "count the same on both sides",
            {"rows": values[0], "distinct": values[1]},
        )

    yield Suspicion(at, weigh, (probe,) if probe else ())


def _counts(node: exp.Expr) -> str | None:
    """What is counted: the column whose different values are, empty for rows, None for others."""
    inner = node.this if isinstance(node, exp.Filter) else node
    if isinstance(inner, exp.CountIf) or _rows(inner):
        return ""
    if isinstance(inner, exp.Count) and isinstance(inner.this, exp.Distinct):
        values = inner.this.expressions
        column = values[0].unnest() if len(values) == 1 else None
        if isinstance(column, exp.Case) and column.args["ifs"]:
            column = column.args["ifs"][0].args["true"].unnest()
        return column.sql("duckdb") if isinstance(column, exp.Column) else None
    counted = inner.this if isinstance(inner, exp.Sum | exp.Count) else None
    case = counted.unnest() if isinstance(counted, exp.Expr) else None
    if isinstance(case, exp.Case | exp.If):
        given = case.args["ifs"][0] if isinstance(case, exp.Case) else case
        return "" if _is_number(given.args["true"]) else None
    return None


def _conditional(node: exp.Expr) -> bool:
    return isinstance(node, exp.Filter | exp.CountIf) or bool(node.find(exp.Case, exp.If))


def _parts_and_whole(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        if not block.groups or block.correlated:
            continue
        for alias in _spreading(block):
            for node in _added(block, alias):
                with_, alone = (
                    block.asking(node.copy()),
                    block.asking(node.copy(), leaving_out=alias),
                )
                yield _overlap(judged, node, with_, alone, listed=block.sources[alias] is None)
        yield from _unnested_inside(judged, block)


def _spreading(block: Block) -> Iterator[str]:
    """Sources that are joined by no equality: lists taken apart, and bands that values lie in."""
    by_value = {alias for edge in edges(block) for alias in (edge.one, edge.other)}
    for join in block.joins:
        alias = join.this.alias_or_name
        source = block.sources.get(alias)
        listed = isinstance(join.this, exp.Unnest)
        banded = isinstance(source, Table) and alias not in by_value
        used = [
            part
            for part in block.conditions
            if part.find_ancestor(exp.Join) is not join
            and any(c.table == alias for c in part.find_all(exp.Column))
        ]
        tied = [
            part
            for part in conditions(block)
            if any(c.table == alias for c in part.find_all(exp.Column))
        ]
        if not used and (listed or (banded and tied)):
            yield alias


def _added(block: Block, alias: str) -> Iterator[exp.AggFunc]:
    """Sums and counts of what is in none of a source."""
    for node in block.aggregates:
        plain = isinstance(node, exp.Sum | exp.Count) and not isinstance(node.this, exp.Distinct)
        if plain and all(column.table != alias for column in node.find_all(exp.Column)):
            yield node


def _unnested_inside(judged: Judged, block: Block) -> Iterator[Suspicion]:
    """As for lists that are taken apart in a query inside."""
    if len(block.sources) != 1 or block.select.args.get("where") is not None:
        return
    ((alias, inner),) = block.sources.items()
    if not isinstance(inner, Block) or inner.select.args.get("distinct") is not None:
        return
    taken = [e for e in inner.select.expressions if e.find(exp.Explode, exp.Unnest)]
    if not taken:
        return
    kept = [e.copy() for e in inner.select.expressions if e not in taken]
    without = inner.select.copy()
    without.set("expressions", kept or [exp.alias_(exp.Literal.number(1), "one")])
    names = {e.alias_or_name for e in taken}
    for node in block.aggregates:
        plain = isinstance(node, exp.Sum | exp.Count) and not isinstance(node.this, exp.Distinct)
        if plain and not any(c.name in names for c in node.find_all(exp.Column)):
            asked = exp.select(node.copy()).from_(exp.Subquery(this=without.copy(), alias=alias))
            alone = judged.spelled(judged.with_queries(asked, inner.select))
            yield _overlap(judged, node, block.asking(node.copy()), alone, listed=True)


def _overlap(
    judged: Judged, node: exp.AggFunc, with_: str, alone: str, *, listed: bool
) -> Suspicion:
    """The suspicion that groups overlap; a note where lists were taken apart on purpose."""
    at = judged.spelled(node)

    def weigh(answers: Answers) -> Weighed | None:
        groups, once = numbers(answers, 0), numbers(answers, 1)
        if not groups or not once or abs(groups[0] - once[0]) <= _VISIBLE * abs(once[0]):
            return None
        more = groups[0] > once[0]
        how = "rows count in several groups" if more else "rows are in no group"
        return Weighed(
            f"the groups' {at} come to {amount(groups[0])} where all rows once give "
            f"{amount(once[0])}: {how}",
            "say that groups overlap" if more else "say what is in none of them",
            {"as_is": groups[0], "once": once[0]},
            severity=Severity.NOTE if listed else None,
        )

    return Suspicion(at, weigh, (with_, alone))


_BANDS = {
    "visits": "visit_id,age,spent,tags\n1,5,2.0,a|b\n2,18,9.0,a\n3,30,4.0,b\n4,64,1.0,a|b\n",
    "bands": "band,low,high\nchild,0,18\nadult,18,65\n",
    "apart": "band,low,high\nchild,0,17\nadult,18,65\n",
}
SHARE_OF_WHAT = Rule(
    "A08",
    "share of what",
    Severity.DOUBT,
    "A share is a part of a whole of the same kind: rows of rows, things of things, an amount of "
    "the amount of all. An amount over a number of rows is a mean, and a whole within each group "
    "makes every share 100 %.",
    _share_of_what,
    (
        Example(
            SHOP,
            (
                "SELECT 100.0 * sum(freight) FILTER (WHERE region = 'North') / count(*) FROM "
                "orders",
                "SELECT product, sum(quantity) / sum(sum(quantity)) OVER (PARTITION BY product) "
                "FROM lines GROUP BY product",
                "SELECT 100.0 * count(*) FILTER (WHERE quantity > 2) / count(DISTINCT order_id) "
                "FROM lines",
                "SELECT product, count(*) / count(*) FROM lines GROUP BY product",
            ),
            (
                "SELECT 100.0 * sum(freight) FILTER (WHERE region = 'North') / sum(freight) FROM "
                "orders",
                "SELECT product, sum(quantity) / sum(sum(quantity)) OVER () FROM lines GROUP BY "
                "product",
                "SELECT 100.0 * count(*) FILTER (WHERE quantity > 2) / count(*) FROM lines",
                "SELECT sum(quantity) / count(*) FROM lines",
                "SELECT 1.0 * count(*) / count(DISTINCT order_id) FROM lines",
                "SELECT 100.0 * count(*) FILTER (WHERE freight > 8) / count(DISTINCT order_id) "
                "FROM orders",
            ),
        ),
        Example(
            SHOP,
            ("SELECT sum(CASE WHEN currency = 'EUR' THEN amount END) / count(*) FROM payments",),
            (
                "SELECT sum(CASE WHEN currency = 'EUR' THEN amount END) / sum(amount) FROM "
                "payments",
                "SELECT sum(CASE WHEN currency = 'EUR' THEN 1 END) / count(*) FROM payments",
            ),
            question="What share of the amount was paid in EUR?",
        ),
    ),
)
PARTS_AND_WHOLE = Rule(
    "S02",
    "parts and whole",
    Severity.DOUBT,
    "Groups of an additive number that do not come to it: a value on the border of two bands is in "
    "both, and what is in no band is in none. A note where lists are taken apart: a row with two "
    "tags counts twice.",
    _parts_and_whole,
    (
        Example(
            _BANDS,
            (
                "SELECT b.band, sum(v.spent) FROM visits v JOIN bands b ON v.age BETWEEN b.low AND "
                "b.high GROUP BY b.band",
                "SELECT t.tag, count(*) FROM visits v, unnest(string_split(v.tags, '|')) AS t(tag) "
                "GROUP BY t.tag",
                "SELECT tag, sum(spent) FROM (SELECT spent, unnest(string_split(tags, '|')) AS tag "
                "FROM visits) t GROUP BY tag",
            ),
            (
                "SELECT b.band, sum(v.spent) FROM visits v JOIN apart b ON v.age BETWEEN b.low AND "
                "b.high GROUP BY b.band",
                "SELECT t.tag, count(DISTINCT v.visit_id) FROM visits v, "
                "unnest(string_split(v.tags, '|')) AS t(tag) GROUP BY t.tag",
                "SELECT age, sum(spent) FROM visits GROUP BY age",
            ),
        ),
    ),
)
RULES = (SHARE_OF_WHAT, PARTS_AND_WHOLE)
