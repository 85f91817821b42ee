"""What kind of values a column holds."""

from __future__ import annotations

import re

from services.planner.domain.catalogue import (
    Column,
    ColumnRole,
    DataType,
)

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def numeric(data_type: DataType) -> bool:
    """True for types that can be summed."""
    return data_type in (DataType.INTEGER, DataType.FLOAT)


def holds_numbers(column: Column) -> bool:
    """True for numbers, and for text that is nothing but numbers."""
    if numeric(column.data_type):
        return True
    text = column.data_type is DataType.STRING and column.role is not ColumnRole.ID
    return text and bool(column.samples) and all(_NUMBER.fullmatch(s) for s in column.samples)


def is_measure(role: ColumnRole, data_type: DataType) -> bool:
    """True for columns whose values are quantities rather than names or keys."""
    return role is ColumnRole.MEASURE and numeric(data_type)
