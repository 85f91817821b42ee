"""Whether the columns of leaves hold values that can be compared, by their description."""

from __future__ import annotations

from mesh.errors import LEAF_VALUES_NOT_USABLE, AssayError
from services.planner.domain.catalogue import Column, DataType, Table
from services.planner.domain.investigation.ground import LeafColumns
from services.planner.domain.investigation.wording import counted

_NUMBERS = (DataType.INTEGER, DataType.FLOAT)
_KINDS = {
    DataType.STRING: "texts",
    DataType.BOOLEAN: "yes and no",
    DataType.DATE: "dates",
    DataType.DATETIME: "times",
}


def check_values(table: Table, leaf: LeafColumns) -> None:
    """Raises AssayError(LEAF_VALUES_NOT_USABLE) for no rows, for values that are no numbers or all
    missing, for a forecast of zeros alone, and for denominators that are negative or all zero."""
    if not table.rows:
        raise _unusable("real_column", f"{table.source_name} has no rows")
    columns = _columns(table, leaf)
    for column, field in columns:
        if column.data_type not in _NUMBERS:
            raise _unusable(
                field,
                f"{column.name} holds {_KINDS[column.data_type]}, not numbers",
                "Name another column, or say how the file is read: --read "
                f"type.{column.name}=number.",
            )
        if column.nulls >= table.rows:
            raise _unusable(field, f"{column.name} has no value in any of its rows")
    for column, field in columns:
        if field == "predicted_column" and _is(column, 0.0, 0.0):
            raise _unusable(
                field,
                f"{column.name} is 0 in every leaf: there is no forecast to compare with",
            )
    for column, field in columns[2:]:
        if (_number(column.minimum) or 0.0) < 0:
            raise _unusable(
                field,
                f"{column.name} is below 0 in some leaves: what values are shared out over "
                "cannot be",
            )
        if _is(column, 0.0, 0.0):
            raise _unusable(field, f"{column.name} is 0 in every leaf: there is no ratio to it")


def describe_values(table: Table, leaf: LeafColumns) -> tuple[str, ...]:
    """What people should know of the values: those that are missing or below zero."""
    texts = []
    for column, _ in _columns(table, leaf):
        if column.nulls:
            texts.append(
                f"{counted(column.nulls, 'row')} of {table.rows:,} "
                f"{'has' if column.nulls == 1 else 'have'} no {column.name}: "
                f"{'it counts' if column.nulls == 1 else 'they count'} as 0"
            )
        if (_number(column.minimum) or 0.0) < 0:
            texts.append(
                f"{column.name} is below 0 in some leaves: shares of the difference may mislead"
            )
    return tuple(texts)


def _columns(table: Table, leaf: LeafColumns) -> list[tuple[Column, str]]:
    """The columns with the request's field that names each: values first, then what they are of."""
    names = [leaf.real, leaf.predicted, leaf.real_denominator, leaf.predicted_denominator]
    fields = ["real_column", "predicted_column"] * 2
    found = [(table.column(name), field) for name, field in zip(names, fields, strict=True) if name]
    return [(column, field) for column, field in found if column is not None]


def _is(column: Column, low: float, high: float) -> bool:
    return _number(column.minimum) == low and _number(column.maximum) == high


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _unusable(field: str, message: str, hint: str = "") -> AssayError:
    fields = {f"investigation.{field}": "holds no values that can be compared"}
    return AssayError(LEAF_VALUES_NOT_USABLE, message, hint=hint, fields=fields)
