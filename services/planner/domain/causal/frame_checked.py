"""The rows that an effect is estimated in, as one statement for checks of analysis.

Whoever joins, samples or sums before an effect is estimated decides what a row is: a row that comes
several times counts several times, and a number that stands for nothing pulls every mean. Methods
cannot see that, so it is looked for before they begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.causal.frame import FrameChecked
from services.planner.domain.checks.judging import UNASKED, Judgement
from services.planner.domain.checks.statement import column_of
from services.planner.domain.semantics.kinds import Kind, is_time, kind_of
from services.planner.domain.statements.parsing import rendered, statement

OF_FRAMES = frozenset(("J01", "J02", "J03", "J04", "J05", "F08", "A03", "A05", "A10", "D01", "D02"))
"""Faults of which rows there are and what their numbers are; nothing is asked in words."""
_MOST_COLUMNS = 30
_FRAME = "frame"
_REPEATED, _OF_MEANS = ("J01", "J03"), "A03"
_NUMBERS = (DataType.INTEGER, DataType.FLOAT)


def frame_statement(relation: str, outcome: str, catalogue: Catalogue) -> str:
    """Number and mean of the outcome over the rows of a relation, and how its numbers go together
    with it; empty where the relation is no single query.

    A relation that groups or cuts its rows is asked as it is; of any other the statement reads what
    it reads, so that what its joins do to the outcome shows.
    """
    select = statement(relation)
    if not isinstance(select, exp.Select):
        return ""
    given = {item.alias_or_name: item.unalias() for item in select.expressions}
    if _is_summed(select):
        inner = exp.Subquery(this=select.copy(), alias=exp.TableAlias(this=_name(_FRAME)))
        asked = exp.select("*").from_(inner)
        given = {name: exp.column(_name(name), table=_FRAME) for name in given}
    else:
        asked = select.copy()
    columns = {c.name.casefold(): c for table in catalogue.tables for c in table.columns}
    numbers = {name: node for name, node in given.items() if _is_number(node, columns)}
    about = given.get(outcome)
    of_outcome: list[exp.Expr] = [exp.Count(this=about.copy() if about is not None else exp.Star())]
    if about is not None and outcome in numbers:
        of_outcome.append(exp.Avg(this=about.copy()))
    against = about if outcome in numbers else None
    pairs = [
        exp.Corr(this=node.copy(), expression=(against or node).copy())
        for name, node in numbers.items()
    ]
    asked.set("expressions", [*of_outcome, *pairs[:_MOST_COLUMNS]])
    return rendered(asked)


def frame_checked(
    text: str, judged: Judgement, outcome: str, relation: str, catalogue: Catalogue
) -> FrameChecked:
    """What is told of a frame: what checks found, a level that was measured again and again, means
    in place of the rows, and what could not be asked."""
    if not judged.readable:
        return FrameChecked(statement=text, said=(UNREAD,))
    # Rows that come again are told once, by their number: a mean may stay as it is.
    kept = [
        one
        for one in judged.findings
        if not (one.code in _REPEATED and one.at.startswith("AVG")) and one.code != _OF_MEANS
    ]
    texts = [
        *_levels(outcome, _tables_read(relation, catalogue)),
        *([_MEANS.format(outcome)] if _has_means(judged) else []),
        *([UNASKED] if judged.unasked else []),
    ]
    return FrameChecked(statement=text, findings=tuple(kept), said=tuple(dict.fromkeys(texts)))


def _has_means(judged: Judgement) -> bool:
    return any(one.code == _OF_MEANS and one.at.startswith("AVG") for one in judged.findings)


UNREAD = "the statement that makes the rows could not be taken apart, so it was not checked"
_MEANS = (
    "A03: each {} is a mean of a group of rows, and groups of few weigh as much as those of many; "
    "what holds among groups need not hold within them"
)


def _tables_read(relation: str, catalogue: Catalogue) -> tuple[Table, ...]:
    """The tables of the data that a relation reads."""
    tree = statement(relation)
    named = {t.name.casefold() for t in tree.find_all(exp.Table)} if tree is not None else set()
    return tuple(table for table in catalogue.tables if table.name.casefold() in named)


def _is_summed(select: exp.Select) -> bool:
    """Whether its rows are not those that it reads."""
    parts = ("group", "distinct", "limit", "having", "qualify")
    return any(select.args.get(part) for part in parts) or select.find(exp.AggFunc) is not None


def _is_number(node: exp.Expr, columns: dict[str, Column]) -> bool:
    column = node.find(exp.Column) if isinstance(node, exp.Column) else None
    known = columns.get(column.name.casefold()) if column is not None else None
    return known is not None and known.data_type in _NUMBERS


def _name(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)


def _levels(outcome: str, tables: Sequence[Table]) -> Iterator[str]:
    """An outcome that is a level at one time, in rows of many times of the same units."""
    for table in tables:
        column = column_of(table, outcome)
        if column is None or kind_of(column, table) is not Kind.LEVEL:
            continue
        times = [c for c in table.columns if is_time(c) and c.distinct > 1]
        units = [c for c in table.columns if kind_of(c, table) is Kind.ID and c.distinct > 1]
        again = [unit for unit in units if unit.distinct < table.rows - unit.nulls]
        if times and again:
            yield (
                f"A02: {outcome} is a level at one time, and each {again[0].name} has rows of "
                f"several {times[0].name}: what it was before the treatment is in them; take one "
                f"{times[0].name}, or what changed between two"
            )
