"""Faults of sums and means: what may not be added, at one time or over many."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.checks.examples import ACCOUNTS, CATALOGUE_OF_FILMS, SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    certain,
    first,
    numbers,
)
from services.planner.domain.checks.statement import Block, Judged, Origin
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.semantics.kinds import Kind, is_time, kind_of
from services.planner.domain.semantics.unit_columns import unit_column

_NEVER_ADDED = frozenset(
    stem(word)
    for word in "price rate ratio percentage percent pct share average avg mean median rank index "
    "rating probability margin score grade gpa temperature temp humidity pressure speed age "
    "latitude longitude elevation altitude density frequency".split()
)
_TWO = 2


def summed(
    judged: Judged, *kinds: type[exp.AggFunc]
) -> Iterator[tuple[Block, exp.AggFunc, Origin]]:
    """Aggregates of these kinds over a column of the data as it is."""
    for block in judged.blocks:
        for node in block.aggregates:
            if isinstance(node, kinds) and isinstance(node.this, exp.Column):
                origin = block.origin(node.this)
                if origin is not None and not origin.through:
                    yield block, node, origin


def _stems(name: str) -> list[str]:
    return [stem(word) for word in words_of(name)]


def _not_additive(judged: Judged) -> Iterator[Suspicion]:
    for _, node, origin in summed(judged, exp.Sum):
        words = _stems(origin.column.name)
        never = words and (
            words[-1] in _NEVER_ADDED or (_NEVER_ADDED & set(words) and "total" not in words)
        )
        if origin.column.kind:
            never = origin.column.kind == Kind.INTENSIVE
        if never and kind_of(origin.column, origin.table) is Kind.INTENSIVE:
            yield certain(
                judged.spelled(node),
                f"{origin.column.name} is a rate, share or score: its sum means nothing",
                "average it, weighted by what it is a rate of",
            )


def _ids(judged: Judged) -> Iterator[Suspicion]:
    for _, node, origin in summed(judged, exp.Sum, exp.Avg):
        kind = kind_of(origin.column, origin.table)
        part = kind is Kind.DATE_PART and isinstance(node, exp.Sum)
        several = words_of(origin.column.name)[-1:][0].endswith("s")  # "days" are how many
        if kind is Kind.ID or (part and not several):
            what = "numbers that name things" if kind is Kind.ID else "parts of dates"
            yield certain(
                judged.spelled(node),
                f"{origin.column.name} holds {what}: nothing is computed with them",
                "count them, or take the column that is meant",
            )


def _level_over_time(judged: Judged) -> Iterator[Suspicion]:
    for block, node, origin in summed(judged, exp.Sum):
        if kind_of(origin.column, origin.table) is not Kind.LEVEL:
            continue
        times = [
            c
            for c in origin.table.columns
            if is_time(c) or kind_of(c, origin.table) is Kind.DATE_PART
        ]
        for time in times[:1]:
            alias = node.this.table
            moment = exp.column(time.name.casefold(), table=alias)
            groups = [exp.alias_(g.copy(), f"assay_group_{i}") for i, g in enumerate(block.groups)]
            timed = exp.alias_(moment, "assay_time")
            inner = block.asking(*groups, timed, distinct=True, of=node)
            listed = ", ".join(f"assay_group_{i}" for i in range(len(groups)))
            by = f" GROUP BY {listed}" if listed else ""
            ask = f"SELECT max(n) FROM (SELECT count(*) AS n FROM ({inner}) AS each_time{by}) AS t"
            yield _level(judged.spelled(node), origin, time.name, ask if inner else "")


def _level(at: str, origin: Origin, time: str, ask: str) -> Suspicion:
    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is not None and values[0] <= 1:
            return None
        size = f"{values[0]:,.0f} values" if values is not None else "several values"
        return Weighed(
            f"{origin.column.name} is a level at one time, and {size} of {time} are added up",
            f"take the last {time}, or the mean over them",
            {"moments": values[0]} if values is not None else {},
            severity=None if values is not None else Severity.DOUBT,
        )

    return Suspicion(at, weigh, (ask,) if ask else ())


def _mixed_units(judged: Judged) -> Iterator[Suspicion]:
    for block, node, origin in summed(judged, exp.Sum, exp.Avg):
        beside = unit_column(origin.column, origin.table)
        unit = beside.name if beside is not None else ""
        if not unit or any(_is(g, node.this.table, unit, block) for g in block.groups):
            continue
        name = exp.column(unit.casefold(), table=node.this.table)
        kinds = exp.Count(this=exp.Distinct(expressions=[name]))
        ask = block.asking(kinds, exp.Min(this=name.copy()), exp.Max(this=name.copy()), of=node)
        yield _mixed(judged, block, node, origin, unit, ask)


def _mixed(
    judged: Judged, block: Block, node: exp.AggFunc, origin: Origin, unit: str, ask: str
) -> Suspicion:
    def weigh(answers: Answers) -> Weighed | None:
        count, *ends = first(answers) or (0,)
        if not isinstance(count, int | float) or count < _TWO:
            return None
        both = " and ".join(map(str, ends))
        text = both if count == _TWO else f"{count:,.0f} kinds of {unit}, such as {both},"
        return Weighed(
            f"{judged.spelled(node)} takes {origin.column.name} in {text} as if it were in one",
            f"group by {unit}, or convert first",
            {"units": float(count)},
        )

    return Suspicion(judged.spelled(node), weigh, (ask,) if ask else ())


def _is(node: exp.Expr, alias: str, name: str, block: Block) -> bool:
    return isinstance(node, exp.Column) and node.name == name.casefold() and node.table == alias


NOT_ADDITIVE = Rule(
    "A01",
    "not additive",
    Severity.DOUBT,
    "Rates, prices, shares and scores are of something: their sum is of nothing (intensive and "
    "extensive quantities; Kimball, The Data Warehouse Toolkit, 2013, ch. 3).",
    _not_additive,
    (
        Example(
            CATALOGUE_OF_FILMS,
            ("SELECT genre, sum(rating) FROM films GROUP BY genre",),
            ("SELECT genre, avg(rating) FROM films GROUP BY genre",),
        ),
        Example(
            SHOP,
            ("SELECT sum(unit_price) FROM lines",),
            ("SELECT sum(unit_price * quantity) FROM lines", "SELECT sum(quantity) FROM lines"),
        ),
    ),
)
LEVEL_OVER_TIME = Rule(
    "A02",
    "level over time",
    Severity.ERROR,
    "A balance, a stock or a population is a level at one time: it may be added over accounts, "
    "not over days (semi-additive facts; Kimball, The Data Warehouse Toolkit, 2013, ch. 3).",
    _level_over_time,
    (
        Example(
            ACCOUNTS,
            (
                "SELECT sum(balance) FROM balances",
                "SELECT branch, sum(balance) FROM balances GROUP BY branch",
            ),
            (
                "SELECT sum(balance) FROM balances WHERE day = DATE '2024-01-03'",
                "SELECT day, sum(balance) FROM balances GROUP BY day",
                "SELECT sum(balance) FILTER (WHERE day = DATE '2024-01-03') / sum(balance) FILTER "
                "(WHERE day = DATE '2024-01-01') FROM balances",
                "SELECT avg(balance) FROM balances",
            ),
        ),
    ),
)
MIXED_UNITS = Rule(
    "A05",
    "mixed units",
    Severity.DOUBT,
    "Amounts in several currencies or units were added or averaged as if they were in one.",
    _mixed_units,
    (
        Example(
            SHOP,
            ("SELECT sum(amount) FROM payments", "SELECT avg(p.amount) FROM payments p"),
            (
                "SELECT currency, sum(amount) FROM payments GROUP BY currency",
                "SELECT sum(amount) FROM payments WHERE currency = 'EUR'",
                "SELECT sum(amount) FILTER (WHERE currency = 'EUR') FROM payments",
            ),
        ),
    ),
)
IDS = Rule(
    "A10",
    "arithmetic over names",
    Severity.ERROR,
    "Numbers that name things, or parts of dates, are not amounts.",
    _ids,
    (
        Example(
            SHOP,
            ("SELECT sum(order_id) FROM orders", "SELECT avg(customer_id) FROM orders"),
            ("SELECT count(order_id), max(order_id) FROM orders",),
        ),
        Example(
            CATALOGUE_OF_FILMS, ("SELECT sum(year) FROM films",), ("SELECT avg(year) FROM films",)
        ),
        Example({"leave": "who,days\nAda,3\nBo,1\n"}, (), ("SELECT sum(days) FROM leave",)),
    ),
)
RULES = (NOT_ADDITIVE, LEVEL_OVER_TIME, MIXED_UNITS, IDS)
