"""A column's cells as values: how they are read, and where they do not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from services.executor.domain.source import ColumnKind
from services.executor.sources.sql import literal, quoted

BLANKS = " \t\u00a0\u202f"


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


def applied(
    judged: Mapping[str, Judged], columns: Sequence[str], staged: Path, marks: Sequence[str]
) -> str:
    """SQL: the staged table with its columns read as judged, null where a cell does not fit."""
    listed = ", ".join(map(literal, ("", *marks)))
    trimmed = {column: f"_assay_{position}" for position, column in enumerate(judged)}
    inner = ", ".join(
        f"trim({quoted(column)}, {literal(BLANKS)}) AS {name}" for column, name in trimmed.items()
    )
    outer = ", ".join(
        f"CASE WHEN {trimmed[column]} IN ({listed}) OR NOT {judged[column].fits(trimmed[column])} "
        f"THEN NULL ELSE {judged[column].value(trimmed[column])} END AS {quoted(column)}"
        if column in judged
        else quoted(column)
        for column in columns
    )
    return f"SELECT {outer} FROM (SELECT *, {inner} FROM read_parquet({literal(str(staged))}))"


def shortened(text: str) -> str:
    """The beginning of a text, for messages."""
    return text if len(text) <= 40 else text[:39] + "…"
