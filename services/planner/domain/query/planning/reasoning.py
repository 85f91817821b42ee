"""Why a plan looks as it does: which tables, why joined, why these steps and in this order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.plan import Subtask
from services.planner.domain.query.filters import Field, Relation
from services.planner.domain.query.intent import ChartType, Intent

_PURPOSES = {
    "facts": "finds the totals and extremes that the words tell",
    "leaders": "adds up for each name, so that the largest and their shares can be told",
    "totals": "adds up over the names, so that the whole can be told",
    "shape": "lays the rows out as people read tables",
    "spread": "finds the middle and the range that the words tell",
    "ties": "counts those that share the last place, so that it is told if a limit cuts them",
    "used": "counts the rows that the answer is of, and those that a join leaves out",
    "table": "keeps every row of the answer as a file",
}
_TOOLS = {
    "sql.run": "asks the source for the rows, so that all others work on the same ones",
    "plot.render": "draws the chart",
    "stats.test": "computes the test, on the rows one by one and not on sums",
    "profiler.analyze": "describes every column",
    "df.transform": "works out what the words tell",
    "table.write": "keeps every row of the answer as a file",
    "python.run": "computes what no other tool does",
}
_DRAWN = {
    ChartType.LINE: "a line, because what is drawn goes on in time",
    ChartType.SCATTER: "points, because two numbers are set against each other",
    ChartType.HISTOGRAM: "a histogram, because one number's spread is looked at",
    ChartType.BOX: "boxes, because the spreads of groups are compared",
}


def reasoning_of(intent: Intent, steps: Sequence[Subtask], catalogue: Catalogue) -> str:
    """The reasons of a plan that the rules drew up, a sentence each."""
    return " ".join(
        [*_tables(intent, catalogue), *_order(intent), *reasons_of(steps, _why(intent))]
    )


def reasons_of(steps: Sequence[Subtask], why: Mapping[str, str] | None = None) -> Iterator[str]:
    """What each step is for, and what it waits for; `why` says it of some by their task."""
    for step in steps:
        purpose = (why or {}).get(step.task_id) or _PURPOSES.get(step.task_id)
        purpose = purpose or _TOOLS.get(step.tool_name, f"runs {step.tool_name}")
        needs = " and ".join(step.dependencies)
        yield f"{step.task_id} {purpose}{f'; it needs {needs} alone' if needs else ''}."


def _why(intent: Intent) -> Mapping[str, str]:
    """What the intent says of a step's purpose."""
    if intent.chart is None:
        return {}
    kind = f"a {intent.chart.value.replace('_', ' ')} chart"
    drawn = _DRAWN.get(intent.chart, f"{kind}, because names are compared")
    return {"chart": f"draws {f'{kind}, as asked' if intent.chart_named else drawn}"}


def _tables(intent: Intent, catalogue: Catalogue) -> Iterator[str]:
    """Which tables are read and why: for their columns, or for their rows."""
    real = {copy.name: copy.table for copy in intent.copies}
    joined = [relation.right.table for relation in intent.joins]
    used = list(fields_in(intent.model_dump(exclude={"joins", "copies", "defined"})))
    for name in dict.fromkeys([intent.base, *joined]):
        table = catalogue.table(real.get(name, name))
        rows = f" ({table.rows:,} rows)" if table is not None else ""
        columns = list(dict.fromkeys(f.column for f in used if f.table == name))
        what = f"holds {', '.join(columns)}" if columns else "has the rows that are asked about"
        if not columns and name in joined:
            what = "leads from one to another"
        yield f"{name}{rows} is read because it {what}."
    for relation in intent.joins:
        yield _join(relation, real, catalogue)


def _join(relation: Relation, real: Mapping[str, str], catalogue: Catalogue) -> str:
    left, right = relation.left, relation.right
    ends = {(real.get(f.table, f.table), f.column) for f in (left, right)}
    known = [
        link
        for link in catalogue.relationships
        if {(link.from_table, link.from_column), (link.to_table, link.to_column)} == ends
    ]
    how = "their values agree"
    if any(link.declared for link in known):
        how = "the data declares that key"
    if any(link.by_model for link in known):
        how = "the semantic model says so"
    kept = "; rows without a match are kept" if relation.optional else ""
    pairs = ((left.column, right.column), *relation.further)
    on = " and ".join(f"{left.table}.{a} = {right.table}.{b}" for a, b in pairs)
    return f"{right.table} is joined on {on}, because {how}{kept}."


def _order(intent: Intent) -> Iterator[str]:
    """Why the query does first what it does first."""
    if intent.filters and intent.grouped:
        yield "Rows are filtered before they are aggregated, so that no other row counts."
    if intent.limit is not None and intent.grouped:
        yield "All groups are ranked before the first are kept."


def fields_in(node: Any) -> Iterator[Field]:
    """Every column named in what `model_dump` gives."""
    if isinstance(node, dict):
        if node.get("kind") == "field":
            yield Field.model_validate(node)
        for value in node.values():
            yield from fields_in(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from fields_in(value)
