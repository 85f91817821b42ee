"""Which tables a question is about, as far as a prompt has to choose: most relevant first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue, Column, Table, ValueHit

_TABLE, _COLUMN, _VALUE = 3.0, 2.0, 3.0
_NEIGHBOUR = 0.5  # a table that joins a relevant one is worth half of it
_PHRASES = 12


def words_of(text: str) -> frozenset[str]:
    """Lower-case words of a text or a name, without a plural's s."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return frozenset(w.rstrip("s") or w for w in re.findall(r"[^\W_]+", spaced.lower()))


def phrases_of(question: str) -> list[str]:
    """What of a question may be values of the data: quoted, capitalised, and longer words."""
    quoted = [a or b for a, b in re.findall(r'"([^"]+)"|\'([^\']+)\'', question)]
    capitals = re.findall(r"\b[A-Z][\w-]*(?: [A-Z][\w-]*)*", question)
    longer = [word for word in re.findall(r"\w+", question) if len(word) > 3]
    return list(dict.fromkeys([*quoted, *capitals, *longer]))[:_PHRASES]


def ranked(question: str, catalogue: Catalogue, hits: Sequence[ValueHit]) -> list[Table]:
    """All tables, the most relevant first; equal ones in the catalogue's order."""
    asked = words_of(question)
    own = {table.name: _score(table, asked, hits) for table in catalogue.tables}
    score = dict(own)
    for link in catalogue.relationships:
        for here, there in (
            (link.from_table, link.to_table),
            (link.to_table, link.from_table),
        ):
            if here in own and there in own:
                score[here] = max(score[here], own[here] + _NEIGHBOUR * own[there])
    return sorted(catalogue.tables, key=lambda table: -score[table.name])


def columns_first(table: Table, question: str, hits: Sequence[ValueHit]) -> list[Column]:
    """A table's columns, those that the question or a key needs first."""
    asked = words_of(question)
    found = {hit.column for hit in hits if hit.table == table.name}

    def wanted(column: Column) -> bool:
        named = bool(words_of(column.name) & asked)
        return named or column.name in found or column.name in table.primary_key

    return sorted(table.columns, key=lambda column: not wanted(column))


def _score(table: Table, asked: frozenset[str], hits: Sequence[ValueHit]) -> float:
    named = len(words_of(f"{table.name} {table.comment}") & asked)
    columns = len(
        {word for c in table.columns for word in words_of(f"{c.name} {c.comment}")} & asked
    )
    values = max((hit.score for hit in hits if hit.table == table.name), default=0.0)
    return _TABLE * named + _COLUMN * columns + _VALUE * values
