"""What the cells show of one explanation, sentence by sentence, for the report."""

from __future__ import annotations

from services.planner.domain.investigation.cited_sentences import (
    change,
    day,
    interval,
    label,
    level,
    named,
    part,
    probability,
)
from services.planner.domain.investigation.found import Row
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.leaves.explaining import moved_from_forecast
from services.planner.domain.investigation.seasons import last_year
from services.planner.domain.reporting.prose import Prose, capital
from services.planner.domain.reporting.story import Speaker

MOST_SHARE = 2.0
"""Above this an effect is no part of the change that a per cent could tell: others undo it."""
_MIX, _ALIKE, _NEW, _VANISHED = "mix", "alike", "new", "vanished"


def evidence_of(row: Row, ground: Ground, speaker: Speaker) -> list[Prose]:
    """How it went, what it would have been, how much of the change it is, and how sure that is."""
    how = _moved if ground.leaf is None else moved_from_forecast
    return [
        how(row, ground, speaker),
        _effect(row, ground, speaker),
        _chance(row, speaker),
        _began(row),
        last_year(row, ground, speaker),
        _reversal(row),
    ]


def _moved(row: Row, ground: Ground, speaker: Speaker) -> Prose:
    before, after = row.figure("baseline"), row.figure("comparison")
    if before is None or after is None:
        return Prose()
    of = Prose.of(label(ground), " of ", named(row.segment)) if row.segment else label(ground)
    way = "rose" if after > before else "fell" if after < before else "stayed"
    if row["kind"] == _NEW:
        prose = Prose.of(
            of,
            " is ",
            level(speaker, ground, row, "comparison"),
            "; there was nothing of it in the baseline",
        )
    elif row["kind"] == _VANISHED:
        prose = Prose.of(
            of,
            " was ",
            level(speaker, ground, row, "baseline"),
            " in the baseline; nothing of it is left",
        )
    else:
        prose = Prose.of(
            of,
            f" {way} from ",
            level(speaker, ground, row, "baseline"),
            " to ",
            level(speaker, ground, row, "comparison"),
        )
    expected = row.figure("expected")
    if expected is not None and row["kind"] not in (_MIX, _ALIKE, _NEW, _VANISHED):
        prose = Prose.of(
            prose,
            "; had it moved like the rest, it would be ",
            level(speaker, ground, row, "expected"),
        )
    return capital(Prose.of(prose, "."))


def _effect(row: Row, ground: Ground, speaker: Speaker) -> Prose:
    prose = Prose.of("Its effect on the whole is ", change(speaker, ground, row, "effect"))
    if around := interval(speaker, ground, row):
        prose = Prose.of(prose, " (", around, ")")
    share = row.figure("share")
    difference = "difference" if ground.leaf else "change"
    if share is None:
        return Prose.of(prose, ".")
    if share > MOST_SHARE:
        whole = "is off" if ground.leaf else "moved"
        return Prose.of(prose, f"; others work against it, so that the whole {whole} by far less.")
    if share > 0:
        return Prose.of(prose, ", ", part(speaker, row, "share"), f" of the whole {difference}.")
    return Prose.of(prose, ", against the way of the whole.")


def _chance(row: Row, speaker: Speaker) -> Prose:
    likely = probability(speaker, row)
    if not likely:
        return Prose()
    return Prose.of(
        "Where there is no cause, the same search finds something as large with a probability ",
        "" if row["p_at_most"] else "of ",
        likely,
        ".",
    )


def _began(row: Row) -> Prose:
    """When it begins; the days between which that is, where several fit nearly as well."""
    if not row["onset"]:
        return Prose()
    first, last = row["onset_first"], row["onset_last"]
    if not first or not last or first == last:
        return Prose.of("It begins around ", day(row), ".")
    return Prose.of(
        "It begins around ",
        day(row),
        ", somewhere between ",
        day(row, "onset_first"),
        " and ",
        day(row, "onset_last"),
        ".",
    )


def _reversal(row: Row) -> Prose:
    if not row["reversal"]:
        return Prose()
    return Prose.of(
        "The parts moved one way and the whole the other: what changed is how much weight each "
        "part has (Simpson's paradox)."
    )
