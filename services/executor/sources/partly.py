"""A large file, read first for what is asked of it: all texts, and the columns that are named.

The other columns have a type and statistics by a sample, and no cells: a statement that would use
one fails aloud, and whoever asked it reads the file whole. What is looked for in the rows of the
columns that are read is looked for in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import literal

LARGE_BYTES = 16 << 20
"""Smaller files are read whole in less time than a second reading would take."""
_MARK = "has not been read yet"
_SUFFIXES = (".csv", ".tsv", ".txt")
_TIMES = (
    "day days daily date dates week weeks weekly month months monthly quarter quarters quarterly "
    "year years yearly annual annually time times hour hours trend trends when since until before "
    "after between during period periods recent recently latest newest oldest earliest last past "
    "previous first growth grow grew develop over ago season"
)
_COUNTS = "many number count"
_YEAR = re.compile(r"(19|20)\d\d")
_STARS = re.compile(r"(?:\bselect|\bdistinct|\ball|,|\.)\s*\*", re.IGNORECASE)


@lru_cache
def _stems(words: str) -> frozenset[str]:
    from mesh.text.stemming import stem

    return frozenset(map(stem, words.split()))


def asked_words(about: str) -> tuple[str, ...]:
    """The words of a question or statement, stemmed, each once."""
    # Here, as in what follows, because the executor is put together without what reads words.
    from services.executor.sources.naming import words_of

    return tuple(dict.fromkeys(words_of(about)))


def named_columns(columns: Mapping[str, bool], asked: Iterable[str]) -> set[str] | None:
    """Those of the columns that words name; None where they name none, so that any may be meant.

    `columns` are those of other kinds than text, and whether they are times. A time is named by
    every word of time; what is only counted needs none.
    """
    from services.executor.sources.naming import words_of

    words = set(asked)
    timed = bool(words & _stems(_TIMES)) or any(map(_YEAR.fullmatch, words))
    named = {
        name
        for name, is_time in columns.items()
        if (is_time and timed) or words & set(words_of(name))
    }
    return named if named or words & _stems(_COUNTS) else None


def is_enough(tables: Iterable[StoredTable], asked: Iterable[str]) -> bool:
    """Whether tables that were read in part hold what words name."""
    if not (words := tuple(asked)):
        return False
    columns = [c for table in tables for c in table.columns if c.type != "VARCHAR"]
    named = named_columns({c.name: c.type in ("DATE", "TIMESTAMP") for c in columns}, words)
    return named is not None and not any(c.name in named for c in columns if not c.read)


def may_be_partly(files: Sequence[Path]) -> bool:
    """Whether it is worth to read only part of what lies in these files."""
    return (
        len(files) == 1
        and files[0].suffix.lower() in _SUFFIXES
        and files[0].stat().st_size >= LARGE_BYTES
    )


def unread_cell(name: str, stored_type: str) -> str:
    """SQL for the cells of a column that was not read: it fails where they are used, only there."""
    return f"CAST(error({literal(f'the column {name} {_MARK}')}) AS {stored_type})"


def is_unread(message: str) -> bool:
    """Whether a statement failed because it used such a column."""
    return _MARK in message


def may_touch(unread: Iterable[str], statement: str) -> bool:
    """Whether a statement may use one of these columns: it has its name, or takes all columns."""
    if _STARS.search(statement):
        return True
    text = statement.casefold()
    return any(name.casefold() in text for name in unread)
