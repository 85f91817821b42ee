"""The clause in which a statement differs from its twin: by the canonical forms of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.from_sql.form import Form, form_of
from services.planner.domain.query.from_sql.nodes import (
    Node,
    NotExpressibleError,
    aggregated,
    within,
)
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.query.joining.repeats import repeating
from services.planner.domain.statements.parsing import statement
from services.planner.domain.twin.compiling import Twin
from services.planner.domain.twin.spelling import spell

_TIMES = ("date", "datetime")
_MOST = 3


def find_clauses(text: str, twin: Twin, catalogue: Catalogue) -> list[str]:
    """What is otherwise in a statement than in its twin, the likeliest cause first; empty where one
    of them has no canonical form."""
    try:
        ours, theirs = canonical(text, catalogue), canonical(twin.statement, catalogue)
    except NotExpressibleError:
        return []
    times = dates_in(ours, catalogue) ^ dates_in(theirs, catalogue)
    found = [
        *_repeated(ours, theirs, twin, catalogue),
        *_dated(ours, theirs, catalogue),
        *_conditions(ours, theirs, times),
        *_numbers(ours, theirs),
        *_groups(ours, theirs, times),
        *_kept(ours, theirs),
    ]
    return list(dict.fromkeys(found))[:_MOST]


def find_other_columns(text: str, twin: Twin, catalogue: Catalogue) -> str:
    """The other date that a statement goes by than its twin, or the other column that it is split
    by, though both give the same; empty where there is none."""
    try:
        ours, theirs = canonical(text, catalogue), canonical(twin.statement, catalogue)
    except NotExpressibleError:
        return ""
    return next(chain(_dated(ours, theirs, catalogue), _split(ours, theirs)), "")


def canonical(text: str, catalogue: Catalogue) -> Form:
    """The canonical form of a statement. Raises NotExpressibleError."""
    tree = statement(text)
    if not isinstance(tree, exp.Select):
        raise NotExpressibleError("not one SELECT")
    try:
        return form_of(_inlined(tree), catalogue)
    except (ValueError, KeyError, RecursionError) as error:
        raise NotExpressibleError(str(error)) from error


def _inlined(tree: exp.Select) -> exp.Select:
    """The statement with formulas in the place of the names that a table's own query gives them."""
    for inner in list(tree.find_all(exp.Subquery)):
        select = inner.this
        of = select.args.get("from_") if isinstance(select, exp.Select) else None
        given = {name for name, value in select.args.items() if value}
        if of is None or given - {"from_", "expressions", "kind"}:
            continue
        if of.this.name != inner.alias or not isinstance(of.this, exp.Table):
            continue
        formulas = {one.alias: one.this for one in select.selects if isinstance(one, exp.Alias)}
        inner.replace(of.this.copy())
        for column in list(tree.find_all(exp.Column)):
            if column.table == of.this.name and column.name in formulas:
                column.replace(exp.paren(formulas[column.name].copy()))
    return tree


def _repeated(ours: Form, theirs: Form, twin: Twin, catalogue: Catalogue) -> Iterator[str]:
    """Tables that the statement joins, by which rows of the number come several times."""
    base, known = twin.intent.base, {table for _, table in theirs.real}
    for _, table in ours.real:
        if table in known:
            continue
        tree = graph_of(catalogue).tree(base, [table])
        if not tree.missing and repeating(base, tree.relations, catalogue):
            yield f"it joins {table}, by which a row of {base} comes several times"


def _dated(ours: Form, theirs: Form, catalogue: Catalogue) -> Iterator[str]:
    """Another date than the declared one."""
    here, there = dates_in(ours, catalogue), dates_in(theirs, catalogue)
    for mine in sorted(here - there, key=repr):
        for other in sorted(there - here, key=repr):
            yield f"it goes by {spell(mine)}, declared is {spell(other)}"


def _conditions(ours: Form, theirs: Form, nodes: set[Node]) -> Iterator[str]:
    """Conditions of one of them, but those on dates that were told of already."""
    mine, other = _plain(ours.where), _plain(theirs.where)
    for one in sorted(other - mine, key=repr):
        if not _names(one) & nodes:
            yield f"it lacks {spell(one)}"
    for one in sorted(mine - other, key=repr):
        if not _names(one) & nodes:
            yield f"only it has {spell(one)}"


def _numbers(ours: Form, theirs: Form) -> Iterator[str]:
    mine = [node for _, node in ours.outputs if aggregated(node)]
    other = [node for _, node in theirs.outputs if aggregated(node)]
    for one in other:
        if mine and one not in mine:
            yield f"it gives {' and '.join(map(spell, mine[:2]))}, declared is {spell(one)}"


def _groups(ours: Form, theirs: Form, nodes: set[Node]) -> Iterator[str]:
    mine = {node for _, node in ours.outputs if not aggregated(node)} | ours.groups
    other = {node for _, node in theirs.outputs if not aggregated(node)} | theirs.groups
    for one in sorted(other - mine, key=repr):
        if not _names(one) & nodes:
            yield f"it is not split by {spell(one)}"
    for one in sorted(ours.groups - other, key=repr):
        if not _names(one) & nodes:
            yield f"only it is split by {spell(one)}"


def _split(ours: Form, theirs: Form) -> Iterator[str]:
    """Columns that both are split by, which are neither the same nor equal by a join."""
    mine = {node for node in ours.groups - theirs.groups if node.op == "column"}
    other = {node for node in theirs.groups - ours.groups if node.op == "column"}
    equal = [set(one.parts) for one in (*ours.where, *theirs.where) if _joins(one)]
    for one in sorted(mine, key=repr):
        tied = any({one, declared} in equal for declared in other)
        if other and not tied:
            declared = " and ".join(map(spell, sorted(other, key=repr)))
            yield f"it is split by {spell(one)}, declared is {declared}"


def _kept(ours: Form, theirs: Form) -> Iterator[str]:
    for one in sorted(ours.having - theirs.having, key=repr):
        yield f"only it keeps groups by {spell(one)}"
    if ours.distinct and not theirs.distinct:
        yield "only it is DISTINCT"
    if ours.qualify:
        yield "only it has a QUALIFY"


def _plain(conditions: Iterable[Node]) -> set[Node]:
    """Conditions but those that join."""
    return {one for one in conditions if not _joins(one)}


def _joins(one: Node) -> bool:
    return one.op == "eq" and all(_is_column(part) for part in one.parts)


def _is_column(part: Any) -> bool:
    return isinstance(part, Node) and part.op == "column"


def _columns(form: Form) -> set[Node]:
    """Every column that rows are told by, but those by which tables are joined."""
    parts = (*(node for _, node in form.outputs), *_plain(form.where), *form.groups, *form.having)
    return {one for part in parts for one in within(part) if one.op == "column"}


def _names(node: Node) -> set[Node]:
    return {one for one in within(node) if one.op == "column"}


def dates_in(form: Form, catalogue: Catalogue) -> set[Node]:
    """The dates that a statement is split or limited by."""
    real, found = dict(form.real), set[Node]()
    for one in _columns(form):
        table = catalogue.table(real.get(one.parts[0], one.parts[0]))
        column = table.column(one.parts[1]) if table is not None else None
        if column is not None and column.data_type.value in _TIMES:
            found.add(one)
    return found


def keeps_out(condition: Node) -> bool:
    """Whether a condition says what does not count, rather than what is told of: what is not equal,
    missing or too small, but for bounds of time."""
    bounded = any(isinstance(part, Node) and part.op == "moment" for part in condition.parts)
    return condition.op == "not" or (
        condition.op in ("missing", "present", "gt", "ge") and not bounded
    )
