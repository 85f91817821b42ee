"""Which of several dates a question means."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.catalogue import Column, DataType, Table
from services.planner.domain.checks.asked import tokens
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.rule import Example, Rule, Suspicion, certain
from services.planner.domain.checks.statement import Judged
from services.planner.domain.lexicon.names import likeness, words_of
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.tokens import stem

_TIMES = (DataType.DATE, DataType.DATETIME)
_ALIKE = 0.65
_OF_TIME = frozenset(
    stem(word)
    for word in (
        "date time at on day datetime timestamp ts dt when moment of the is utc last first"
    ).split()
)
_ACTIONS = """
order ordered placed bought purchased
ship shipped sent dispatched
deliver delivered arrived received
hire hired joined started hires
birth born age old older oldest young younger youngest birthday aged
leave left quit leavers leaver resigned
open opened created came raised new filed reported
close closed resolved solved finished settled
reply replied response answered responded respond answer
start began begun started starting from
end ended finished ending to until
return returned brought
pay paid payment payments
release released came
found founded discovered
"""
_SYNONYMS = {
    stem(word): frozenset(map(stem, line.split()))
    for line in _ACTIONS.strip().splitlines()
    for word in line.split()
}


def _another_date(judged: Judged) -> Iterator[Suspicion]:
    """A date that the question does not speak of, where it speaks of another of the same rows, or
    where another is that of every row."""
    if not judged.question:
        return
    for table in dict.fromkeys(t for block in judged.blocks for t in block.tables):
        dates = [c for c in table.columns if c.data_type in _TIMES]
        used = _used(judged, table)
        if len(dates) < 2 or any(_spoken(judged, date, dates) for date in dates if date in used):
            continue
        for one in (c for c in dates if c in used):
            other = _find_intended_date(judged, table, one, [c for c in dates if c not in used])
            if other is not None:
                yield _of(judged, table, one, other, dates)
                break


def _of(judged: Judged, table: Table, one: Column, other: Column, dates: list[Column]) -> Suspicion:
    spoken = _spoken(judged, other, dates)
    if spoken:
        because = f"the question says {spoken!r}, as {other.name} of {table.name} is called"
    elif one.nulls and not other.nulls:
        because = (
            f"every row of {table.name} has {other.name}, and {one.nulls:,} have no {one.name}"
        )
    else:
        because = f"{other.name} is called after the rows of {table.name}"
    return certain(
        one.name,
        f"{because}: the statement goes by {one.name}, which nothing in the question speaks of",
        f"take {other.name}, or say that {one.name} is meant",
    )


def _find_intended_date(
    judged: Judged, table: Table, one: Column, others: list[Column]
) -> Column | None:
    """The date that is meant in place of one that the question does not speak of: one that it
    speaks of, that is called after the rows, or that every row has where some have not the one."""
    dates = [one, *others]
    spoken = next((c for c in others if _spoken(judged, c, dates)), None)
    if spoken is not None or _is_of_emptiness(judged, one):
        return spoken
    called = {stem(w) for w in words_of(table.name)}
    own = next((c for c in others if called & {stem(w) for w in words_of(c.name)}), None)
    if own is not None and not called & {stem(w) for w in words_of(one.name)}:
        return own
    return next((c for c in others if one.nulls and not c.nulls), None)


def _is_of_emptiness(judged: Judged, column: Column) -> bool:
    """Whether a statement asks alone whether a column is empty."""
    found = [c for c in judged.tree.find_all(exp.Column) if c.name == column.name.casefold()]
    return all(isinstance(c.parent, exp.Is) for c in found)


def _used(judged: Judged, table: Table) -> list[Column]:
    """The columns of a table that a statement has anywhere."""
    found = []
    for block in judged.blocks:
        for node in block.own(exp.Column):
            origin = block.origin(node)
            if origin is not None and origin.table == table:
                found.append(origin.column)
    return found


def _spoken(judged: Judged, column: Column, dates: list[Column]) -> str:
    """The word of the question that is of a date's name and of no other's; empty without one."""
    others = {stem(w) for c in dates if c is not column for w in words_of(c.name)}
    own = [w for w in words_of(column.name) if stem(w) not in others | _OF_TIME]
    for token in tokens(judged.question):
        if token.mark or not token.stem or token.lower in STOP_WORDS:
            continue
        for word in own:
            is_mentioned = token.stem in _SYNONYMS.get(stem(word), frozenset())
            if is_mentioned or likeness(token.lower, word) >= _ALIKE:
                return token.text
    return ""


ANOTHER_DATE = Rule(
    "W05",
    "another date",
    Severity.DOUBT,
    "Rows have several dates, and the statement goes by one that the question does not speak of: "
    "orders are counted by the day on which they were sent.",
    _another_date,
    (
        Example(
            SHOP,
            ("SELECT count(*) FROM orders WHERE sent >= '2024-02-01'",),
            ("SELECT count(*) FROM orders WHERE ordered >= '2024-02-01'",),
            question="How many were ordered since February 2024?",
        ),
        Example(
            SHOP,
            ("SELECT month(sent), sum(freight) FROM orders GROUP BY 1",),
            (
                "SELECT month(ordered), sum(freight) FROM orders GROUP BY 1",
                "SELECT avg(date_diff('day', ordered, sent)) FROM orders",
            ),
            question="freight by month",
        ),
        Example(
            {"orders": "order_id,order_date,required_date\n1,2024-01-02,2024-02-01\n"},
            ("SELECT year(required_date), count(*) FROM orders GROUP BY 1",),
            ("SELECT year(order_date), count(*) FROM orders GROUP BY 1",),
            question="How many in each year?",
        ),
        Example(
            {"stays": "stay_id,date_from,date_to\n1,2024-01-02,2024-02-01\n"},
            ("SELECT count(*) FROM stays WHERE date_to > '2024-01-15'",),
            ("SELECT count(*) FROM stays WHERE date_from > '2024-01-15'",),
            question="How many started after 2024-01-15?",
        ),
        Example(
            SHOP,
            (),
            ("SELECT month(sent), count(*) FROM orders GROUP BY 1",),
            question="How many parcels were dispatched in each month?",
        ),
    ),
)
RULES = (ANOTHER_DATE,)
