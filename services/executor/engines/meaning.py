"""Whether two texts are one statement to DuckDB, by its own parser.

What the guard checks is sqlglot's reading of a statement, and what runs is that reading written
again. Both are right only if DuckDB reads the two texts alike, so it is asked: it gives its tree
of each, and trees that differ in more than spelling are two statements.
"""

from __future__ import annotations

import re
from typing import Any

import duckdb
from sqlglot import exp

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.own_trees import serialised

# Names of one thing: what the grammar makes of NOT LIKE is a function, NOT (... LIKE ...) is two.
_NEGATED = {
    "~~": "!~~",
    "~~*": "!~~*",
    "like_escape": "not_like_escape",
    "ilike_escape": "not_ilike_escape",
}
_NEGATED_TYPES = {
    "OPERATOR_IS_NULL": "OPERATOR_IS_NOT_NULL",
    "COMPARE_IN": "COMPARE_NOT_IN",
    "COMPARE_NOT_DISTINCT_FROM": "COMPARE_DISTINCT_FROM",
}
_SPELLINGS: dict[str, dict[Any, str]] = {
    "null_order": {"NULLS LAST": "ORDER_DEFAULT"},  # nobody sets default_null_order
    "function_name": {"**": "^"},
    "schema": {"main": ""},
    "catalog": {None: ""},
}


def changed(original: str, *written: str) -> str:
    """What DuckDB reads otherwise in one of the written texts, in words; empty if nothing.

    Raises ToolError(SQL_SYNTAX) where DuckDB cannot read the original.
    """
    first, *others = _trees(original, *written)
    for other in others:
        if found := _difference(first, other, "the statement"):
            return found
    return ""


def bracketed(tree: exp.Expr) -> exp.Expr:
    """A copy with brackets around every operation.

    DuckDB reads it as it reads the statement only if both bind the operators alike.
    """
    copy = tree.copy()
    for node in list(copy.walk(bfs=False)):
        operation = isinstance(node, (exp.Binary, exp.Between, exp.In, exp.Neg, exp.Not))
        if not operation or isinstance(node, _NO_OPERATIONS):
            continue
        if isinstance(node.parent, (exp.Paren, exp.Escape, exp.Filter, exp.Interval)):
            continue
        if isinstance(node.parent, exp.Not) and isinstance(node, exp.Is):
            continue
        brackets = exp.Paren()
        node.replace(brackets)
        brackets.set("this", node)
    return copy


_NO_OPERATIONS = (exp.Dot, exp.Kwarg, exp.PropertyEQ, exp.Slice, exp.Collate, exp.Func)


def _trees(*statements: str) -> list[Any]:
    try:
        trees = serialised(statements)
    except (duckdb.Error, UnicodeError):
        raise ToolError(ErrorCategory.SQL_SYNTAX, "the statement cannot be read.") from None
    if trees[0]["error"]:
        raise _syntax(trees[0], statements[0])
    return [_plain(tree.get("statements")) for tree in trees]


_NAMING = " A name of a result that is also a word of SQL (days, share) needs AS before it."


def _syntax(answer: dict[str, Any], statement: str) -> ToolError:
    near = re.search(r'at or near "(.+?)"', str(answer.get("error_message")))
    position = str(answer.get("position") or "")
    details: dict[str, Any] = {}
    where = ""
    if position.isdigit() and int(position) <= len(statement):
        before = statement[: int(position)]  # DuckDB counts characters
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        where, details = f" at line {line}, column {column}", {"line": line, "column": column}
    shown = f' near "{near[1][:40]}"' if near else ""
    return ToolError(
        ErrorCategory.SQL_SYNTAX,
        f"the statement cannot be parsed{where}{shown}.",
        hint="Statements are written in DuckDB's dialect."
        + (_NAMING if near and near[1].isidentifier() else ""),
        details=details,
    )


def _plain(node: Any) -> Any:
    """The tree without places, and with one name for one thing."""
    if isinstance(node, list):
        return [_plain(one) for one in node]
    if not isinstance(node, dict):
        return node
    plain: dict[str, Any] = {}
    for key, value in node.items():
        spelled = _SPELLINGS.get(key)
        same = spelled is not None and not isinstance(value, (list, dict)) and value in spelled
        plain[key] = spelled[value] if spelled and same else _plain(value)
    return _without_detours(plain)


def _without_detours(node: dict[str, Any]) -> dict[str, Any]:
    kind, children = node.get("type"), node.get("children")
    if "UNBOUND" in str(kind) and "name" in node:
        return {**node, "name": str(node["name"]).lower()}
    if node.get("function_name") == "list_value":
        return {"type": "ARRAY_CONSTRUCTOR", "alias": node.get("alias"), "children": children}
    if kind == "ARRAY_CONSTRUCTOR":
        return {"type": kind, "alias": node.get("alias"), "children": children}
    if not children:
        return node
    if kind in ("CONJUNCTION_AND", "CONJUNCTION_OR"):
        flat = [
            inner
            for child in children
            for inner in (child["children"] if child.get("type") == kind else [child])
        ]
        return {**node, "children": flat}
    if kind == "OPERATOR_NOT":
        return _negated(node, children[0])
    if node.get("function_name") == "+" and len(children) == 1:
        return {**children[0], "alias": node.get("alias")}
    return node


def _negated(node: dict[str, Any], inner: dict[str, Any]) -> dict[str, Any]:
    name, kind = inner.get("function_name"), inner.get("type")
    if name in _NEGATED:
        return {**inner, "function_name": _NEGATED[name], "alias": node.get("alias")}
    if kind in _NEGATED_TYPES:
        return {**inner, "type": _NEGATED_TYPES[kind], "alias": node.get("alias")}
    return node


def _difference(one: Any, other: Any, inside: str) -> str:
    """The innermost named part that differs."""
    if isinstance(one, dict) and isinstance(other, dict):
        if _name(one) != _name(other):
            return _name(one) if "function_name" in one else inside
        here = _name(one) or inside
        for key in one.keys() | other.keys():
            if found := _difference(one.get(key), other.get(key), here):
                return found
        return ""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return next(filter(None, map(_difference, one, other, [inside] * len(one))), "")
    return "" if one == other else inside


def _name(node: dict[str, Any]) -> str:
    if name := node.get("function_name"):
        return f"{name}()" if str(name).isidentifier() else f"the operator {name}"
    kind = str(node.get("type") or "")
    if kind.startswith(("OPERATOR_", "COMPARE_", "CONJUNCTION_")):
        return kind.partition("_")[2].replace("_", " ")
    return ""
