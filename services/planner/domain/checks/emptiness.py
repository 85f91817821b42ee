"""Conditions that settle nothing: of what is never empty, and of a column and itself."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.checks.asked import tokens
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.rule import Example, Rule, Suspicion, certain
from services.planner.domain.checks.statement import Block, Judged
from services.planner.domain.lexicon.names import likeness, words_of

_ALIKE = 0.9
_OF_TWO = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Sub, exp.Div, exp.DateDiff)


def _never_empty(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        if any(join.side for join in block.joins):
            continue  # what has no match is empty whatever the column holds
        for node in block.own(exp.Is):
            origin = block.origin(node.this)
            if origin is None or origin.through or not _asks_whether_empty(node):
                continue
            inner = block.sources.get(node.this.table)
            if _is_spoken_of(judged, origin.column.name):
                continue  # "how many have no city?" may well be answered with none
            if origin.table.rows and not origin.column.nulls and not isinstance(inner, Block):
                name = origin.column.name
                yield certain(
                    judged.spelled(node),
                    f"every row of {origin.table.name} has a {name}: no row fulfils "
                    f"{judged.spelled(node)}",
                    "take the column whose emptiness means what is asked",
                )


def _asks_whether_empty(node: exp.Is) -> bool:
    return isinstance(node.expression, exp.Null) and not isinstance(node.parent, exp.Not)


def _is_spoken_of(judged: Judged, name: str) -> bool:
    """Whether the question says a word of a column's name."""
    texts = [token.lower for token in tokens(judged.question) if token.stem]
    return any(likeness(word, own) >= _ALIKE for word in texts for own in words_of(name))


def _itself(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for node in block.own(*_OF_TWO):
            one, other = node.this, node.expression
            same = isinstance(other, exp.Expr) and one.unnest().sql() == other.unnest().sql()
            if same and one.find(exp.Column) is not None:
                at = judged.spelled(node)
                yield certain(at, f"{at} is the same for every row", "compare two columns")


NEVER_EMPTY = Rule(
    "F09",
    "never empty",
    Severity.DOUBT,
    "A condition asks for rows without a value of a column that has one in every row: it leaves "
    "nothing over, and looks like an answer.",
    _never_empty,
    (
        Example(
            SHOP,
            ("SELECT count(*) FROM orders WHERE ordered IS NULL",),
            (
                "SELECT count(*) FROM orders WHERE sent IS NULL",
                "SELECT count(*) FROM orders WHERE ordered IS NOT NULL",
                "SELECT count(*) FROM customers c LEFT JOIN orders o USING (customer_id) WHERE "
                "o.ordered IS NULL",
            ),
        ),
        Example(
            SHOP,
            ("SELECT count(*) FROM customers WHERE name IS NULL",),
            ("SELECT count(*) FROM customers WHERE city IS NULL",),
            question="How many customers have no city?",
        ),
    ),
)
ITSELF = Rule(
    "F10",
    "a column and itself",
    Severity.ERROR,
    "A column is compared with itself, or taken from itself: the same for every row.",
    _itself,
    (
        Example(
            SHOP,
            (
                "SELECT avg(date_diff('day', ordered, ordered)) FROM orders",
                "SELECT count(*) FROM orders WHERE ordered - ordered > 2",
                "SELECT count(*) FROM orders WHERE freight > freight",
            ),
            (
                "SELECT avg(date_diff('day', ordered, sent)) FROM orders",
                "SELECT count(*) FROM orders a JOIN orders b USING (customer_id) WHERE "
                "a.freight > b.freight",
            ),
        ),
    ),
)
RULES = (NEVER_EMPTY, ITSELF)
