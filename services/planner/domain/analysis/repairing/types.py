"""Texts that are computed with: read as numbers or times where they are some, else left out."""

from __future__ import annotations

import re
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from services.planner.domain.analysis.planning import Repair, RepairInput
from services.planner.domain.catalogue import DataType
from services.planner.domain.statements.parsing import (
    DIALECT,
    rendered,
    statement,
    tables_of,
)

_NUMBER, _TIME = "DOUBLE", "TIMESTAMP"
_TIME_CALLS = re.compile(
    r"^(date_?trunc|date_?part|date_?diff|date_?add|extract|year|quarter|month|week|day|hour|"
    r"dayname|monthname|strftime|dayofweek|isodow|last_day|timestamp_?trunc|time_?to_?str)$"
)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_ORDERING = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.NEQ)
_NOT_CALCULATING = (
    exp.Count,
    exp.Min,
    exp.Max,
    exp.Coalesce,
    exp.Lower,
    exp.Upper,
    exp.Trim,
    exp.Length,
    exp.Concat,
    exp.ConcatWs,
    exp.Substring,
    exp.Cast,
    exp.TryCast,
    exp.And,
    exp.Or,
    exp.Case,
)


def repair_mismatch(given: RepairInput) -> Repair | None:
    """The call with the unfit values cast; what cannot be cast becomes null."""
    if isinstance(query := given.call.arguments.get("query"), str):
        return _in_query(given, query)
    if isinstance(given.call.arguments.get("steps"), list | tuple):
        return _in_steps(given)
    return None


def _in_query(given: RepairInput, query: str) -> Repair | None:
    tree = statement(query)
    if tree is None:
        return None
    cast = _cast_texts(tree, given) or _cast_softly(tree)
    if not cast:
        return None
    return Repair(
        arguments={**given.call.arguments, "query": rendered(tree)},
        reason=_reason(cast),
        caveat=_caveat(cast),
    )


def _cast_texts(tree: exp.Query, given: RepairInput) -> dict[str, str]:
    """Wrap text columns that are computed with; returns each one's new type."""
    named = given.observation.error_details.get("column")
    call = str(given.observation.error_details.get("call") or "").partition("(")[0].casefold()
    cast: dict[str, str] = {}
    for column in list(tree.find_all(exp.Column)):
        kind = _needed(column, call)
        intended = isinstance(named, str) and column.name.casefold() == named.casefold()
        if kind is None or not (intended or _is_text(column, tree, given)):
            continue
        column.replace(exp.TryCast(this=column.copy(), to=exp.DataType.build(kind)))
        cast[column.name] = kind
    return cast


def _needed(column: exp.Column, call: str) -> str | None:
    """The type that the column's surroundings need of it; None where text will do."""
    parent = column.parent
    if isinstance(parent, exp.Paren):
        parent = parent.parent
    if isinstance(parent, _ARITHMETIC):
        return _NUMBER
    if isinstance(parent, _ORDERING):
        other = parent.expression if parent.this is column else parent.this
        return _NUMBER if isinstance(other, exp.Literal) and not other.is_string else None
    if isinstance(parent, exp.Between):
        low = parent.args.get("low")
        return _NUMBER if isinstance(low, exp.Literal) and not low.is_string else None
    if isinstance(parent, exp.Func) and not isinstance(parent, _NOT_CALCULATING):
        name = (parent.name if isinstance(parent, exp.Anonymous) else parent.sql_name()).casefold()
        if _TIME_CALLS.match(name) or _TIME_CALLS.match(call):
            return _TIME
        return _NUMBER if isinstance(parent, exp.AggFunc) or name == call else None
    return None


def _is_text(column: exp.Column, tree: exp.Query, given: RepairInput) -> bool:
    tables = tables_of(tree, given.catalogue)
    own = tables.get(column.table.casefold()) if column.table else None
    for table in [own] if own is not None else tables.values():
        for known in table.columns:
            if known.name.casefold() == column.name.casefold():
                return known.data_type is DataType.STRING
    return False


def _cast_softly(tree: exp.Query) -> dict[str, str]:
    """Casts that fail on a value become casts that give null; returns each one's type."""
    cast: dict[str, str] = {}
    for node in list(tree.find_all(exp.Cast)):
        if isinstance(node, exp.TryCast):
            continue
        inner = node.this
        name = inner.name or rendered(inner)
        cast[name] = node.to.sql(dialect=DIALECT)
        node.replace(exp.TryCast(this=inner.copy(), to=node.to.copy()))
    return cast


def _in_steps(given: RepairInput) -> Repair | None:
    details = given.observation.error_details
    steps = list(given.call.arguments["steps"])
    number = details.get("step")
    place = number - 1 if isinstance(number, int) and 1 <= number <= len(steps) else 0
    column = details.get("column")
    if not isinstance(column, str) or not column:
        return _soft_expression(given, steps, place)
    kind = _TIME if details.get("operation") == "resample" else _NUMBER
    quoted = column.replace('"', '""')
    derive = {
        "operation": "derive",
        "column": column,
        "expression": f'TRY_CAST("{quoted}" AS {kind})',
    }
    if derive in steps:
        return None
    changed = [*steps[:place], derive, *steps[place:]]
    return Repair(
        arguments={**given.call.arguments, "steps": changed},
        reason=_reason({column: kind}),
        caveat=_caveat({column: kind}),
    )


def _soft_expression(given: RepairInput, steps: list[Any], place: int) -> Repair | None:
    """A derive step that failed on a value, with casts that give null instead."""
    step = steps[place]
    text = step.get("expression") if isinstance(step, dict) else None
    if not isinstance(text, str):
        return None
    try:
        tree = sqlglot.parse_one(f"SELECT {text}", dialect=DIALECT)
    except SqlglotError:
        return None
    cast = _cast_softly(tree) if isinstance(tree, exp.Select) else {}
    if not isinstance(tree, exp.Select) or not cast:
        return None
    steps[place] = {**step, "expression": rendered(tree.selects[0])}
    return Repair(
        arguments={**given.call.arguments, "steps": steps},
        reason=_reason(cast),
        caveat=_caveat(cast),
    )


def _reason(cast: dict[str, str]) -> str:
    texts = [f'"{name}" as {_word(kind)}' for name, kind in cast.items()]
    return "read " + " and ".join(texts)


def _caveat(cast: dict[str, str]) -> str:
    return " ".join(
        f'Values of "{name}" that are not {_word(kind)} were left out.'
        for name, kind in cast.items()
    )


def _word(kind: str) -> str:
    return "dates" if kind.upper().startswith(("DATE", "TIME")) else "numbers"
