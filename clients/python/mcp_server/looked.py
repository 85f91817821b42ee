"""What a model reads of a look at data: as little as will do to write a statement."""

from __future__ import annotations

import re
from typing import Any

_MOST_COLUMNS, _MOST_TABLES, _MOST_MATCHES = 60, 6, 20
_MOST_NAMED = 40
_SAMPLES, _LONGEST_SAMPLE = 3, 24
_RANGED = ("time", "date part", "amount", "level", "intensive", "number")
_NAMED = ("flag", "category")


def tables_of(seen: dict[str, Any], first: int) -> list[dict[str, Any]]:
    """Tables of a look (`look_object`) from one on, each as short as it can be."""
    return [_table(table) for table in seen["tables"][first : first + _MOST_TABLES]]


def tables_left(seen: dict[str, Any], first: int) -> str:
    """What else there is, and how to read on; empty where nothing is left."""
    rest = [table["table"] for table in seen["tables"][first + _MOST_TABLES :]]
    named = ", ".join(rest[:_MOST_NAMED]) + (", …" if len(rest) > _MOST_NAMED else "")
    return f"first={first + _MOST_TABLES} for {named}" if rest else ""


def doubts_of(seen: dict[str, Any]) -> list[str]:
    """Doubts in a sentence each, with what would mend them or what was done."""
    return [*(_doubt(doubt) for doubt in seen["doubts"]), *seen["notes"]]


def matches_of(seen: dict[str, Any]) -> list[str]:
    """Where values are that were looked for."""
    return [
        f"{one['phrase']}: {one['table']}.{one['column']} = {one['value']}"
        for one in seen["matches"][:_MOST_MATCHES]
    ]


def _table(table: dict[str, Any]) -> dict[str, Any]:
    metrics = [one for one in table["columns"] if one["formula"]]
    columns = [one for one in table["columns"] if not one["formula"]]
    found = {
        "table": table["table"],
        "rows": table["rows"],
        "row": f"one for each {', '.join(table['key'])}" if table["key"] else "",
        "time": table["time_column"] or "",
        "columns": [_column(one) for one in columns[:_MOST_COLUMNS]],
        "more_columns": max(len(columns) - _MOST_COLUMNS, 0),
        "joins": [_join(one) for one in table["joins"]],
        "metrics": [f"{one['column']} = {one['formula']}" for one in metrics],
    }
    return {key: value for key, value in found.items() if value not in ("", [], 0) or key == "rows"}


def _column(column: dict[str, Any]) -> str:
    """A column's name, what it is, its unit, and its span or some of its values."""
    kind = column["kind"] or ""
    parts = [_name(column["column"]), kind, column["unit"] or ""]
    if kind in _RANGED and column["minimum"] is not None:
        parts.append(f"{_short(column['minimum'])}..{_short(column['maximum'])}")
    elif kind in _NAMED and column["samples"]:
        shown = ", ".join(_short(one) for one in column["samples"][:_SAMPLES])
        parts.append(f"({shown}{', …' if column['distinct'] > _SAMPLES else ''})")
    if column["empty"]:
        parts.append(f"{column['empty']:,} empty")
    return " ".join(filter(None, parts))


def _name(name: str) -> str:
    """A column as a statement names it: in quotation marks where it is more than one word."""
    return name if re.fullmatch(r"\w+", name) else '"' + name.replace('"', '""') + '"'


def _join(join: dict[str, Any]) -> str:
    """What refers to what, how many values match, and how many rows go with one."""
    pairs = [(join["column"], join["to_column"])]
    pairs += [(one["column"], one["to_column"]) for one in join["further"]]
    on = " and ".join(f"{_name(column)} = {join['to_table']}.{_name(to)}" for column, to in pairs)
    parts = [on, "declared" if join["declared"] else "guessed"]
    if join["matched"] is not None:
        parts.append(f"{join['matched']:.0%} match")
    if join["orphans"]:
        parts.append(f"{join['orphans']:,} rows find none")
    if join["most"] is not None:
        parts.append(f"at most {join['most']:,} rows for one")
    return ", ".join(parts)


def _doubt(doubt: dict[str, Any]) -> str:
    mend = " or ".join(doubt["repairs"])
    if doubt["repaired"]:
        return f"{doubt['table']}: {doubt['said']}; repaired: {mend}"
    return f"{doubt['table']}: {doubt['said']}" + (f"; repairs: {mend}" if mend else "")


def _short(text: Any) -> str:
    words = " ".join(str(text).removesuffix(" 00:00:00").removesuffix("T00:00:00").split())
    return words if len(words) <= _LONGEST_SAMPLE else f"{words[: _LONGEST_SAMPLE - 1]}…"
