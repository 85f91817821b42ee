"""How long things last, from the date they begin with to the one they end with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.catalogue import Table
from services.planner.domain.language.timing.elapsed_words import HOW_LONG_AT_ALL, LASTING
from services.planner.domain.language.timing.events import Dated
from services.planner.domain.language.timing.pieces import (
    Piece,
    averaged,
    definition_of,
    untied,
)
from services.planner.domain.lexicon.normalise import name_words, stem
from services.planner.domain.query.columns import numeric

_LENGTHS = frozenset(
    stem(w) for w in "length duration milliseconds seconds minutes hours days runtime".split()
)


def lasting(question: str, dates: Sequence[Dated]) -> Piece | str | None:
    """ "The duration of grants": from the date they begin with to the one they end with."""
    for match in LASTING.finditer(question):
        said = match.group("thing") or match.group("whose")
        ends = _ends_of(said, dates)
        if ends is None or _is_recorded(match.group(), ends[0].table):
            continue
        made = definition_of(*ends)
        if match.group("asked"):
            piece = averaged(match.start(), match.end(), made, question)
            return replace(piece, stands=f"{piece.stands} of {said}")
        return Piece(match.start(), match.end(), f"{made.column} of {said}", made)
    return None


def _is_recorded(said: str, table: Table) -> bool:
    """Whether a column already holds what is said: trips with a duration of their own."""
    words = _LENGTHS & {stem(word) for word in said.lower().split()}
    return any(
        numeric(column.data_type) and words.intersection(name_words(column.name))
        for column in table.columns
    )


def _ends_of(said: str, dates: Sequence[Dated]) -> tuple[Dated, Dated] | None:
    """The first and the last date of the things that words name, where each is plain."""
    words = {stem(word) for word in said.lower().split()}
    own = [d for d in dates if words & set(name_words(d.table.name))]
    tables = {d.table.name for d in own}
    opening = [d for d in own if d.opening and not d.closing and not d.planned]
    closing = [d for d in own if d.closing and not d.planned]
    plain = len(tables) == len(opening) == len(closing) == 1
    return (opening[0], closing[0]) if plain else None


def how_long_of_what(question: str, tables: Sequence[Table], dates: Sequence[Dated]) -> str:
    """Why a "how long" that nothing was found for cannot be told; nothing where lengths are."""
    asked = HOW_LONG_AT_ALL.search(question)
    told = any(
        numeric(column.data_type) and _LENGTHS.intersection(name_words(column.name))
        for table in tables
        for column in table.columns
    )
    return untied(asked.group(), dates) if asked is not None and dates and not told else ""
