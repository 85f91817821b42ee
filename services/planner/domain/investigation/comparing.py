"""What is told of the whole beside its change: what is usual, the year before, when it began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.planner.domain.investigation.cited_sentences import (
    change,
    day,
    interval,
    number,
    part,
    recorded,
)
from services.planner.domain.investigation.found import ALPHA, Row
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.leaves.telling import beside_forecast, closest_of_leaves
from services.planner.domain.investigation.telling import usual
from services.planner.domain.reporting.prose import Prose
from services.planner.domain.reporting.story import Speaker

_TEXT = "text"
_FEWEST_PAIRS = 19  # below, metric.change makes no use of them
# Differences to other periods of the past that metric.change may tell, and how they are introduced.
_BESIDE = (
    ("same_weekdays_difference", "Over the same weekdays alone, the difference is "),
    ("year_earlier_difference", "The same two periods a year earlier differ by "),
)


def compared(
    ground: Ground,
    rows: Mapping[str, Row],
    speaker: Speaker,
    *,
    explained: bool,
    searched: Sequence[Row] = (),
) -> tuple[Prose, ...]:
    """Sentences; none where the whole was not compared. When it began is told of the whole where
    nothing explains it, else of each explanation; of leaves then what comes closest among the rows
    `searched`."""
    if ground.leaf is not None:
        closest = () if explained else closest_of_leaves(ground, searched, speaker)
        return (*beside_forecast(ground, rows, speaker), *closest)
    difference = rows.get("difference")
    if difference is None or difference.figure("value") is None:
        return ()
    lines = [_change(ground, rows, speaker)]
    lines.append(_usual(rows, speaker))
    for statistic, text in _BESIDE:
        row = rows.get(statistic)
        if row is not None and row.figure("value") is not None:
            lines.append(Prose.of(text, change(speaker, ground, row, "value")))
    onset = rows.get("onset")
    if onset is not None and onset[_TEXT] and not explained and not _is_usual(rows):
        lines.append(Prose.of("The level changes around ", day(onset, _TEXT)))
    return tuple(line for line in lines if line)


def _change(ground: Ground, rows: Mapping[str, Row], speaker: Speaker) -> Prose:
    difference, relative = rows["difference"], rows.get("relative")
    parts = [Prose.of("Overall change: ", change(speaker, ground, difference, "value"))]
    if relative is not None:
        if relative.figure("value") is not None:
            parts.append(Prose.of(" (", part(speaker, relative, "value", signed=True), ")"))
        elif relative[_TEXT]:
            parts.append(Prose.of(" (in per cent: none, ", recorded(str(relative[_TEXT])), ")"))
    if around := interval(speaker, ground, difference):
        parts.append(Prose.of("; ", around))
    return Prose.of(*parts)


def _is_usual(rows: Mapping[str, Row]) -> bool:
    """Whether so much is seen by chance: then the day on which it begins means nothing."""
    p = rows["p_value"].figure("value") if "p_value" in rows else None
    return p is None or p > ALPHA


def _usual(rows: Mapping[str, Row], speaker: Speaker) -> Prose:
    prose = usual(rows, speaker)
    pairs = rows.get("pairs")
    if not prose:
        return Prose.of("What is usual is not known: there is too little history to compare with")
    if pairs is not None and (pairs.figure("value") or 0) >= _FEWEST_PAIRS:
        of = number(speaker, pairs, "value")
        held = Prose.of(prose, " It was held against ", of, " earlier pairs of periods, too")
        large = rows.get("pairs_as_large")
        if large is None or large.figure("value") is None:
            return Prose.of(held, ".")
        return Prose.of(held, "; ", number(speaker, large, "value"), " of them moved as far.")
    return prose
