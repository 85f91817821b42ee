"""What moved as it usually does: within what earlier periods differ by, or as a year earlier.

Neither is a cause. Both are told, so that nobody takes a season for news, or for a move of all.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.investigation.cited_sentences import (
    change,
    level,
    named,
    part,
    states,
)
from services.planner.domain.investigation.found import Row
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.reporting.prose import Prose, capital
from services.planner.domain.reporting.story import Speaker

USUAL, MIX = "usual", "mix"
MOST_HABITS = 3
_REPEATED = 0.5
"""Of the relative move of this year, what a segment's a year earlier is at least, to be called a
repetition."""
_MOST_SHARE = 2.0


def habits_in(rows: Sequence[Row]) -> list[Row]:
    """Rows of a search about segments that moved as far between earlier periods, the largest
    first."""
    found = [row for row in rows if row["kind"] == USUAL]
    return sorted(found, key=lambda row: -abs(row.figure("effect") or 0.0))[:MOST_HABITS]


def habit(row: Row, ground: Ground, speaker: Speaker) -> Prose:
    """One of them in a sentence of the answer."""
    parts: list[Prose | str] = ["Within what earlier periods differ by: ", named(row.segment)]
    before, after = row.figure("baseline"), row.figure("comparison")
    if before is not None and after is not None:
        way = "rose" if after > before else "fell" if after < before else "stayed the same,"
        parts += [
            f", which {way} from ",
            Prose.of(level(speaker, ground, row, "baseline")),
            " to ",
            Prose.of(level(speaker, ground, row, "comparison")),
        ]
    parts += [": an effect of ", change(speaker, ground, row, "effect")]
    if 0 < (row.figure("share") or 0.0) <= _MOST_SHARE:
        parts += [" or ", part(speaker, row, "share"), " of the change"]
    return states("habit", [row], *parts, ".")


def repeated(row: Row) -> bool:
    """Whether it went the same way a year earlier, by at least half as much."""
    now = _moved(row.figure("baseline"), row.figure("comparison"))
    then = _moved(row.figure("year_baseline"), row.figure("year_comparison"))
    if now is None or then is None or row["kind"] == MIX:
        return False
    return now * then > 0 and abs(then) >= _REPEATED * abs(now)


def season(row: Row, ground: Ground, speaker: Speaker) -> Prose:
    """That it did so a year earlier as well, as a doubt of the answer; nothing where it did not."""
    if not repeated(row):
        return Prose()
    return states(
        "last_year",
        [row],
        "A year earlier ",
        named(row.segment),
        " went the same way, from ",
        level(speaker, ground, row, "year_baseline"),
        " to ",
        level(speaker, ground, row, "year_comparison"),
        ": it may be the season.",
    )


def last_year(row: Row, ground: Ground, speaker: Speaker) -> Prose:
    """What it was in the same two periods a year earlier, for the report; nothing where the data do
    not reach."""
    is_mentioned = (
        row.figure("year_baseline") is not None and row.figure("year_comparison") is not None
    )
    if not is_mentioned or row["kind"] == MIX:
        return Prose()
    return Prose.of(
        "Between the same periods a year earlier it went from ",
        level(speaker, ground, row, "year_baseline"),
        " to ",
        level(speaker, ground, row, "year_comparison"),
        ", much the same way: it may be the season." if repeated(row) else ".",
    )


def describe_habit(row: Row, ground: Ground, speaker: Speaker) -> Prose:
    """One of them in a line of the report."""
    before, after = row.figure("baseline"), row.figure("comparison")
    way = "rose" if (after or 0.0) > (before or 0.0) else "fell"
    parts: list[Prose | str] = [named(row.segment)]
    if before is not None and after is not None:
        parts += [
            f" {way} from ",
            Prose.of(level(speaker, ground, row, "baseline")),
            " to ",
            Prose.of(level(speaker, ground, row, "comparison")),
        ]
    parts += [", an effect of ", change(speaker, ground, row, "effect"), ". "]
    return capital(Prose.of(*parts, last_year(row, ground, speaker)))


def _moved(before: float | None, after: float | None) -> float | None:
    """A move as a part of what was there before and after together: between -2 and 2."""
    if before is None or after is None:
        return None
    size = (abs(before) + abs(after)) / 2
    return (after - before) / size if size else None
