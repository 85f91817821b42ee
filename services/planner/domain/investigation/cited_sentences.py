"""Sentences about what was found; every number in them is cited from a cell."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.proof.assertions import Stated
from mesh.text.spelling import POINTS
from services.planner.domain.investigation.found import Row
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesising import Segment
from services.planner.domain.investigation.leaves.sides import Side, side_when
from services.planner.domain.investigation.wording import (
    called,
    day_called,
    is_share,
    words_of_name,
)
from services.planner.domain.reporting.prose import (
    Cited,
    Label,
    Origin,
    Piece,
    Prose,
    Quoted,
    joined,
)
from services.planner.domain.reporting.stating import stating
from services.planner.domain.reporting.story import Speaker

_SMALLEST_CHANCE = 0.001
"""Below this a probability is told as a number, not in per cent: it would be nought."""


def number(
    speaker: Speaker, row: Row, column: str, unit: str = "", *, percent: bool = False
) -> Cited:
    """The number in a cell, as a claim."""
    return speaker.number(row.table, row.number, column, unit=unit, percent=percent)


def level(speaker: Speaker, ground: Ground, row: Row, column: str) -> Cited:
    """A value of the metric, in its unit; of a share in per cent."""
    return number(speaker, row, column, ground.unit, percent=is_share(ground))


def change(speaker: Speaker, ground: Ground, row: Row, column: str) -> Prose:
    """A difference of the metric, with its sign; of shares in percentage points."""
    unit = POINTS if is_share(ground) else ground.unit
    cited = number(speaker, row, column, unit, percent=is_share(ground))
    return Prose.of("+" if (row.figure(column) or 0.0) > 0 else "", cited)


def part(speaker: Speaker, row: Row, column: str, *, signed: bool = False) -> Prose:
    """A part of something, in per cent."""
    plus = "+" if signed and (row.figure(column) or 0.0) > 0 else ""
    return Prose.of(plus, number(speaker, row, column, percent=True))


def named(segment: Segment) -> Prose:
    """A segment as people call it; its names and values are the data's own."""
    if not segment:
        return Prose.of("everything")
    items = [
        Prose.of(
            recorded(words_of_name(name)), " ", "(missing)" if value is None else recorded(value)
        )
        for name, value in segment
    ]
    return items[0] if len(items) == 1 else Prose.of(items[0], " with ", joined(items[1:]))


def period(ground: Ground, which: Side) -> Piece:
    """A period as a sentence says it: "in March 2024"."""
    return recorded(side_when(ground, which))


def label(ground: Ground) -> Piece:
    """What the metric is called."""
    return recorded(called(ground))


def day(row: Row, column: str = "onset") -> Label:
    """A day that a cell holds as text."""
    return Label(day_called(str(row[column])), row.table.digest, row.number, column)


def probability(speaker: Speaker, row: Row, column: str = "p_corrected") -> Prose:
    """How likely it is by chance, corrected for the search; nothing where that is not known."""
    return chance_of(speaker, row, column, at_most=bool(row["p_at_most"]))


def chance_of(speaker: Speaker, row: Row, column: str, *, at_most: bool) -> Prose:
    """A probability in per cent; "below" one where no more than that is known."""
    value = row.figure(column)
    if value is None:
        return Prose()
    cited = number(speaker, row, column, percent=value >= _SMALLEST_CHANCE)
    return Prose.of("below " if at_most else "", cited)


def interval(speaker: Speaker, ground: Ground, row: Row) -> Prose:
    """The ends of the interval of a difference; nothing where it has none."""
    if row.figure("low") is None or row.figure("high") is None:
        return Prose()
    ends = [change(speaker, ground, row, column) for column in ("low", "high")]
    return Prose.of("interval ", ends[0], " to ", ends[1])


def states(kind: str, rows: Sequence[Row], *parts: Prose | Piece | str) -> Prose:
    """The parts, as words that state something of these rows, which a verifier holds against them
    (`mesh.proof.movements`)."""
    table = rows[0].table
    return stating(Stated(kind, table.digest, tuple(row.number for row in rows)), *parts)


def claims_in(*parts: Prose) -> tuple[int, ...]:
    """The claims that sentences cite, each once."""
    found = [p.claim_id for part in parts for p in part.pieces if isinstance(p, Cited)]
    return tuple(dict.fromkeys(found))


def sentences(parts: Sequence[Prose]) -> Prose:
    """Sentences behind each other, those that say nothing left out."""
    prose = [part for part in parts if part]
    spread: list[Prose | str] = []
    for position, part in enumerate(prose):
        spread += [" ", part] if position else [part]
    return Prose.of(*spread)


def recorded(text: str) -> Quoted:
    """Words of the job's own record."""
    return Quoted(text, Origin.RECORD)
