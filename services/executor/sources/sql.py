"""Names and texts as SQL, and names made of what files and headers say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


_SHOWN = 5
LONGEST_NAME = 200
"""Characters of a column's name; one of thousands is a text that stands where names are, and every
word of it would be held against every word of a question."""
WRITE_AGAIN = "Write the file again with the program it came from, or fetch it again."


def quoted(name: str) -> str:
    """The name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """The text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def describe_error(error: duckdb.Error, path: Path) -> str:
    """What the database says of a file, without its own words for errors and the file's place."""
    message = str(error).splitlines()[0].replace(str(path), "the file")
    return re.sub(r"^[\w ]+ Error: ", "", message).rstrip(".")


def count(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    """The single number that a query gives."""
    row = connection.execute(query).fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def table_name(stem: str) -> str:
    """A table name from a file name: letters, digits and underscores, no digit in front."""
    name = re.sub(r"\W+", "_", stem).strip("_") or "data"
    return f"t_{name}" if name[0].isdigit() else name


def unique_names(names: Iterable[str], notes: Callable[[str], None]) -> list[str]:
    """Column names with blanks, repetitions and too many characters resolved; every change is told
    to `notes`, all columns without a name in one."""
    given = [_short_enough(name.strip(), at, notes) for at, name in enumerate(names, start=1)]
    taken: set[str] = set()
    reserved = {name.casefold() for name in given if name}
    result: list[str] = []
    numbers: dict[str, int] = {}  # the last one that was tried for a name
    unnamed: list[str] = []
    for position, name in enumerate(given, start=1):
        base = chosen = name or f"column_{position}"
        number = numbers.get(base.casefold(), 2)
        while chosen.casefold() in taken or (chosen != name and chosen.casefold() in reserved):
            chosen = f"{base}_{number}"
            number += 1
        numbers[base.casefold()] = number
        if not name:
            unnamed.append(chosen)
        elif chosen != name:
            notes(f'several columns are called "{name}"; number {position} is read as {chosen}')
        taken.add(chosen.casefold())
        result.append(chosen)
    if unnamed:
        notes(nameless(unnamed))
    return result


def _short_enough(name: str, position: int, notes: Callable[[str], None]) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    notes(
        f"the name of column {position} has {len(name):,} characters; it is called by its first "
        f"{LONGEST_NAME}"
    )
    return name[:LONGEST_NAME].strip()


def nameless(columns: Sequence[str]) -> str:
    """Tells of columns that have no name in a file, however many, in one sentence."""
    if len(columns) == 1:
        return f"column {columns[0]} has no name in the file"
    shown = columns if len(columns) < _SHOWN else [*columns[:2], "…", columns[-1]]
    return f"{len(columns):,} columns have no name in the file: {', '.join(shown)}"
