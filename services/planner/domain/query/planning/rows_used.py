"""Of how many rows and of what time an answer is, and which rows its joins leave out.

A query beside the answer's own counts them. Where no row is picked and no table joined, the
catalogue knows as much, and nothing is asked.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.plan import Subtask
from services.planner.domain.query.intent import Aggregate, Field, Intent, Measure, Relation
from services.planner.domain.query.joining.repeats import led_from
from services.planner.domain.query.planning.reasoning import fields_in
from services.planner.domain.query.planning.sql import Query, render

USED, OF, WITHOUT = "used", "of ", "without "
FIRST, LAST = "first time", "last time"
_SECONDS = 0.1


def used_task(intent: Intent, catalogue: Catalogue, seconds: int) -> Subtask | None:
    """One row: how many rows the conditions pick, for each table joined how many find no row of
    it, and the first and last time of the rows that remain.

    None where there is neither condition nor join, or where joins multiply the rows of every table.
    """
    query = _counting(intent, catalogue)
    if query is None:
        return None
    return Subtask(
        task_id=USED,
        description="rows that the answer is of",
        tool_name="sql.run",
        arguments={
            "query": query.text,
            "params": list(query.params),
            "timeout": seconds,
            "row_limit": 1,
        },
        invariants=("exactly one row",),
        estimated_cost_seconds=_SECONDS,
    )


def _counting(intent: Intent, catalogue: Catalogue) -> Query | None:
    if (
        intent.cohort
        or intent.copies
        or _is_redefined(intent)
        or any(d.periods for d in intent.dimensions)
    ):
        return None
    start = _from_most_rows(intent)
    if start is None or not (intent.filters or start[1]):
        return None
    base, relations = start
    kept = tuple(relation.model_copy(update={"optional": True}) for relation in relations)
    rows = Measure(aggregate=Aggregate.COUNT, table=base, label=f"{OF}{base}")
    bare = Intent(base=base, measures=(rows,), filters=intent.filters, joins=kept)
    query = render(bare, catalogue)
    tree = sqlglot.parse_one(query.text, dialect="duckdb")
    if not isinstance(tree, exp.Select) or tree.find(exp.With) is not None:
        return None
    lost = {r.right.table: _alone(r, base, relations) for r in relations if not r.optional}
    for table, alone in lost.items():
        counted = exp.Sum(this=exp.Case().when(alone, exp.Literal.number(1)).else_("0"))
        total = exp.Coalesce(this=counted, expressions=[exp.Literal.number(0)])
        tree.select(exp.alias_(total, f"{WITHOUT}{table}", quoted=True), copy=False)
    tables = {base, *(relation.right.table for relation in relations)}
    timed = time_field(intent, base, catalogue)
    if timed is not None and timed.table in tables:
        there = exp.not_(exp.or_(*lost.values())) if lost else exp.true()
        moment = exp.Case().when(there, _column(timed.table, timed.column))
        for function, name in (("MIN", FIRST), ("MAX", LAST)):
            tree.select(
                exp.alias_(exp.func(function, moment.copy()), name, quoted=True), copy=False
            )
    return Query(tree.sql(dialect="duckdb"), query.params, tuple(tree.named_selects))


def _is_redefined(intent: Intent) -> bool:
    """Whether columns that the question defines decide which rows there are."""
    decides = intent.model_dump(include={"filters", "joins"})
    decisive = {(f.table, f.column) for f in fields_in(decides)}
    return any(d.keeps or (d.table, d.column) in decisive for d in intent.defined)


def time_field(intent: Intent, base: str, catalogue: Catalogue) -> Field | None:
    """The time that the rows are told by: the one asked for, else the only one of their table."""
    for dimension in intent.dimensions:
        if dimension.grain is not None and isinstance(dimension.expression, Field):
            return dimension.expression if _is_time(dimension.expression, catalogue) else None
    table = catalogue.table(base)
    if table is None:
        return None
    text, _, column = table.time_column.rpartition(".")
    if column:
        return Field(table=text or base, column=column)
    times = [c.name for c in table.stored if c.data_type in (DataType.DATE, DataType.DATETIME)]
    return Field(table=base, column=times[0]) if len(times) == 1 else None


def _is_time(field: Field, catalogue: Catalogue) -> bool:
    table = catalogue.table(field.table)
    column = table.column(field.column) if table is not None else None
    return column is not None and column.data_type in (DataType.DATE, DataType.DATETIME)


def _alone(relation: Relation, base: str, relations: tuple[Relation, ...]) -> exp.Expr:
    """That a row finds none of a table; not where a table before it was missing already."""
    missing = exp.Is(
        this=_column(relation.right.table, relation.right.column), expression=exp.Null()
    )
    if relation.left.table == base:
        return missing
    before = next(r.right for r in relations if r.right.table == relation.left.table)
    came = exp.Is(this=_column(before.table, before.column), expression=exp.Null())
    return exp.and_(missing, exp.not_(came))


def _from_most_rows(intent: Intent) -> tuple[str, tuple[Relation, ...]] | None:
    """The table whose rows no join multiplies, and the joins that begin at it; None without."""
    relations, tables = list(intent.joins), [intent.base]
    tables += [relation.right.table for relation in relations]
    if len(set(tables)) != len(tables):
        return None
    for start in tables:
        found = _leading(start, relations)
        if found is not None:
            return start, found
    return None


def _leading(start: str, relations: list[Relation]) -> tuple[Relation, ...] | None:
    """All relations, each from a row to the one it refers to, nearest to `start` first."""
    found = led_from(start, relations)
    whole = len(found) == len(relations) and not any(step.fans_out for step in found)
    return found if whole else None


def _column(table: str, name: str) -> exp.Column:
    return exp.column(name, table=table, quoted=True)
