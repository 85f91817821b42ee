"""Which of DuckDB's own trees are plain queries: every part known, and harmless.

Whatever is not listed here is not plain; it may still be allowed, but the guard has to say so.
A part with a field that is not listed, as another version of DuckDB may have, is not plain either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from services.executor.engines.allowed import FUNCTIONS
from services.executor.engines.known import KnownTable
from services.executor.engines.masked_statement import SPELLING_OUT
from services.executor.engines.plain_parts import (
    FIELDS,
    JOINED_AT,
    JOINS,
    OF_THE_MOMENT,
    OPERATOR_TYPES,
    OPERATORS,
    TYPES,
)

Node = dict[str, Any]


class NotPlain(Exception):
    """A part that is not listed."""


class PlainQuery:
    """Walks one tree; `literals` take the places of its question marks, in order.

    `masked` says that texts may be pseudonyms, which nothing may take apart.
    """

    def __init__(
        self, tables: Sequence[KnownTable], literals: Sequence[Node], *, masked: bool
    ) -> None:
        self._tables = frozenset(table.name.casefold() for table in tables)
        self._hidden = frozenset(name.casefold() for table in tables for name in table.hidden)
        self._functions = (FUNCTIONS | OPERATORS) - (SPELLING_OUT if masked else frozenset())
        self._literals = literals
        self._marks = 0

    def check(self, tree: Node) -> None:
        """Raises NotPlain for anything that is not listed; puts the literals in their places."""
        statements = tree.get("statements", [])
        _require(not tree.get("error") and len(statements) == 1)
        self._query(statements[0], self._tables)
        _require(self._marks == len(self._literals))
        statements[0]["named_param_map"] = []

    def _query(self, holder: Node, names: frozenset[str]) -> None:
        _require(holder.keys() == {"node", "named_param_map"})
        self._node(holder["node"], names)
        holder["named_param_map"] = []

    def _node(self, node: Node, names: frozenset[str]) -> None:
        _listed(node, f"query {node['type']}")
        for entry in node["cte_map"]["map"]:
            value = entry["value"]
            _require(value.keys() == {"aliases", "query", "materialized", "key_targets"})
            _require(value["key_targets"] == [])
            self._query(value["query"], names)
            names = names | {str(entry["key"]).casefold()}
        for modifier in node["modifiers"]:
            self._modifier(modifier, names)
        if node["type"] == "SET_OPERATION_NODE":
            _require(node["setop_type"] in ("UNION", "EXCEPT", "INTERSECT"))
            self._node(node["left"], names)
            self._node(node["right"], names)
            return
        _require(node["sample"] is None)
        _require(node["aggregate_handling"] in ("STANDARD_HANDLING", "FORCE_AGGREGATES"))
        self._table(node["from_table"], names)
        self._all(node["select_list"], names)
        self._all(node["group_expressions"], names)
        self._all([node["where_clause"], node["having"], node["qualify"]], names)

    def _modifier(self, modifier: Node, names: frozenset[str]) -> None:
        _listed(modifier, f"modifier {modifier['type']}")
        self._all(modifier.get("distinct_on_targets", ()), names)
        self._orders(modifier.get("orders", ()), names)
        self._all([modifier.get("limit"), modifier.get("offset")], names)

    def _orders(self, orders: Iterable[Node], names: frozenset[str]) -> None:
        for order in orders:
            _require(order.keys() == {"type", "null_order", "expression"})
            self._expression(order["expression"], names)

    def _table(self, node: Node, names: frozenset[str]) -> None:
        kind = node["type"]
        _listed(node, f"table {kind}")
        _require(node["sample"] is None)
        if kind == "BASE_TABLE":
            _require(node["table_name"].casefold() in names)
            _require(not (node["schema_name"] or node["catalog_name"] or node["at_clause"]))
        elif kind == "JOIN":
            _require(node["join_type"] in JOINS and node["ref_type"] in JOINED_AT)
            _require(not (node["delim_flipped"] or node["duplicate_eliminated_columns"]))
            self._named(node["using_columns"])
            self._table(node["left"], names)
            self._table(node["right"], names)
            self._all([node["condition"]], names)
        elif kind == "SUBQUERY":
            self._query(node["subquery"], names)

    def _named(self, columns: Iterable[str]) -> None:
        """The guard says of a hidden column that it is blocked, which is more than not found."""
        _require(not any(name.casefold() in self._hidden for name in columns))

    def _all(self, nodes: Iterable[Node | None], names: frozenset[str]) -> None:
        for node in nodes:
            if node is not None:
                self._expression(node, names)

    def _expression(self, node: Node, names: frozenset[str]) -> None:
        kind = node["class"]
        _listed(node, kind)
        check: Callable[[PlainQuery, Node, frozenset[str]], None] = _CHECKS[kind]
        check(self, node, names)

    def _column(self, node: Node, names: frozenset[str]) -> None:
        parts = node["column_names"]
        _require(len(parts) == 2 or (len(parts) == 1 and parts[0].lower() not in OF_THE_MOMENT))
        self._named(parts)

    def _constant(self, node: Node, names: frozenset[str]) -> None:
        _plain_type(node["value"]["type"])

    def _parameter(self, node: Node, names: frozenset[str]) -> None:
        place = node["identifier"]
        _require(place.isdigit() and 0 < int(place) <= len(self._literals))
        alias = node["alias"]
        self._marks += 1
        node.clear()
        node.update(self._literals[int(place) - 1])
        node["alias"] = alias

    def _operator(self, node: Node, names: frozenset[str]) -> None:
        _require(node["type"] in OPERATOR_TYPES)
        self._all(node["children"], names)

    def _between(self, node: Node, names: frozenset[str]) -> None:
        self._all([node["input"], node["lower"], node["upper"]], names)

    def _case(self, node: Node, names: frozenset[str]) -> None:
        for branch in node["case_checks"]:
            _require(branch.keys() == {"when_expr", "then_expr"})
            self._all(branch.values(), names)
        self._all([node["else_expr"]], names)

    def _cast(self, node: Node, names: frozenset[str]) -> None:
        _plain_type(node["cast_type"])
        self._all([node["child"]], names)

    def _star(self, node: Node, names: frozenset[str]) -> None:
        lists = ("exclude_list", "replace_list", "qualified_exclude_list", "rename_list", "expr")
        _require(not node["columns"] and not any(node[name] for name in lists))

    def _subquery(self, node: Node, names: frozenset[str]) -> None:
        self._all([node["child"]], names)
        self._query(node["subquery"], names)

    def _function(self, node: Node, names: frozenset[str]) -> None:
        name = node["function_name"]
        self._called(node)
        _require(name != "age" or len(node["children"]) > 1)
        _require(not node["is_operator"] or name in "+-" or len(node["children"]) == 2)
        self._all([*node["children"], node["filter"]], names)
        _listed(node["order_bys"], "modifier ORDER_MODIFIER")
        self._orders(node["order_bys"]["orders"], names)

    def _window(self, node: Node, names: frozenset[str]) -> None:
        self._called(node)
        self._all([*node["children"], *node["partitions"]], names)
        self._orders([*node["orders"], *node["arg_orders"]], names)
        ends = ("start_expr", "end_expr", "offset_expr", "default_expr", "filter_expr")
        self._all([node[end] for end in ends], names)

    def _called(self, node: Node) -> None:
        """A function by its plain name; EXTRACT is read as one of `main`."""
        plain = node["schema"] == "" or (node["schema"], node["function_name"]) == _EXTRACT
        _require(plain and node["catalog"] == "" and node["function_name"] in self._functions)


_EXTRACT = ("main", "date_part")
_CHECKS: Mapping[str, Callable[[PlainQuery, Node, frozenset[str]], None]] = {
    "COLUMN_REF": PlainQuery._column,
    "CONSTANT": PlainQuery._constant,
    "PARAMETER": PlainQuery._parameter,
    "COMPARISON": lambda query, node, names: query._all([node["left"], node["right"]], names),
    "CONJUNCTION": lambda query, node, names: query._all(node["children"], names),
    "OPERATOR": PlainQuery._operator,
    "BETWEEN": PlainQuery._between,
    "CASE": PlainQuery._case,
    "CAST": PlainQuery._cast,
    "STAR": PlainQuery._star,
    "SUBQUERY": PlainQuery._subquery,
    "FUNCTION": PlainQuery._function,
    "WINDOW": PlainQuery._window,
}


def _listed(node: Node, kind: str) -> None:
    _require(node.keys() == FIELDS.get(kind))


def _plain_type(kind: Node) -> None:
    _require(kind.keys() == {"id", "type_info"} and kind["id"] in TYPES)
    value = kind["type_info"]
    _require(value is None or (kind["id"] == "DECIMAL" and not value["extension_info"]))


def _require(held: bool) -> None:
    if not held:
        raise NotPlain
