"""Repairs as people write them: `nothing.CO=-200`, `leave-out=totals`.

The kinds are the executor's (`services/executor/repairs`); their names are here so that whoever
takes options from people tells a slip at once. docs/repairs.md describes them.
"""

from __future__ import annotations

KINDS: tuple[str, ...] = (
    "century",
    "date-order",
    "day-numbers",
    "duration",
    "fill-down",
    "headings",
    "leave-out",
    "merge",
    "nothing",
    "number",
    "one-table",
    "plain",
    "since-1970",
    "split-sheet",
    "units",
    "whole",
    "zone",
    "lists",
    "magnitudes",
)
"""The names of all kinds."""


def repair_of(option: str) -> tuple[str, str, str] | None:
    """Kind, column and value of a repair in a person's words; None for what is none.

    The first equals sign behind a column's name ends it: a column with one in its name cannot be
    written so.
    """
    left, equals, value = option.partition("=")
    kind, _, column = left.partition(".")
    return (kind, column, value) if equals and kind in KINDS else None


def option_of(kind: str, column: str, value: str) -> str:
    """A repair in a person's words."""
    return f"{kind}{'.' if column else ''}{column}={value}"
