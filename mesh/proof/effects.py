"""Whether frames of a causal job bear out what is told of an effect. Pure.

Such a frame has a row an estimate: `estimate`, `ci_lower`, `ci_upper` and `status`, "ok" where what
the method rests on held.
"""

from __future__ import annotations

from mesh.proof.assertions import NUMBER, Known, Span, Stated

_FACTS = ("estimate", "ci_lower", "ci_upper")


def effect(stated: Stated, span: Span, known: Known) -> str | None:
    """One estimate that stands, with its interval, and whether that lies on one side of nought."""
    fault = estimate(stated, span, known)
    digest, [row] = stated.frame_digest, stated.rows
    if fault:
        return fault
    if known.cell(digest, row, "status") != "ok":
        return f"it was rejected: {known.cell(digest, row, 'reason')}"
    low, high = (float(known.cell(digest, row, name)) for name in _FACTS[1:])
    words = span.text.casefold().split()
    for word, is_so in (("raises", low > 0), ("lowers", high < 0), ("seen", low <= 0 <= high)):
        if word in words and not is_so:
            return f"its interval is {low:.6g} to {high:.6g}"
    return None


def estimate(stated: Stated, span: Span, known: Known) -> str | None:
    """The numbers of one estimate, in their order: the estimate, then both ends."""
    digest, [row] = stated.frame_digest, stated.rows
    claim_records = [known.claims[piece.stated.claim_id] for piece, _ in span.of(NUMBER)]
    if not claim_records or any(
        (one.frame_digest, one.row) != (digest, row) for one in claim_records
    ):
        return "its numbers are not those of the estimate"
    columns = tuple(one.column for one in claim_records)
    return None if columns == _FACTS[: len(columns)] else "its numbers are told for one another"
