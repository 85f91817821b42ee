"""Conversations written down before they were run, and whether a turn's rows are those of the SQL.

`tests/conversations/*.yaml`: a file names its data (or each conversation does), or that it is put
to domains. Of a turn, `say` is the message; `sql` by hand (or `rows`) gives the right
rows, `or` others that are right too; an `outcome` is right as well or instead: told, asked,
refused, investigation, causal, answered. `columns` (from 1) are those of the SQL that count.
"""

from __future__ import annotations

import csv
import math
import sqlite3
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[1] / "conversations"
Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Talk:
    """A conversation as written: its name, its data (none: domains), its turns."""

    name: str
    data: str
    turns: Sequence[Mapping[str, Any]]


def written() -> Iterator[Talk]:
    """All conversations."""
    for file in sorted(FOLDER.glob("*.yaml")):
        held = yaml.safe_load(file.read_text(encoding="utf-8"))
        for name, said in held["conversations"].items():
            own = said if isinstance(said, dict) else {"turns": said}
            yield Talk(name, own.get("data", held.get("data", "")), own["turns"])


def verdict(turn: Mapping[str, Any], told: Mapping[str, Any], home: Path, data: str) -> str:
    """Right, right with extra, wrong (with doubt stated or without), or how the turn ended."""
    became = outcome(told)
    if became in str(turn.get("outcome", "")).split(" or "):
        return "right"
    if became != "answered":
        return became
    rows = answered_rows(told, home)
    alternatives = [turn[key] for key in ("sql", "or") if key in turn]
    wanted = [expected(turn, sql, data) for sql in alternatives]
    wanted += [turn["rows"]] if "rows" in turn else []
    found = {compared(each, rows) for each in wanted}
    for good in ("right", "right with extra"):
        if good in found:
            return good
    doubted = told["confidence"] != "sure" or told["partial"]
    return "wrong with doubt stated" if doubted else "wrong without doubt"


def outcome(told: Mapping[str, Any]) -> str:
    """How a turn ended."""
    if told["options"]:
        return "asked"
    if told["failure"]:
        return "refused"
    if told["turn"] == "why":
        return "investigation"
    if told["turn"] == "cause":
        return "causal"
    return "told" if told.get("about") else "answered"


def answered_rows(told: Mapping[str, Any], home: Path) -> Rows:
    """The rows that the answer gives."""
    tables = [name for name in told["files"] if name.endswith("result.csv")]
    if not tables:
        return []
    with (home / "artifacts" / tables[0]).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def expected(turn: Mapping[str, Any], sql: str, data: str) -> Rows:
    """The rows of the SQL by hand."""
    place = Path(__file__).resolve().parents[3] / "shared" / "data"
    name = data or f"databases/{turn['database']}.sqlite"
    rows: Rows
    if name.endswith(".sqlite"):
        with sqlite3.connect(f"file:{place / name}?mode=ro", uri=True) as base:
            rows = base.execute(sql).fetchall()
    else:
        import duckdb

        with duckdb.connect() as base:
            read = f"read_csv('{place / name}', nullstr=['', 'NA'])"
            base.execute(f"create view t as select * from {read}")
            rows = base.execute(sql).fetchall()
    if turn.get("median"):
        groups = defaultdict(list)
        for group, value in rows:
            groups[group].append(value)
        rows = [(group, statistics.median(values)) for group, values in groups.items()]
    if kept := turn.get("columns"):
        rows = [[row[place - 1] for place in kept] for row in rows]
    return rows


def compared(wanted: Rows, given: Rows) -> str:
    """Whether each wanted row is one of the given, in any order, and nothing else is."""
    left = list(given)
    for row in wanted:
        match = next((one for one in left if _holds(one, row)), None)
        if match is None:
            return "wrong"
        left.remove(match)
    if left:
        return "wrong"
    return "right with extra" if given and len(given[0]) > len(wanted[0]) else "right"


def _holds(given: Sequence[Any], wanted: Sequence[Any]) -> bool:
    cells = list(given)
    for value in wanted:
        match = next((cell for cell in cells if _same(cell, value)), None)
        if match is None:
            return False
        cells.remove(match)
    return True


def _same(cell: object, value: object) -> bool:
    one, other = str(cell if cell is not None else ""), str(value if value is not None else "")
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-6, abs_tol=1e-6)
    except ValueError:
        return one == other or (len(other) == 7 and one[:10] == f"{other}-01")
