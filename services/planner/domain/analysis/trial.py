"""Whether a recipe still fits the data it was made for, tried before it is used.

Schemas can stay equal while values change: a plan that looks for a value that is gone would find
nothing, where planning afresh may find it under another name or in another column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from services.planner.domain.analysis.recipe import Recipe
from services.planner.domain.catalogue import Catalogue, DataType, ValueLookup

_EXACT = 0.99


async def misfit(
    recipe: Recipe, intent: Mapping[str, Any], catalogue: Catalogue, lookup: ValueLookup
) -> str:
    """Why a recipe's filled intent does not fit the data any more; empty when it fits."""
    own = {(str(d["table"]), str(d["column"])) for d in intent.get("defined", ())}
    for table, column in _fields(intent):
        if (table, column) in own:
            continue
        found = catalogue.table(table)
        if found is None or found.column(column) is None:
            return f"there is no column {table}.{column} any more"
    for place, kind in recipe.plan_structure.get("columns", {}).items():
        table_name, _, name = place.rpartition(".")
        table_now = catalogue.table(table_name)
        now = table_now.column(name) if table_now is not None else None
        if now is not None and now.data_type.value != kind:
            return f"{place} is {now.data_type.value} now, not {kind}"
    wanted = {
        str(_at(intent, path)): parameter.column
        for parameter in recipe.parameters
        if parameter.type == "value" and _is_text(parameter.column, catalogue)
        for path, _ in recipe.plan_structure["places"][parameter.name]
    }
    hits = await lookup(list(wanted)) if wanted else []
    there = {(hit.value, f"{hit.table}.{hit.column}") for hit in hits if hit.score >= _EXACT}
    gone = [(value, column) for value, column in wanted.items() if (value, column) not in there]
    return f"{gone[0][0]!r} is no value of {gone[0][1]} any more" if gone else ""


def _is_text(place: str, catalogue: Catalogue) -> bool:
    """Whether a "table.column" holds text, which is what values are looked up in."""
    for table in catalogue.tables:
        for column in table.columns:
            if f"{table.name}.{column.name}" == place:
                return column.data_type is DataType.STRING
    return False


def _fields(node: Any) -> Iterator[tuple[str, str]]:
    """Every column that an intent's JSON names."""
    if isinstance(node, Mapping):
        if node.get("kind") == "field":
            yield str(node["table"]), str(node["column"])
        for value in node.values():
            yield from _fields(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _fields(value)


def _at(intent: Any, path: list[str | int]) -> Any:
    node = intent
    for key in path:
        node = node[key]
    return node
