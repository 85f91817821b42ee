"""Faults of order and of limits: ties cut, no order at all, numbers that sort as texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.catalogue import Column, DataType
from services.planner.domain.checks.asked import BY_VALUE, DOWN, UP, has
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    certain,
    counted,
    first,
    numbers,
)
from services.planner.domain.checks.statement import Block, Judged

_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)
_NUMBER = re.compile(r"\s*-?\d[\d,.]*\s*")


def _limit_of(select: exp.Expr) -> int | None:
    limit = select.args.get("limit")
    value = limit.expression if limit is not None else None
    return int(value.name) if isinstance(value, exp.Literal) and value.name.isdigit() else None


def _ties(judged: Judged) -> Iterator[Suspicion]:
    yield from _ties_by_number(judged)
    for block in judged.blocks:
        most, order = _limit_of(block.select), block.select.args.get("order")
        if not most or order is None or block.correlated or block.select.args.get("offset"):
            continue
        if _settled(block, order):
            continue
        inner = _with_keys(block, order, most + 1)
        names = ", ".join(f"assay_by_{i}" for i in range(len(order.expressions)))
        ask = f"SELECT {names} FROM ({inner}) AS longer OFFSET {most - 1}"
        yield _tied(judged.spelled(order), most, ask)


def _ties_by_number(judged: Judged) -> Iterator[Suspicion]:
    """As limits, numbers of rows in an order by which some are chosen: equals have different ones,
    and ranks would have the same."""
    for block in judged.blocks[:-1]:
        for item in block.select.expressions:
            window, name = item.unalias(), item.alias_or_name
            numbered = isinstance(window, exp.Window) and isinstance(window.this, exp.RowNumber)
            most = _chosen_by(judged, name) if numbered else None
            if most is None or window.args.get("order") is None or block.correlated:
                continue
            rank = window.copy()
            rank.set("this", exp.Rank())
            longer = block.select.copy()
            longer.set("expressions", [*longer.expressions, exp.alias_(rank, "assay_rank")])
            inner = judged.spelled(judged.with_queries(longer, block.select))
            ask = (
                f"SELECT count(*) FROM ({inner}) AS numbered WHERE {name} > {most} AND assay_rank "
                f"<= {most}"
            )
            yield _cut(judged.spelled(window), ask)


def _chosen_by(judged: Judged, name: str) -> int | None:
    """Up to which number rows are kept, where a condition says that of a column of this name."""
    for node in judged.tree.find_all(exp.EQ, exp.LTE):
        value = node.expression
        named = isinstance(node.this, exp.Column) and node.this.name == name
        if named and isinstance(value, exp.Literal) and value.name.isdigit():
            first = isinstance(node, exp.LTE) or value.name == "1"
            return int(value.name) if first else None
    return None


def _cut(at: str, ask: str) -> Suspicion:
    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None or not values[0]:
            return None
        return Weighed(
            f"{counted(values[0], 'row')} that equal the last one kept are left out, and which of "
            "them is kept is chance",
            "use rank() to keep all that are equal, or say by what else they are ordered",
            {"equal": values[0]},
        )

    return Suspicion(at, weigh, (ask,))


def _with_keys(block: Block, order: exp.Expr, most: int) -> str:
    """The SELECT with another limit, giving what it is ordered by as well."""
    longer = block.select.copy()
    longer.set("limit", exp.Limit(expression=exp.Literal.number(most)))
    keys = [
        exp.alias_(item.this.copy(), f"assay_by_{i}") for i, item in enumerate(order.expressions)
    ]
    longer.set("expressions", [*longer.expressions, *keys])
    return block.judged.spelled(block.judged.with_queries(longer, block.select))


def _settled(block: Block, order: exp.Expr) -> bool:
    """Whether rows are ordered by what tells them apart."""
    groups = {g.sql() for g in block.groups}
    names = {e.alias_or_name: e.unalias().sql() for e in block.select.expressions}
    ordered = {names.get(i.this.name, i.this.sql()) for i in order.expressions}
    return bool(groups) and groups <= ordered


def _tied(at: str, most: int, ask: str) -> Suspicion:
    def weigh(answers: Answers) -> Weighed | None:
        rows = answers[0] if answers else None
        if rows is None or len(rows) < 2 or rows[0] != rows[1]:
            return None
        return Weighed(
            f"the limit cuts through equals: row {most + 1} has the same value as row {most}, "
            f"{_shown(rows[0])}, and which of them is shown is chance",
            "show all that are equal (rank() <= …), or say by what else they are ordered",
        )

    return Suspicion(at, weigh, (ask,))


def _shown(values: tuple[object, ...]) -> str:
    return ", ".join(f"{v:g}" if isinstance(v, int | float) else str(v) for v in values)


def _empty_first(judged: Judged) -> Iterator[Suspicion]:
    """Orders that put what is empty first, above a limit: DuckDB does so only where it is said."""
    for block in judged.blocks:
        most, order = _limit_of(block.select), block.select.args.get("order")
        if not most or order is None or block.correlated or block.select.args.get("offset"):
            continue
        item = order.expressions[0]
        if not item.args.get("nulls_first"):
            continue
        asked = f"FROM ({_with_keys(block, order, most)}) AS shown WHERE assay_by_0 IS NULL"
        last = item.copy()
        last.set("nulls_first", False)
        fix = judged.changed(item, last)
        yield _empty_at_top(judged.spelled(item), most, f"SELECT count(*) {asked}", fix)


def _empty_at_top(at: str, most: int, ask: str, fix: str) -> Suspicion:
    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None or not values[0]:
            return None
        return Weighed(
            f"{values[0]:,.0f} of the first {counted(most, 'row')} have no value to be ordered by",
            "put them last, or leave them out",
            {"empty": values[0]},
            fix=fix,
        )

    return Suspicion(at, weigh, (ask,))


def _no_order(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        most = _limit_of(block.select)
        if most is None or block.select.args.get("order") is not None or block.correlated:
            continue
        if block.aggregates and not block.groups:
            continue
        longer = block.select.copy()
        longer.set("limit", exp.Limit(expression=exp.Literal.number(most + 1)))
        inner = judged.spelled(judged.with_queries(longer, block.select))
        yield _unordered(most, f"SELECT count(*) FROM ({inner}) AS longer")


def _unordered(most: int, ask: str) -> Suspicion:
    def weigh(answers: Answers) -> Weighed | None:
        row = first(answers)
        if row is None or not isinstance(row[0], int | float) or row[0] <= most:
            return None
        return Weighed(
            f"there are more rows than {most:,}, and nothing says which of them come first",
            "order them, or leave the limit out",
        )

    return Suspicion(f"LIMIT {most}", weigh, (ask,))


def _text_as_number(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for node in block.own(exp.Ordered, exp.Min, exp.Max, exp.GT, exp.GTE, exp.LT, exp.LTE):
            column = node.this
            if isinstance(node, exp.Ordered) and _as_text(column, block):
                yield certain(
                    judged.spelled(node),
                    f"{judged.spelled(column)} makes texts of numbers, which sort by letter: '10' "
                    "is before '9'",
                    "order by the number itself",
                )
                continue
            origin = block.origin(column)
            if origin is None and isinstance(column, exp.Column) and not column.table:
                origin = block.gives(column.name)
            if origin is None or origin.through or not _numbers_as_text(origin.column):
                continue
            yield certain(
                judged.spelled(node),
                f"{origin.column.name} holds numbers as texts, which sort by letter: '10' is "
                "before '9'",
                f"CAST({origin.column.name} AS DOUBLE)",
            )


def _as_text(node: exp.Expr, block: Block) -> bool:
    """Whether a number is cast to a text."""
    if not isinstance(node, exp.Cast) or not node.is_type(*exp.DataType.TEXT_TYPES):
        return False
    origin = block.origin(node.this)
    numeric = origin is not None and origin.column.data_type in (DataType.INTEGER, DataType.FLOAT)
    return numeric or node.this.find(exp.AggFunc) is not None


def _numbers_as_text(column: Column) -> bool:
    """Whether texts are numbers of different lengths; codes of one length sort as numbers do."""
    if column.data_type is not DataType.STRING or not column.samples:
        return False
    lengths = {len(sample.strip()) for sample in column.samples}
    return all(_NUMBER.fullmatch(sample) for sample in column.samples) and len(lengths) > 1


def _ranks_chosen_by_none(judged: Judged) -> Iterator[Suspicion]:
    """Ranks that a query inside gives, and that nothing is chosen by, where a question asks for
    the first of each."""
    if not judged.question or not has(judged.question, UP | DOWN | frozenset(BY_VALUE)):
        return
    for block in judged.blocks[:-1]:
        for item in block.select.expressions:
            over = item.unalias()
            if not isinstance(over, exp.Window) or not isinstance(over.this, _RANKS):
                continue
            name = item.alias_or_name
            used = [c for c in judged.tree.find_all(exp.Column) if c.name == name]
            if not any(
                c.find_ancestor(exp.Where, exp.Qualify, exp.Filter, exp.Case, exp.Join)
                for c in used
            ):
                yield certain(
                    judged.spelled(over),
                    f"{name} ranks rows, and no row is chosen by it",
                    f"add WHERE {name} <= …",
                )


TIES = Rule(
    "O01",
    "ties",
    Severity.DOUBT,
    "A limit that cuts through equal values shows some of them and hides others, by chance.",
    _ties,
    (
        Example(
            SHOP,
            (
                "SELECT product, quantity FROM lines ORDER BY quantity DESC LIMIT 4",
                "SELECT order_id, count(*) FROM lines GROUP BY order_id ORDER BY 2 DESC LIMIT 2",
                "SELECT product FROM (SELECT product, row_number() OVER (ORDER BY quantity DESC) "
                "AS place FROM lines) t WHERE place <= 4",
            ),
            (
                "SELECT product, quantity FROM lines ORDER BY quantity DESC LIMIT 1",
                "SELECT product, sum(quantity) q FROM lines GROUP BY product ORDER BY q DESC, "
                "product LIMIT 2",
                "SELECT product FROM (SELECT product, row_number() OVER (ORDER BY quantity DESC) "
                "AS place FROM lines) t WHERE place = 1",
            ),
        ),
    ),
)
EMPTY_FIRST = Rule(
    "O02",
    "empty first",
    Severity.DOUBT,
    "What has no value is at the top of a ranking only where the order says NULLS FIRST; in "
    "DuckDB it is last in either direction, in other engines by direction.",
    _empty_first,
    (
        Example(
            SHOP,
            (
                "SELECT order_id FROM orders ORDER BY sent NULLS FIRST LIMIT 1",
                "SELECT order_id, region FROM orders ORDER BY region DESC NULLS FIRST LIMIT 2",
            ),
            (
                "SELECT order_id FROM orders ORDER BY sent LIMIT 1",
                "SELECT order_id FROM orders ORDER BY sent DESC LIMIT 1",
                "SELECT order_id FROM orders ORDER BY freight NULLS FIRST LIMIT 1",
                "SELECT order_id FROM orders WHERE sent IS NOT NULL ORDER BY sent NULLS FIRST "
                "LIMIT 1",
            ),
        ),
    ),
)
NO_ORDER = Rule(
    "O03",
    "no order",
    Severity.DOUBT,
    "A limit without an order gives any rows at all.",
    _no_order,
    (
        Example(
            SHOP,
            ("SELECT product FROM lines LIMIT 3",),
            (
                "SELECT product FROM lines ORDER BY line_id LIMIT 3",
                "SELECT product FROM lines LIMIT 100",
            ),
        ),
    ),
)
TEXT_AS_NUMBER = Rule(
    "O04",
    "text as number",
    Severity.ERROR,
    "Numbers that are texts sort by letter, and the largest of '9' and '10' is '9'.",
    _text_as_number,
    (
        Example(
            {"sizes": "name,size:text\na,9\nb,10\nc,100\n"},
            (
                "SELECT name FROM sizes ORDER BY size DESC LIMIT 1",
                "SELECT max(size) FROM sizes",
                "SELECT name FROM sizes GROUP BY name ORDER BY CAST(count(*) AS VARCHAR) DESC",
            ),
            ("SELECT name FROM sizes ORDER BY CAST(size AS DOUBLE) DESC LIMIT 1",),
        ),
    ),
)
NOT_CHOSEN = Rule(
    "O06",
    "ranked, not chosen",
    Severity.DOUBT,
    "The first of each is asked for, and rows are ranked, but none is left out by the rank.",
    _ranks_chosen_by_none,
    (
        Example(
            SHOP,
            (
                "SELECT region, order_id FROM (SELECT *, row_number() OVER (PARTITION BY region "
                "ORDER BY freight DESC) AS place FROM orders) AS ranked",
            ),
            (
                "SELECT region, order_id FROM (SELECT *, row_number() OVER (PARTITION BY region "
                "ORDER BY freight DESC) AS place FROM orders) AS ranked WHERE place = 1",
            ),
            question="Which order has the highest freight of each region?",
        ),
    ),
)
RULES = (TIES, EMPTY_FIRST, NO_ORDER, TEXT_AS_NUMBER, NOT_CHOSEN)
