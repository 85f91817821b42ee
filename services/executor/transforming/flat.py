"""Seed 000's flat form of df.transform, brought to the form with steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_FUNCTIONS = {"mean": "avg", "average": "avg", "std": "stddev", "nunique": "count_distinct"}
_OPERATIONS = {"group_by": "aggregate", "groupby": "aggregate", "project": "select"}


def steps_of_flat(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """`{"operation": ..., "columns": [...], "aggregation": ...}` as one step.

    aggregate: group by all columns but the last, aggregate the last; with the aggregation "count"
    group by all of them and count rows. pivot: columns are index, columns, values. select: keep
    columns. sort: order by columns, downwards when the aggregation is "desc". Any other operation
    is taken as a step as it stands. Raises ValueError when columns are missing.
    """
    rest = dict(arguments)
    given = {"input": rest.pop("input")} if "input" in rest else {}
    operation = _OPERATIONS.get(str(rest["operation"]), str(rest["operation"]))
    flat = set(rest) <= {"operation", "columns", "aggregation"}
    step: dict[str, Any] = {**rest, "operation": operation}
    if flat and operation in ("aggregate", "pivot", "select", "sort"):
        step = _flat_step(operation, list(rest.get("columns", ())), rest.get("aggregation"))
    return {**given, "steps": [step]}


def _flat_step(operation: str, columns: list[Any], aggregation: Any) -> dict[str, Any]:
    if not columns:
        raise ValueError(f"{operation} needs columns")
    function = _FUNCTIONS.get(str(aggregation), aggregation)
    if operation == "select":
        return {"operation": "select", "columns": columns}
    if operation == "sort":
        keys = [{"column": name, "descending": aggregation == "desc"} for name in columns]
        return {"operation": "sort", "by": keys}
    if operation == "pivot":
        if len(columns) != 3:
            raise ValueError("pivot needs three columns: index, columns, values")
        index, across, values = columns
        step = {"operation": "pivot", "index": [index], "columns": across, "values": values}
        return {**step, "function": function or "sum"}
    if function == "count":
        return {"operation": "aggregate", "by": columns, "measures": [{"function": "count"}]}
    measure = {"function": function or "sum", "column": columns[-1], "name": columns[-1]}
    return {"operation": "aggregate", "by": columns[:-1], "measures": [measure]}
