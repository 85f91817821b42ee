"""What the data themselves make doubtful: a statement that rests on it is told so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from mesh.repairs import option_of
from services.planner.domain.catalogue import DataType
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.rule import Example, Rule, Suspicion, certain
from services.planner.domain.checks.statement import Block, Judged
from services.planner.domain.doubt import Doubt, Use, beyond_case

_NUMBERS = (DataType.INTEGER, DataType.FLOAT)
_MOST_SHOWN = 2
_GRAVE = 0.25
"""The weight from which a doubt is more than a note."""


def _doubted(judged: Judged) -> Iterator[Suspicion]:
    for doubt in judged.catalogue.doubts:
        if _is_judged_elsewhere(judged, doubt):
            continue
        at = next((at for block in judged.blocks for at in _harmed(judged, block, doubt)), "")
        if at:
            yield certain(
                at,
                _describe_doubt(doubt),
                _mend(doubt),
                severity=Severity.DOUBT if doubt.weight >= _GRAVE else Severity.NOTE,
            )


def _is_judged_elsewhere(judged: Judged, doubt: Doubt) -> bool:
    """Whether a check of its own knows what a doubt changes in a statement: D03 of lists, F08 of
    numbers."""
    if doubt.code == "lists" and not doubt.repaired:
        return True
    table = judged.catalogue.table(doubt.table)
    column = table.column(doubt.column) if table is not None else None
    of_numbers = column is not None and column.data_type in _NUMBERS
    return doubt.code == "stand-in" and of_numbers and not doubt.repaired


def _describe_doubt(doubt: Doubt) -> str:
    """What was seen, and what it changes, or that it was mended without anybody saying so."""
    if doubt.repaired:
        return f"{doubt.said}: repaired as {_option(doubt)}"
    return f"{doubt.said}: {doubt.changes}" if doubt.changes else doubt.said


def _mend(doubt: Doubt) -> str:
    if not doubt.repairs:
        return ""
    if doubt.repaired:
        return "keep the repair with assay look --repair, or read it as it is with --raw"
    options = [option_of(one.kind, one.column, one.value) for one in doubt.repairs[:_MOST_SHOWN]]
    return f"read it with --read {' or --read '.join(options)}"


def _option(doubt: Doubt) -> str:
    first = doubt.repairs[0]
    return option_of(first.kind, first.column, first.value)


def _harmed(judged: Judged, block: Block, doubt: Doubt) -> Iterator[str]:
    """The parts of one SELECT that do with a doubted column, or table, what is wrong by it."""
    aliases = {alias for alias, table in block.named.items() if table.name == doubt.table}
    if not aliases:
        return
    if not doubt.column:
        if not doubt.uses or Use.ROWS not in doubt.uses or block.aggregates:
            yield doubt.table
        return
    for node in block.own(exp.Column):
        origin = block.origin(node)
        if origin is None or origin.through or node.table not in aliases:
            continue
        if origin.column.name != doubt.column:
            continue
        used = _used(block, node)
        if (not doubt.uses or used in doubt.uses) and not _of_case_alone(doubt, used, node):
            yield judged.spelled(node)
    if Use.ROWS in doubt.uses and block.aggregates:
        yield doubt.table


def _of_case_alone(doubt: Doubt, used: Use, node: exp.Column) -> bool:
    """Whether spellings differ by case and spaces alone, and the statement passes over these or
    groups by them, which a check of its own sizes: F07."""
    if doubt.code != "spellings" or beyond_case(doubt):
        return False
    above = list(_above(node))
    passed = all(any(isinstance(one, kind) for one in above) for kind in (exp.Lower, exp.Trim))
    return passed or (
        used is Use.GROUPED and isinstance(node.parent, exp.Group | exp.Select | exp.Alias)
    )


def _used(block: Block, node: exp.Column) -> Use:
    """What a SELECT does with a column where it names it."""
    above = list(_above(node))
    if _parts_rows(node, above):
        return Use.GROUPED
    if any(isinstance(one, exp.Count) and isinstance(one.this, exp.Distinct) for one in above):
        return Use.GROUPED
    if any(isinstance(one, exp.AggFunc | exp.Window | exp.Ordered) for one in above):
        return Use.COMPUTED
    if any(isinstance(one, exp.Where | exp.Having | exp.Join) for one in above):
        return Use.FILTERED
    return Use.GROUPED if block.groups else Use.COMPUTED


def _parts_rows(node: exp.Expr, above: Sequence[exp.Expr]) -> bool:
    """Whether a column is what a window's rows are parted by."""
    windows = [one for one in above if isinstance(one, exp.Window)]
    parts = [part for one in windows for part in one.args.get("partition_by") or ()]
    return any(part is one for part in parts for one in (node, *above))


def _above(node: exp.Expr) -> Iterator[exp.Expr]:
    while (parent := node.parent) is not None and not isinstance(parent, exp.Select):
        yield parent
        node = parent


DOUBTED = Rule(
    "D04",
    "doubted data",
    Severity.DOUBT,
    "Reading and measuring the data showed something that may make numbers wrong: rows kept aside, "
    "a list in one text, moments of several zones, two spellings of one thing. A statement that "
    "rests on it is told so, with the repair that would settle it (docs/repairs.md).",
    _doubted,
    (
        Example(
            {
                "members": "id,born,joined\n1,1900-01-01,2020-01-03\n2,1981-05-02,2021-04-03\n"
                "3,1900-01-01,2021-02-11\n4,1975-11-30,2022-03-09\n5,1990-02-14,2022-08-01\n"
            },
            (
                "SELECT min(born) FROM members",
                "SELECT year(born) AS y, count(*) FROM members GROUP BY 1",
            ),
            (
                "SELECT count(*) FROM members",
                "SELECT max(joined) FROM members",
            ),
        ),
        Example(
            {"sales": "country,amount\nUSA,3\nU.S.A.,4\nusa,5\nUSA,2\nChad,1\nChad,7\n"},
            (
                "SELECT country, sum(amount) FROM sales GROUP BY country",
                "SELECT lower(trim(country)) AS c, sum(amount) FROM sales GROUP BY 1",
                "SELECT sum(amount) FROM sales WHERE country = 'USA'",
                "SELECT count(DISTINCT country) FROM sales",
                "SELECT DISTINCT sum(amount) OVER (PARTITION BY country) FROM sales",
            ),
            ("SELECT sum(amount) FROM sales",),
        ),
        Example(
            {"sales": "country,amount\nUSA,3\nusa,4\nUSA,5\nUSA,2\nChad,1\nChad,7\n"},
            (
                "SELECT sum(amount) FROM sales WHERE country = 'USA'",
                "SELECT count(DISTINCT country) FROM sales",
            ),
            (
                "SELECT sum(amount) FROM sales WHERE lower(trim(country)) = 'usa'",
                "SELECT lower(trim(country)) AS c, sum(amount) FROM sales GROUP BY 1",
            ),
        ),
    ),
)
RULES = (DOUBTED,)
