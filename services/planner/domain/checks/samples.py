"""Faults of statistical tests that a statement's rows show: samples that are not independent."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.relations import keys_of
from services.planner.domain.checks.rule import Answers, Example, Rule, Suspicion, Weighed, numbers
from services.planner.domain.checks.statement import Block, Judged
from services.planner.domain.semantics.kinds import Kind, kind_of
from services.planner.domain.statements.proposal import AskedTest

_INDEPENDENT = frozenset("t_test mann_whitney anova kruskal levene".split())
"""Tests between groups, for which a row of one group tells nothing of a row of another."""
_MOSTLY = 0.8
_FEWEST = 3
_MOST_IDS = 4


def _repeated(judged: Judged) -> Iterator[Suspicion]:
    asked, outer = judged.test, judged.blocks[-1] if judged.blocks else None
    if asked is None or outer is None or asked.test not in _INDEPENDENT:
        return
    item = outer.projection(asked.by.casefold())
    if item is None or outer.groups or outer.aggregates:
        return
    for alias, name in _list_entity_names(outer)[:_MOST_IDS]:
        yield _suspect_entity(
            outer, asked, item.unalias(), exp.column(name.casefold(), table=alias), name
        )


def _list_entity_names(block: Block) -> list[tuple[str, str]]:
    """Columns that say whose a row is and come in several rows."""
    catalogue = block.judged.catalogue
    return [
        (alias, column.name)
        for alias, table in block.named.items()
        for column in table.columns
        if kind_of(column, table) is Kind.ID
        and frozenset((column.name.casefold(),)) not in keys_of(table, catalogue)
    ]


def _suspect_entity(
    block: Block, asked: AskedTest, group: exp.Expr, entity: exp.Expr, name: str
) -> Suspicion:
    """Asks whether each thing has one row in each group: then rows of groups belong together."""
    inner = block.asking(exp.alias_(entity, "thing"), exp.alias_(group.copy(), "sample"))
    listed = ", ".join(exp.Literal.string(value).sql("duckdb") for value in asked.groups)
    only = f" WHERE CAST(sample AS TEXT) IN ({listed})" if listed else ""
    ask = (
        "SELECT count(*), count(*) FILTER (WHERE samples > 1), max(n) FROM (SELECT thing, "
        "count(DISTINCT sample) AS samples, count(*) - count(DISTINCT sample) AS n FROM "
        f"({inner}) AS each_row{only} GROUP BY thing HAVING thing IS NOT NULL) AS each_thing"
    )
    at = block.judged.spelled(group)

    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None:
            return None
        entities, several, again = values
        if again or several < _FEWEST or several < _MOSTLY * entities:
            return None
        return Weighed(
            f"{several:,.0f} of {entities:,.0f} {name} have a row in several groups of {at}: the "
            f"samples are not independent, as {asked.test} takes them",
            "take paired_t over one row for each, with both values as columns",
            {"things": entities, "in_several": several},
        )

    return Suspicion(at, weigh, (ask,) if inner else ())


_MARKS = {
    "marks": "pupil_id,term,mark,school\n"
    + "".join(
        f"{pupil},{term},{50 + 3 * pupil + 5 * term},{'ab'[pupil % 2]}\n"
        for pupil in range(1, 7)
        for term in (1, 2)
    ),
}
REPEATED = Rule(
    "P01",
    "repeated measures",
    Severity.DOUBT,
    "Values of the same people before and after are no two samples of people: a test between "
    "independent groups loses what ties them, and its p-value is of another question (Student, "
    "1908; Hurlbert, 1984). Told where each thing has one row in each group. What else a test "
    "takes for granted (normal values, equal variances) it checks itself.",
    _repeated,
    (
        Example(
            _MARKS,
            ("SELECT term, mark FROM marks", "SELECT mark, m.term FROM marks m WHERE mark > 0"),
            ("SELECT mark FROM marks WHERE term = 1", "SELECT school AS term, mark FROM marks"),
            test=AskedTest(test="t_test", columns=("mark",), by="term"),
        ),
        Example(
            _MARKS,
            (),
            ("SELECT term, mark FROM marks",),
            test=AskedTest(test="paired_t", columns=("mark",), by="term"),
        ),
    ),
)
RULES = (REPEATED,)
