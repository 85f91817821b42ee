"""Which tables a question is about, as far as a prompt has to choose: most relevant first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue, Column, Table, ValueHit

_TABLE, _COLUMN, _VALUE = 3.0, 2.0, 3.0
_NEIGHBOUR = 0.5  # a table that joins a relevant one is worth half of it
_PHRASES = 12
_SHORTEST = 3
_COMMON = frozenset(
    "the and for per how many much which what who when where with without each every all any are "
    "was were did doe had ha have from than that thi most least more les show list give".split()
)  # as `words_of` gives them, without a plural's s
_COMMENT = 100  # characters of a comment that are looked at


def words_of(text: str) -> frozenset[str]:
    """Lower-case words of a text or a name, without a plural's s."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return frozenset(w.rstrip("s") or w for w in re.findall(r"[^\W_]+", spaced.lower()))


def asked_in(question: str) -> frozenset[str]:
    """The words of a question that may name something: not those that every question has."""
    short = {word for word in words_of(question) if word.isascii() and len(word) < _SHORTEST}
    return words_of(question) - _COMMON - short


def phrases_of(question: str) -> list[str]:
    """What of a question may be values of the data: quoted, capitalised, and longer words."""
    quoted = [a or b for a, b in re.findall(r'"([^"]+)"|\'([^\']+)\'', question)]
    capitals = re.findall(r"\b[A-Z][\w-]*(?: [A-Z][\w-]*)*", question)
    longer = [word for word in re.findall(r"\w+", question) if len(word) > 3]
    return list(dict.fromkeys([*quoted, *capitals, *longer]))[:_PHRASES]


def relevant(
    question: str, catalogue: Catalogue, hits: Sequence[ValueHit]
) -> tuple[list[Table], list[Table]]:
    """The tables that a question names, has values of, or that join one of those, the most relevant
    first; and the others. All are relevant where none is: the question's words are other ones."""
    asked = asked_in(question)
    own = {table.name: _score(table, asked, hits) for table in catalogue.tables}
    score = dict(own)
    for link in catalogue.relationships:
        for here, there in (
            (link.from_table, link.to_table),
            (link.to_table, link.from_table),
        ):
            if here in own and there in own:
                score[here] = max(score[here], own[here] + _NEIGHBOUR * own[there])
    tables = sorted(catalogue.tables, key=lambda table: -score[table.name])
    about = [table for table in tables if score[table.name] > 0]
    return (about, tables[len(about) :]) if about else (tables, [])


def columns_first(table: Table, question: str, hits: Sequence[ValueHit]) -> list[Column]:
    """A table's columns, those that the question or a key needs first."""
    asked = asked_in(question)
    found = {hit.column for hit in hits if hit.table == table.name}

    def wanted(column: Column) -> bool:
        named = bool(words_of(column.name) & asked)
        return named or column.name in found or column.name in table.primary_key

    return sorted(table.columns, key=lambda column: not wanted(column))


def _score(table: Table, asked: frozenset[str], hits: Sequence[ValueHit]) -> float:
    named = len(words_of(f"{table.name} {table.comment[:_COMMENT]}") & asked)
    about = " ".join(f"{c.name} {c.comment[:_COMMENT]}" for c in table.columns)
    values = max((hit.score for hit in hits if hit.table == table.name), default=0.0)
    return _TABLE * named + _COLUMN * len(words_of(about) & asked) + _VALUE * values
