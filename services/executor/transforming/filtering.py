"""Filter: conditions on single columns, with values as bound parameters."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field
from typing import Any

from services.executor.transforming.relation import Column, Family, Relation, type_mismatch
from services.executor.transforming.steps import Filter
from services.executor.transforming.terms import Condition, Operator
from services.executor.transforming.workspace import Workspace

_SYMBOLS = {
    Operator.EQ: "=",
    Operator.NE: "<>",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.GT: ">",
    Operator.GE: ">=",
}
_TEXT_FUNCTIONS = {
    Operator.CONTAINS: "contains",
    Operator.STARTS_WITH: "starts_with",
    Operator.ENDS_WITH: "ends_with",
}
_BARE_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def filter_rows(step: Filter, relation: Relation, space: Workspace) -> Relation:
    """The rows for which all or any conditions hold; says so when none do."""
    bound = _Bound()
    word = " AND " if step.match == "all" else " OR "
    where = word.join(f"({_test(c, relation, bound)})" for c in step.conditions)
    kept = space.table(f"SELECT * FROM {relation.sql} WHERE {where}", bound.values)
    if not space.count(kept):
        space.notes.append(f"filter: 0 of {space.count(relation):,} rows match")
    return kept


@dataclass
class _Bound:
    """Values by the parameter name that stands for them in SQL."""

    values: dict[str, Any] = field(default_factory=dict)

    def add(self, value: Any) -> str:
        name = f"p{len(self.values) + 1}"
        self.values[name] = value
        return f"${name}"


def _test(condition: Condition, relation: Relation, bound: _Bound) -> str:
    column = relation.column(condition.column)
    operator, value = condition.operator, condition.value
    if operator is Operator.IS_NULL:
        return f"{column.sql} IS NULL"
    if operator is Operator.NOT_NULL:
        return f"{column.sql} IS NOT NULL"
    values = value if isinstance(value, tuple) else (value,)
    if operator in _TEXT_FUNCTIONS and column.family is not Family.TEXT:
        raise type_mismatch(column, operator.value, "it needs a text column")
    left, rights = _sides(column, values, condition, bound)
    if operator in _TEXT_FUNCTIONS:
        return f"{_TEXT_FUNCTIONS[operator]}({left}, {rights[0]})"
    if operator is Operator.BETWEEN:
        return f"{left} BETWEEN {rights[0]} AND {rights[1]}"
    if operator is Operator.IN:
        return f"{left} IN ({', '.join(rights)})" if rights else "FALSE"
    if operator is Operator.NOT_IN:
        return f"{left} NOT IN ({', '.join(rights)})" if rights else f"{column.sql} IS NOT NULL"
    return f"{left} {_SYMBOLS[operator]} {rights[0]}"


def _sides(
    column: Column, values: tuple[Any, ...], condition: Condition, bound: _Bound
) -> tuple[str, list[str]]:
    """The column's and the values' SQL, brought to one type. Raises ToolError TYPE_MISMATCH."""
    operation = f"filter {condition.operator.value}"
    match column.family:
        case Family.NUMBER:
            numbers = [_number(value, column, operation) for value in values]
            # A 32-bit float never equals the 64-bit one of the same decimal text.
            wrap = "CAST({} AS FLOAT)" if column.type == "FLOAT" else "{}"
            return column.sql, [wrap.format(bound.add(number)) for number in numbers]
        case Family.TEXT:
            left = f"CAST({column.sql} AS VARCHAR)"
            rights = [f"CAST({bound.add(_text(value))} AS VARCHAR)" for value in values]
            if condition.ignore_case:
                return f"lower({left})", [f"lower({right})" for right in rights]
            return left, rights
        case Family.BOOLEAN:
            truths = [_boolean(value, column, operation) for value in values]
            return column.sql, [bound.add(truth) for truth in truths]
        case Family.TIME:
            return _times(column, values, operation, bound)
    raise type_mismatch(column, operation, "its values cannot be compared with a given value")


def _times(
    column: Column, values: tuple[Any, ...], operation: str, bound: _Bound
) -> tuple[str, list[str]]:
    moments = [_moment(value, column, operation) for value in values]
    whole_days = all(_BARE_DATE.fullmatch(str(value)) for value in values)
    if whole_days:
        left = column.sql if column.type == "DATE" else f"CAST({column.sql} AS DATE)"
        return left, [bound.add(moment.date()) for moment in moments]
    zoned = "TIMESTAMPTZ" if column.type == "TIMESTAMP WITH TIME ZONE" else "TIMESTAMP"
    utc = [
        moment.astimezone(datetime.UTC).replace(tzinfo=None) if moment.tzinfo else moment
        for moment in moments
    ]
    rights = [f"CAST(CAST({bound.add(moment)} AS TIMESTAMP) AS {zoned})" for moment in utc]
    return f"CAST({column.sql} AS {zoned})", rights


def _moment(value: Any, column: Column, operation: str) -> datetime.datetime:
    try:
        return datetime.datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise type_mismatch(
            column, operation, f"{value!r} is no ISO date such as 2021-03-31", value=value
        ) from error


def _number(value: Any, column: Column, operation: str) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    try:
        return int(value) if re.fullmatch(r"[+-]?\d+", value.strip()) else float(value)
    except (AttributeError, ValueError) as error:
        raise type_mismatch(column, operation, f"{value!r} is no number", value=value) from error


def _boolean(value: Any, column: Column, operation: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if value in (0, 1):
        return bool(value)
    raise type_mismatch(column, operation, f"{value!r} is neither true nor false", value=value)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
