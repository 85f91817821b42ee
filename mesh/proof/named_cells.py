"""Which cells words name, which numbers count, and whether words are of no other row. Pure.

A number that is null or not finite is in no order: rows without one are not compared, nor those
without a name where the assertion says which column names them.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from mesh.proof.assertions import NAME, NUMBER, Known, Span, Stated

_CLOSE = 1e-6


def finite(value: Any) -> bool:
    """Whether a value is a number that others can be compared with."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return math.isfinite(value)


def compared(stated: Stated, known: Known) -> dict[int, Any]:
    """The values that are compared, by row: finite, and named unless no row is."""
    values = known.column(stated.frame_digest, stated.columns[0])
    usable = {row: value for row, value in enumerate(values) if finite(value)}
    if stated.by:
        names = known.column(stated.frame_digest, stated.by)
        named = {row: usable[row] for row in usable if names[row] not in (None, "")}
        return named or usable
    return usable


def claimed_cells(span: Span, known: Known) -> list[tuple[str, int, str]]:
    """The cells that numbers in the words are claimed from, in order."""
    claims = [known.claims[piece.stated.claim_id] for piece, _ in span.of(NUMBER)]
    return [(claim.frame_digest, claim.row, claim.column) for claim in claims]


def named_rows(span: Span, digest: str) -> list[int]:
    """The rows of a frame that are named, in order; several cells may name one row."""
    names = [p.stated.rows[0] for p, _ in span.of(NAME) if p.stated.frame_digest == digest]
    return list(dict.fromkeys(names))


def cells_only(stated: Stated, span: Span, known: Known, *, named: bool) -> str | None:
    """Numbers and names in the words are of the rows that are stated, and of no other.

    A share may be cited from a frame of its own, where a row bears the same name.
    """
    names = [
        known.cell(p.stated.frame_digest, p.stated.rows[0], p.stated.columns[0])
        for p, _ in span.of(NAME)
    ]
    for digest, row, column in claimed_cells(span, known):
        if digest == stated.frame_digest and row in stated.rows:
            continue
        frame = known.frames[digest]
        labels = [frame.column(name)[row].as_py() for name in frame.column_names]
        if digest != stated.frame_digest and any(name in labels for name in names):
            continue
        return f"row {row} of column {column!r} is another's number"
    found = named_rows(span, stated.frame_digest)
    if any(p.stated.frame_digest != stated.frame_digest for p, _ in span.of(NAME)) or not set(
        found
    ) <= set(stated.rows):
        return "it names another row than it is stated of"
    return "it does not name its rows" if named and set(found) != set(stated.rows) else None


def close(one: Any, other: Any) -> bool:
    """Whether two numbers are one as far as words tell them, or neither is finite."""
    if not finite(one) or not finite(other):
        return not finite(one) and not finite(other)
    return math.isclose(float(one), float(other), rel_tol=_CLOSE, abs_tol=_CLOSE)
