"""Columns and tables that are not there: the name that was meant, wherever the call says it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from services.planner.domain.analysis.planning import Repair, RepairInput
from services.planner.domain.statements.parsing import (
    DIALECT,
    closest,
    mentioned,
    rendered,
    statement,
    tables_of,
)

# Arguments of df.transform, plot.render and profiler.analyze whose texts name columns.
_COLUMN_KEYS = frozenset(
    {
        "column",
        "columns",
        "by",
        "of",
        "index",
        "values",
        "partition_by",
        "per",
        "left",
        "right",
        "x_col",
        "y_col",
        "series_col",
    }
)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.In, exp.Like, exp.ILike)


def repair_missing(given: RepairInput) -> Repair | None:
    """The call with the closest name in place of the missing one."""
    details = given.observation.error_details
    if isinstance(table := details.get("table"), str):
        return _table(given, table)
    name = details.get("column")
    if not isinstance(name, str) or not name:
        return None
    name = name.rpartition(".")[2] or name
    if isinstance(query := given.call.arguments.get("query"), str):
        return _in_query(given, query, name)
    choice = closest(name, _not_tried(given, _candidates(given)))
    if choice is None:
        return None
    changed = _in_arguments(given.call.arguments, name, choice, details.get("step"))
    return Repair(arguments=changed, reason=_reason("column", name, choice))


def _in_query(given: RepairInput, query: str, name: str) -> Repair | None:
    tree = statement(query)
    if tree is None:
        return None
    places = [c for c in tree.find_all(exp.Column) if c.name.casefold() == name.casefold()]
    choice = closest(name, _not_tried(given, _columns_in(tree, places, given, name)))
    if choice is not None:
        for place in places:
            place.set("this", exp.to_identifier(choice, quoted=True))
        return _changed(given, tree, _reason("column", name, choice))
    if _are_texts(places):
        for place in places:
            place.replace(exp.Literal.string(name))
        return _changed(given, tree, f"'{name}' is text, not a column: double quotes → single")
    return None


def _columns_in(
    tree: exp.Query, places: list[exp.Column], given: RepairInput, name: str
) -> list[str]:
    """Columns of the query's tables (of the one that qualifies the name, where one does)."""
    tables = tables_of(tree, given.catalogue)
    qualifiers = {place.table.casefold() for place in places if place.table}
    if len(qualifiers) == 1 and (qualified := tables.get(next(iter(qualifiers)))):
        return [column.name for column in qualified.stored]
    there = [column.name for table in tables.values() for column in table.stored]
    outputs = [alias.alias for alias in tree.find_all(exp.Alias) if alias.alias]
    offered = [c for c in _candidates(given) if c in there] if there else _candidates(given)
    others = there + outputs + offered
    return [choice for choice in others if choice.casefold() != name.casefold() or choice in there]


def _are_texts(places: list[exp.Column]) -> bool:
    """Whether every place is a quoted name compared with something: "Germany" for 'Germany'."""
    return bool(places) and all(
        isinstance(place.parent, _COMPARISONS)
        and place.parent.this is not place
        and not place.table
        and place.this.args.get("quoted")
        for place in places
    )


def _table(given: RepairInput, name: str) -> Repair | None:
    query = given.call.arguments.get("query")
    tree = statement(query) if isinstance(query, str) else None
    if tree is None:
        return None
    named = [node for node in tree.find_all(exp.Table) if node.name.casefold() == name.casefold()]
    if named:
        choice = closest(name, _not_tried(given, [t.name for t in given.catalogue.tables]))
        for node in named if choice else ():
            if not node.alias:
                # Columns qualified with the old name go on meaning this table.
                node.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
            node.set("this", exp.to_identifier(choice, quoted=True))
    else:
        choice = closest(
            name, _not_tried(given, (t.alias_or_name for t in tree.find_all(exp.Table)))
        )
        for column in tree.find_all(exp.Column) if choice else ():
            if column.table.casefold() == name.casefold():
                column.set("table", exp.to_identifier(choice, quoted=True))
    return _changed(given, tree, _reason("table", name, choice)) if choice else None


def _candidates(given: RepairInput) -> list[str]:
    offered = given.observation.error_details.get("candidates")
    return [str(name) for name in offered] if isinstance(offered, list | tuple) else []


def _not_tried(given: RepairInput, names: Iterable[str]) -> list[str]:
    tried = mentioned(given.call.change_reason)
    return [name for name in dict.fromkeys(names) if name not in tried]


def _changed(given: RepairInput, tree: exp.Query, reason: str) -> Repair:
    return Repair(arguments={**given.call.arguments, "query": rendered(tree)}, reason=reason)


def _reason(what: str, name: str, choice: str) -> str:
    return f'{what} "{name}" → "{choice}"'


def _in_arguments(
    arguments: dict[str, Any], name: str, choice: str, step: object
) -> dict[str, Any]:
    steps = arguments.get("steps")
    if isinstance(step, int) and isinstance(steps, list | tuple) and 1 <= step <= len(steps):
        renamed = [
            _renamed(item, name, choice) if position == step else item
            for position, item in enumerate(steps, start=1)
        ]
        return {**arguments, "steps": renamed}
    changed = _renamed(arguments, name, choice)
    return changed if isinstance(changed, dict) else arguments


def _renamed(node: Any, name: str, choice: str, *, names_column: bool = False) -> Any:
    """The node with every text that names the column changed; other texts are left alone."""
    if isinstance(node, dict):
        joins = node.get("operation") == "join"
        return {
            _key(key, name, choice, inside=names_column): _expression(value, name, choice)
            if key == "expression" and isinstance(value, str)
            else _renamed(
                value,
                name,
                choice,
                names_column=key == "rename"
                or (key in _COLUMN_KEYS and not (joins and key == "right")),
            )
            for key, value in node.items()
        }
    if isinstance(node, list | tuple):
        return [_renamed(item, name, choice, names_column=names_column) for item in node]
    intended = isinstance(node, str) and names_column and node.casefold() == name.casefold()
    return choice if intended else node


def _key(key: str, name: str, choice: str, *, inside: bool) -> str:
    """Keys of `rename` name columns too."""
    return choice if inside and key.casefold() == name.casefold() else key


def _expression(text: str, name: str, choice: str) -> str:
    try:
        tree = sqlglot.parse_one(text, dialect=DIALECT, into=exp.Condition)
    except SqlglotError:
        return text
    for column in list(tree.find_all(exp.Column)):
        if column.name.casefold() == name.casefold():
            column.set("this", exp.to_identifier(choice, quoted=True))
    return rendered(tree)
