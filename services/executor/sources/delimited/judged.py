"""A column's cells as values: how they are read, and where they do not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ColumnKind
from services.executor.sources.sql import literal, quoted

BLANKS = " \t\u00a0\u202f"
_CELL = "_assay_cell"
# DuckDB 1.x takes quadratic time and memory for that many long expressions in one projection, and
# linear for one that it maps over a list; below, a list costs more than it saves.
_MANY_ALIKE = 24


@dataclass(frozen=True, slots=True)
class Judged:
    """How a column is read as values of a `kind`, and for people the `unit` of its values and an
    `example` of what a cell looks like.

    `value` makes SQL over a text of SQL that names it, `fits` SQL that says whether it is of the
    kind.
    """

    value: Callable[[str], str]
    fits: Callable[[str], str]
    kind: ColumnKind
    unit: str = ""
    example: str = ""
    notes: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def applied(
    judged: Mapping[str, Judged], columns: Sequence[str], staged: Path, marks: Sequence[str]
) -> str:
    """SQL: the staged table with its columns read as judged, null where a cell does not fit."""
    values: dict[str, str] = {}
    texts: list[str] = []
    lists: list[str] = []
    for number, (form, alike) in enumerate(_alike(judged, marks).items()):
        cells = [f"trim({quoted(column)}, {literal(BLANKS)})" for column in alike]
        if len(alike) < _MANY_ALIKE:
            for place, (column, cell) in enumerate(zip(alike, cells, strict=True)):
                name = f"_assay_{number}_{place}"
                texts.append(f"{cell} AS {name}")
                values[column] = form.format(name)
            continue
        texts.append(f"[{', '.join(cells)}] AS _assay_{number}")
        lists.append(f"list_transform(_assay_{number}, lambda v: {form.format('v')})")
        values |= {
            column: f"_assay_list_{len(lists)}[{place}]" for place, column in enumerate(alike, 1)
        }
    outer = ", ".join(
        f"{values[column]} AS {quoted(column)}" if column in values else quoted(column)
        for column in columns
    )
    inner = f"SELECT {', '.join(['*', *texts])} FROM read_parquet({literal(str(staged))})"
    read = [f"{sql} AS _assay_list_{place}" for place, sql in enumerate(lists, 1)]
    return f"SELECT {outer} FROM (SELECT {', '.join(['*', *read])} FROM ({inner}))"


def _alike(judged: Mapping[str, Judged], marks: Sequence[str]) -> dict[str, list[str]]:
    """Columns by the SQL that reads a cell of them, with {0} for the cell."""
    listed = ", ".join(map(literal, ("", *marks)))
    groups: dict[str, list[str]] = {}
    for column, how in judged.items():
        sql = (
            f"CASE WHEN {_CELL} IN ({listed}) OR NOT {how.fits(_CELL)} "
            f"THEN NULL ELSE {how.value(_CELL)} END"
        )
        form = sql.replace("{", "{{").replace("}", "}}").replace(_CELL, "{0}")
        groups.setdefault(form, []).append(column)
    return groups


def shortened(text: str) -> str:
    """The beginning of a text, for messages."""
    return text if len(text) <= 40 else text[:39] + "…"
