"""Definitions in short forms, as the part of a semantic model that they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mesh.errors import INVALID_ARGUMENT, AssayError


def definition_text(
    metrics: Sequence[str] = (),
    times: Sequence[str] = (),
    joins: Sequence[str] = (),
    values: Sequence[str] = (),
) -> str:
    """The YAML of definitions such as these; empty where there are none.

    metric: "orders.net revenue = quantity * price"; time: "orders = placed_on"; join:
    "lines.order_no = orders.id"; value: "orders.region.NO = Norway, Norge". Raises
    AssayError(INVALID_ARGUMENT) for other forms.
    """
    import yaml

    tables: dict[str, dict[str, Any]] = {}
    for text in metrics:
        (table, name), formula = _parted(text, 2, "metric", "TABLE.NAME = FORMULA")
        _part(tables, table, "metrics")[name] = {"formula": formula}
    for text in times:
        (table,), column = _parted(text, 1, "time", "TABLE = COLUMN")
        tables.setdefault(table, {})["time"] = column
    for text in joins:
        (table, column), other = _parted(text, 2, "join", "TABLE.COLUMN = TABLE.COLUMN")
        to, _, to_column = other.partition(".")
        if not to_column:
            raise _unreadable(text, "join", "TABLE.COLUMN = TABLE.COLUMN")
        joined = tables.setdefault(table, {}).setdefault("joins", [])
        joined.append({"to": to.strip(), "on": {column: to_column.strip()}})
    for text in values:
        (table, column, value), words = _parted(text, 3, "value", "TABLE.COLUMN.VALUE = WORDS")
        said = _part(tables, table, "columns").setdefault(column, {}).setdefault("values", {})
        said[value] = [word.strip() for word in words.split(",") if word.strip()]
    if not tables:
        return ""
    return str(yaml.safe_dump({"tables": tables}, allow_unicode=True, sort_keys=False))


def _part(tables: dict[str, dict[str, Any]], table: str, key: str) -> dict[str, Any]:
    part: dict[str, Any] = tables.setdefault(table, {}).setdefault(key, {})
    return part


def _parted(text: str, names: int, what: str, form: str) -> tuple[list[str], str]:
    """The names before the equals sign, and what stands behind it."""
    named, sign, said = text.partition("=")
    parts = [part.strip() for part in named.split(".", names - 1)]
    if not sign or not said.strip() or len(parts) != names or not all(parts):
        raise _unreadable(text, what, form)
    return parts, said.strip()


def _unreadable(text: str, what: str, form: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"{text[:80]!r} is no {what}",
        hint=f"Write it so: {form}",
        fields={what: form},
    )
