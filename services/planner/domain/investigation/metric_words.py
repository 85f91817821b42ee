"""Which metric words mean: as the reader of questions reads them, taken from its statement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import sqlglot
from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.query.intent import Intent, NotUnderstood, Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand

_ASKED = ("{}", "total {}", "number of {}", "average {}")
_COUNTED = ("number of {}", "{}")
"""Of words that end with what rows are called: orders as a metric are their number."""


@dataclass(frozen=True, slots=True)
class WordedMetric:
    """The SQL of a metric that was said in words, and the table whose rows it is made of; `unread`
    are words that have no part in it: they may be the condition that it is all about. Where no
    reading is one, `sql` is empty and `refused` says why."""

    sql: str
    table: str
    unread: tuple[str, ...] = ()
    refused: str = ""


async def metric_in_words(
    words: str, catalogue: Catalogue, lookup: ValueLookup, today: date
) -> WordedMetric | None:
    """The one number that the words ask for, first by a reading that uses all of them, else why
    they are not understood; None where they ask for no number, or for several."""
    partly: WordedMetric | None = None
    refused: WordedMetric | None = None
    for asked in _COUNTED if _ends_with_a_table(words, catalogue) else _ASKED:
        found = await understand(asked.format(words), catalogue, lookup, today=today, assume=True)
        if isinstance(found, Understood) and (sql := number_of(found.intent, catalogue)):
            if not found.unread:
                return WordedMetric(sql, found.intent.base)
            partly = partly or WordedMetric(sql, found.intent.base, found.unread)
        if isinstance(found, NotUnderstood):
            refused = refused or WordedMetric("", "", refused=found.message)
    return partly or refused


def _ends_with_a_table(words: str, catalogue: Catalogue) -> bool:
    texts = words_of(words)
    return any(
        (name := words_of(table.name))
        and texts[-len(name) :] == name
        and not any(words_of(column.name) == name for column in table.columns)
        for table in catalogue.tables
    )


def number_of(intent: Intent, catalogue: Catalogue) -> str:
    """The one aggregate of a statement without groups; conditions on rows become its filter.

    Empty where there is none, or more than one.
    """
    if intent.dimensions or len(intent.measures) != 1:
        return ""
    query = render(intent, catalogue)
    tree = sqlglot.parse_one(query.text, dialect="duckdb")
    places = list(tree.find_all(exp.Placeholder, bfs=False))
    for place, value in zip(places, query.params, strict=True):
        place.replace(exp.convert(value))
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1 or tree.args.get("having"):
        return ""
    number = tree.expressions[0].unalias()
    if number.find(exp.AggFunc) is None or number.find(exp.Window, exp.Query) is not None:
        return ""
    where = tree.args.get("where")
    if where is not None:
        number = number.transform(lambda node: _only(node, where.this))
    made = _worked_out(tree)
    number = number.transform(lambda node: made.get(_name(node), node))
    return str(number.sql(dialect="duckdb"))


def _worked_out(tree: exp.Select) -> dict[tuple[str, str], exp.Expr]:
    """The columns that a statement works out below its tables, by table and name."""
    below = (one for one in tree.find_all(exp.Subquery) if isinstance(one.this, exp.Select))
    return {
        (one.alias, column.alias): exp.Paren(this=column.this.copy())
        for one in below
        for column in one.this.expressions
        if isinstance(column, exp.Alias)
    }


def _name(node: exp.Expr) -> tuple[str, str]:
    return (node.table, node.name) if isinstance(node, exp.Column) else ("", "")


def _only(node: exp.Expr, condition: exp.Expr) -> exp.Expr:
    if not isinstance(node, exp.AggFunc):
        return node
    return exp.Filter(this=node.copy(), expression=exp.Where(this=condition.copy()))
