"""What makes one candidate for a phrase less, or more, likely than its name alone does."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue, ColumnRole
from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.lexicon.normalise import Token, name_words


def is_unit_of(
    before: Candidate,
    candidate: Candidate,
    mentions: Sequence[Mention],
    index: int,
    tokens: Sequence[Token],
    catalogue: Catalogue,
) -> bool:
    """The date that a unit of time is said to be of: "the year of registration"."""
    table = catalogue.table(candidate.table)
    column = table.column(candidate.column) if table is not None else None
    gap = [t.lower for t in tokens[mentions[index - 1].last : mentions[index].first]]
    dated = column is not None and column.role is ColumnRole.TIMESTAMP
    return before.kind == "grain" and dated and gap in (["of"], ["of", "the"])


def doubt(candidate: Candidate, stems: Sequence[str], catalogue: Catalogue) -> float:
    """Empty tables, and keys that nobody called a key, are rarely meant."""
    table = catalogue.table(candidate.table)
    if table is None:
        return 0.0
    if table.rows == 0:
        return -0.3
    words = name_words(candidate.column)
    if candidate.kind != "column" or not words:
        return 0.0
    refers = any(
        r.from_table == candidate.table and r.from_column == candidate.column
        for r in catalogue.relationships
    )
    if words[-1] in ("id", "number", "key"):
        return -0.25 if refers and words[-1] not in stems else 0.0
    return -0.12 if refers and words[-1] != "code" else 0.0
