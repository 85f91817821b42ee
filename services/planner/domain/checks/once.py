"""An aggregate over repeated rows, held against the same over each row once."""

from __future__ import annotations

from sqlglot import exp

from services.planner.domain.catalogue import Table
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.relations import Edge, keys_of_source
from services.planner.domain.checks.rule import Answers, Suspicion, Weighed, amount, numbers
from services.planner.domain.checks.statement import Block

_VALUE, _KEY = "assay_value", "assay_key_{}"


def repeated_once(
    block: Block, node: exp.AggFunc, aliases: list[str], edge: Edge, severity: Severity
) -> Suspicion:
    """The suspicion that an aggregate adds up rows of these sources several times.

    Asked are its value and number as they are, over each row once within a group, and over each
    row once in all; the data decide whether rows repeat.
    """
    judged = block.judged
    value = _value(node)
    keys = _keys(block, aliases)
    probes: tuple[str, ...] = ()
    if value is not None and keys is not None:
        count = exp.Count(this=value.copy())
        grouped = _once(block, node, value, [*keys, *block.groups])
        whole = _once(block, node, value, keys)
        probes = (block.asking(count, node.copy()), grouped, whole) if whole else ()
    one, many = _names(block, aliases[0], edge)

    def weigh(answers: Answers) -> Weighed | None:
        values = [numbers(answers, which) for which in range(3)]
        if None in values:
            if len(answers) == 3 and None not in answers:
                return None  # there is nothing to add up
            text = f"{_describe_count(judged.spelled(node), one, many)}; how often was not counted"
            return Weighed(text, fix=_fixed(block, node, edge, aliases), severity=severity)
        (n, as_is), (within, _), (once, alone) = values  # type: ignore[misc]
        if n <= once or as_is == alone:
            return None
        if n <= within:
            return Weighed(
                f"a row of {one} counts in several groups: the groups' "
                f"{judged.spelled(node)} come to {amount(as_is)} where all rows once give "
                f"{amount(alone)}",
                "say that groups overlap, or divide each row's value among them",
                {"as_is": as_is, "once": alone},
                severity=Severity.DOUBT,
            )
        return Weighed(
            f"{_describe_count(judged.spelled(node), one, many)}, so it is {amount(as_is)} over "
            f"{n:,.0f} rows where each of {once:,.0f} once gives {amount(alone)}",
            f"aggregate {many} in a query of its own, one row for each of {one}, before the join",
            {"as_is": as_is, "once": alone, "rows": n, "rows_once": once},
            fix=_fixed(block, node, edge, aliases),
            severity=severity,
        )

    return Suspicion(judged.spelled(node), weigh, tuple(filter(None, probes)))


def _describe_count(what: str, one: str, many: str) -> str:
    return (
        f"{what} is over rows that the joins repeat: a row of {one} comes once for every row of "
        f"{many} that goes with it"
    )


def _value(node: exp.AggFunc) -> exp.Expr | None:
    """What is aggregated; None where that is not one value a row."""
    return node.this if isinstance(node.this, exp.Expr) and not node.expressions else None


def _keys(block: Block, aliases: list[str]) -> list[exp.Expr] | None:
    """Columns that tell the rows of these sources apart: their keys, or else all they have."""
    found: list[exp.Expr] = []
    for alias in aliases:
        source = block.sources[alias]
        keys = keys_of_source(source, block.judged.catalogue)
        if keys:
            names = min(map(sorted, keys), key=len)
        elif isinstance(source, Table):
            names = [column.name.casefold() for column in source.columns]
        else:
            return None
        found += [exp.column(name, table=alias) for name in names]
    return found


def _once(block: Block, node: exp.AggFunc, value: exp.Expr, keys: list[exp.Expr]) -> str:
    """Number and aggregate of a value over rows that differ in these."""
    named = [exp.alias_(key.copy(), _KEY.format(i)) for i, key in enumerate(keys)]
    rows = block.asking(*named, exp.alias_(value.copy(), _VALUE), distinct=True)
    if not rows:
        return ""
    again = node.copy()
    again.set("this", exp.column(_VALUE))
    return f"SELECT count({_VALUE}), {block.judged.spelled(again)} FROM ({rows}) AS each_once"


def _names(block: Block, alias: str, edge: Edge) -> tuple[str, str]:
    """The source whose rows repeat, and the one that repeats them."""
    far = edge.other if edge.one == alias else edge.one
    if alias not in (edge.one, edge.other):
        keys = keys_of_source(block.sources[edge.one], block.judged.catalogue)
        far = edge.other if any(key <= edge.equal[edge.one] for key in keys) else edge.one
    return _named(block, alias), _named(block, far)


def _named(block: Block, alias: str) -> str:
    source = block.sources[alias]
    return source.name if isinstance(source, Table) else alias


def _fixed(block: Block, node: exp.AggFunc, edge: Edge, aliases: list[str]) -> str:
    """The statement with what repeats rows as a condition, or the key counted once; else empty."""
    judged = block.judged
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Column):
        key = frozenset((node.this.name,))
        if key in keys_of_source(block.sources[node.this.table], judged.catalogue):
            distinct = exp.Count(this=exp.Distinct(expressions=[node.this.copy()]))
            return judged.changed(node, distinct)
    by = edge.other if edge.one in aliases else edge.one
    join = next((j for j in block.joins if j.this.alias_or_name == by), None)
    if join is None or join.side or join.args.get("on") is None or by in aliases:
        return ""
    used = [
        column
        for column in block.select.find_all(exp.Column)
        if column.table == by and column.find_ancestor(exp.Join) is not join
    ]
    counted = any(isinstance(n.this, exp.Star) for n in block.own(exp.Count))
    if used or counted:
        return ""
    there = exp.select("1").from_(join.this.copy()).where(join.args["on"].copy())
    changed = block.select.copy()
    kept = [j for j in changed.args["joins"] if j.this.alias_or_name != by]
    changed.set("joins", kept)
    return judged.changed(block.select, changed.where(exp.Exists(this=there)))
