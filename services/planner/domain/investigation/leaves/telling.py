"""The answer about leaves in words: the whole beside its forecast, and what is told of it in the
report. A verifier holds every word against the cells (`mesh.proof.movements.off_forecast`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.planner.domain.investigation.cited_sentences import (
    change,
    label,
    level,
    named,
    part,
    probability,
    recorded,
    states,
)
from services.planner.domain.investigation.found import Row
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.reporting.prose import Prose, capital
from services.planner.domain.reporting.story import Speaker

_MOST_LIKELY = 0.5
_WHOLE = ("baseline", "comparison", "difference", "relative")


def headline_of_leaves(ground: Ground, rows: Mapping[str, Row], speaker: Speaker) -> Prose:
    """The whole beside its forecast, in a few words."""
    return states("off_forecast", _rows(rows), capital(_beside(ground, rows, speaker)))


def whole_of_leaves(ground: Ground, rows: Mapping[str, Row], speaker: Speaker) -> Prose:
    """The whole beside its forecast, and how far apart they are."""
    difference, relative = rows["difference"], rows.get("relative")
    parts = [_beside(ground, rows, speaker)]
    if difference.figure("value"):
        parts += [Prose.of(", a difference of "), change(speaker, ground, difference, "value")]
        if relative is not None and relative.figure("value") is not None and not ground.ratio:
            parts.append(Prose.of(" or ", part(speaker, relative, "value", signed=True)))
    prose = states("off_forecast", _rows(rows), capital(Prose.of(*parts)))
    return Prose.of(prose, ".")


def beside_forecast(ground: Ground, rows: Mapping[str, Row], speaker: Speaker) -> tuple[Prose, ...]:
    """Lines of the report on the whole; none where it could not be compared."""
    difference, relative = rows.get("difference"), rows.get("relative")
    if difference is None or difference.figure("value") is None:
        return ()
    parts = [Prose.of("Overall difference: ", change(speaker, ground, difference, "value"))]
    if relative is not None:
        if relative.figure("value") is not None:
            parts.append(Prose.of(" (", part(speaker, relative, "value", signed=True), ")"))
        elif relative["text"]:
            why = (
                str(relative["text"])
                .replace("baseline", "forecast")
                .replace("change", "difference")
            )
            parts.append(Prose.of(" (in per cent: none, ", recorded(why), ")"))
    chance = Prose.of(
        "There are no earlier periods to tell what is usual from: chance is seen in how leaves "
        "scatter around their forecast"
    )
    return Prose.of(*parts), chance


def closest_of_leaves(
    ground: Ground, searched: Sequence[Row], speaker: Speaker
) -> tuple[Prose, ...]:
    """The segment that comes closest to standing out, and how likely chance makes as much; nothing
    where chance mostly does."""
    rows = [row for row in searched if row["kind"] not in ("alike", "total")]
    rows.sort(key=lambda row: (row.figure("p_corrected") or 1.0, row.number))
    if not rows or (rows[0].figure("p_corrected") or 1.0) > _MOST_LIKELY:
        return ()
    [row, *_] = rows
    prose = Prose.of("Closest to standing out: ", named(row.segment))
    if row.figure("baseline") is not None and row.figure("comparison") is not None:
        prose = Prose.of(
            prose,
            ", forecast ",
            level(speaker, ground, row, "baseline"),
            ", actual ",
            level(speaker, ground, row, "comparison"),
        )
    return (
        Prose.of(
            prose,
            "; where there is no cause, the same search finds something as large with a "
            "probability of ",
            probability(speaker, row),
        ),
    )


def way_of(before: float, after: float) -> str:
    """Which way what came lies from its forecast."""
    if after == before:
        return "as forecast"
    return "above its forecast" if after > before else "below its forecast"


def _beside(ground: Ground, rows: Mapping[str, Row], speaker: Speaker) -> Prose:
    before, after = rows["baseline"], rows["comparison"]
    way = way_of(before.figure("value") or 0.0, after.figure("value") or 0.0)
    return Prose.of(
        label(ground),
        f" is {way}: forecast ",
        level(speaker, ground, before, "value"),
        ", actual ",
        level(speaker, ground, after, "value"),
    )


def _rows(rows: Mapping[str, Row]) -> list[Row]:
    return [rows[name] for name in _WHOLE if name in rows]
