"""As `ordering`, for DuckDB's own trees: one order of rows, and a limit where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Node = dict[str, Any]
_EVERYTHING: Node = {
    "class": "STAR",
    "type": "STAR",
    "alias": "",
    "relation_name": "",
    "exclude_list": [],
    "replace_list": [],
    "columns": True,
    "expr": None,
    "qualified_exclude_list": [],
    "rename_list": [],
}


def put_in_order(query: Node, row_limit: int) -> None:
    """Change the query so that its rows come in a fixed order, at most one more than the limit."""
    modifiers = query["modifiers"]
    limited = any(modifier["type"] == "LIMIT_MODIFIER" for modifier in modifiers)
    order = next((one for one in modifiers if one["type"] == "ORDER_MODIFIER"), None)
    if order is not None:
        _break_ties(query, order["orders"])
    elif not limited and not _keeps_source_order(query):
        modifiers.append({"type": "ORDER_MODIFIER", "orders": [_by(_EVERYTHING)]})
    if not limited:
        most = _number(row_limit + 1)
        modifiers.append({"type": "LIMIT_MODIFIER", "limit": most, "offset": None})


def _break_ties(query: Node, orders: list[Node]) -> None:
    terms = [order["expression"] for order in orders]
    outputs = _outputs(query)
    if any(term["class"] == "STAR" for term in [*terms, *outputs]):
        return
    for position, output in enumerate(outputs, start=1):
        spelled = [{**output, "alias": ""}, _number(position)]
        if name := _name(output):
            spelled.append({**_COLUMN, "column_names": [name]})
        if not any(spelling in terms for spelling in spelled):
            orders.append(_by(_number(position)))


_COLUMN = {"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": ""}


def _name(output: Node) -> str:
    """What ORDER BY can call it."""
    if output["alias"] or output["class"] != "COLUMN_REF":
        return str(output["alias"])
    return str(output["column_names"][-1])


def _outputs(query: Node) -> list[Node]:
    while query["type"] != "SELECT_NODE":
        query = query["left"]
    outputs: list[Node] = query["select_list"]
    return outputs


def _keeps_source_order(query: Node) -> bool:
    if query["type"] != "SELECT_NODE" or query["cte_map"]["map"] or query["modifiers"]:
        return False
    if query["group_expressions"] or query["aggregate_handling"] != "STANDARD_HANDLING":
        return False
    if query["from_table"]["type"] != "BASE_TABLE":
        return False
    return not any(part.get("class") in ("WINDOW", "SUBQUERY") for part in _parts(query))


def _parts(node: Any) -> Iterator[Node]:
    if isinstance(node, dict):
        yield node
        node = node.values()
    elif not isinstance(node, list):
        return
    for one in node:
        yield from _parts(one)


def _by(expression: Node) -> Node:
    return {"type": "ORDER_DEFAULT", "null_order": "ORDER_DEFAULT", "expression": expression}


def _number(value: int) -> Node:
    return {
        "class": "CONSTANT",
        "type": "VALUE_CONSTANT",
        "alias": "",
        "value": {"type": {"id": "INTEGER", "type_info": None}, "is_null": False, "value": value},
    }
