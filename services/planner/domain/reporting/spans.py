"""Where in a text each piece of it stands, and what is stated there."""

from __future__ import annotations

from collections.abc import Iterator

from mesh.proof.assertions import COLUMN, NAME, NUMBER, QUOTED, SUGGESTED, Assertion, Stated
from services.planner.domain.reporting.prose import (
    Cited,
    Closed,
    Label,
    Opened,
    Origin,
    Prose,
    Quoted,
)

_QUOTED = {
    Origin.QUESTION: QUOTED,
    Origin.RECORD: QUOTED,
    Origin.NAME: COLUMN,
    Origin.SAMPLE: SUGGESTED,
}


def assertions_of(prose: Prose, place: str) -> tuple[Assertion, ...]:
    """What a text states, and where each piece of it is from, in order."""
    return tuple(sorted(_assertions(prose, place), key=lambda one: (one.start, -one.end)))


def _assertions(prose: Prose, place: str) -> Iterator[Assertion]:
    here = 0
    open_: list[tuple[int, Stated]] = []
    for piece in prose.pieces:
        start, here = here, here + len(piece.text)
        match piece:
            case Opened(stated):
                open_.append((start, stated))
            case Closed():
                begun, stated = open_.pop()
                yield Assertion(place, begun, here, stated)
            case Cited(_, claim_id):
                yield Assertion(place, start, here, Stated(NUMBER, claim_id=claim_id))
            case Label(_, digest, row, column):
                yield Assertion(place, start, here, Stated(NAME, digest, (row,), (column,)))
            case Quoted(text, origin) if text:
                yield Assertion(place, start, here, Stated(_QUOTED[origin]))
            case _:
                pass
