"""The answer of an investigation in words: the change in one sentence, and what explains it.

A verifier holds every word of it against the cells (`mesh.proof.movements`), so it is told in few
forms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mesh.text.spelling import capitalised
from services.planner.domain.investigation.cited_sentences import (
    chance_of,
    change,
    interval,
    label,
    level,
    part,
    period,
    recorded,
    sentences,
    states,
)
from services.planner.domain.investigation.explaining import FAULT, ExplanationText
from services.planner.domain.investigation.faults import fault_in_short
from services.planner.domain.investigation.found import ALPHA, Row
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.leaves.judging import fault_of_leaves
from services.planner.domain.investigation.leaves.sides import side_called
from services.planner.domain.investigation.leaves.telling import (
    headline_of_leaves,
    whole_of_leaves,
)
from services.planner.domain.investigation.seasons import habit, habits_in, season
from services.planner.domain.investigation.wording import called
from services.planner.domain.reporting.prose import Prose, capital
from services.planner.domain.reporting.story import Speaker

_MOST_SHOWN = 3
_ANOTHER = 0.25
"""Of a change, by how much the one over the same weekdays differs to be told beside it."""
_WHOLE = ("baseline", "baseline_comparable", "comparison", "difference", "relative")


def headline(ground: Ground, rows: Mapping[str, Row], speaker: Speaker) -> Prose:
    """The change in a few words; without figures where the whole could not be compared."""
    if not _compared(rows):
        text = capitalised(called(ground))
        return Prose.of(
            recorded(text), " ", period(ground, "comparison"), " and ", period(ground, "baseline")
        )
    if ground.leaf is not None:
        return headline_of_leaves(ground, rows, speaker)
    return states("moved", _rows(rows, _WHOLE), capital(_from_to(ground, rows, speaker)))


def whole(ground: Ground, rows: Mapping[str, Row], speaker: Speaker, way: int = 0) -> Prose:
    """The whole in both periods, and whether so much is usual. Where it did not move the `way` that
    the question takes for granted (-1 down, 1 up), that comes first."""
    if not _compared(rows):
        return Prose()
    if ground.leaf is not None:
        return whole_of_leaves(ground, rows, speaker)
    difference, relative = rows["difference"], rows.get("relative")
    parts = [_from_to(ground, rows, speaker), Prose.of(", a change of ")]
    parts.append(change(speaker, ground, difference, "value"))
    if relative is not None and relative.figure("value") is not None and not ground.ratio:
        parts.append(Prose.of(" or ", part(speaker, relative, "value", signed=True)))
    if around := interval(speaker, ground, difference):
        parts.append(Prose.of(" (", around, ")"))
    against = _contradicted(difference, way)
    moved = states(
        "moved", _rows(rows, _WHOLE), Prose.of(*parts) if against else capital(Prose.of(*parts))
    )
    weekdays = _weekdays(ground, rows, speaker)
    return sentences([Prose.of(against, moved, "."), weekdays, usual(rows, speaker)])


def _weekdays(ground: Ground, rows: Mapping[str, Row], speaker: Speaker) -> Prose:
    """The change over the same weekdays, by which chance is told, where it is another one: a period
    with more weekends is no smaller business."""
    row, plain = rows.get("same_weekdays_difference"), rows["difference"].figure("value") or 0.0
    value = row.figure("value") if row is not None else None
    if row is None or value is None or abs(value - plain) <= _ANOTHER * abs(plain):
        return Prose()
    around = interval(speaker, ground, row)
    return states(
        "weekdays",
        [row],
        "Each weekday beside the same weekday, the change is ",
        change(speaker, ground, row, "value"),
        *((" (", around, ")") if around else ()),
        ".",
    )


def _contradicted(difference: Row, way: int) -> Prose:
    """That it did not move the way that is taken for granted; nothing where it did."""
    if way == 0 or (difference.figure("value") or 0.0) * way > 0:
        return Prose()
    text = "It did not rise: " if way > 0 else "It did not fall: "
    return states("contradicted", [difference], text)


def usual(rows: Mapping[str, Row], speaker: Speaker) -> Prose:
    """Whether so much is seen by chance; nothing where there is no history to tell."""
    row = rows.get("p_value")
    p = row.figure("value") if row is not None else None
    if row is None or p is None:
        return Prose()
    at_most = "p_at_most" in rows and bool(rows["p_at_most"].figure("value"))
    likely = chance_of(speaker, row, "value", at_most=at_most)
    text = "So large a change is unusual" if p <= ALPHA else "Such a change is usual"
    of = "" if at_most else "of "
    made = f"{text}: chance makes one with a probability {of}"
    return states("usual", [row], made, likely, ".")


def is_unusual(rows: Mapping[str, Row]) -> bool:
    """Whether the whole moved by more than chance does."""
    p = rows["p_value"].figure("value") if "p_value" in rows else None
    return p is not None and p <= ALPHA


def summary(
    ground: Ground,
    rows: Mapping[str, Row],
    explanations: Sequence[ExplanationText],
    speaker: Speaker,
    searched: Sequence[Row] = (),
    doubts: Sequence[Row] = (),
    way: int = 0,
) -> Prose:
    """The answer in a few sentences; `searched` are the rows of the search over everything,
    `doubts` those about the data, which come first, `way` where the question takes it to have
    moved."""
    parts = [_doubtful(doubts, ground), whole(ground, rows, speaker, way)]
    if not explanations:
        if searched:
            beside = ""
            if is_unusual(rows) and not habits_in(searched):
                beside = ": the whole moved, and no part unlike the rest"
            text = f"No segment stands out of chance{beside}."
            parts.append(states("none_stands_out", searched[:1], text))
        for row in habits_in(searched):
            parts += [habit(row, ground, speaker), season(row, ground, speaker)]
        return sentences(parts) or headline(ground, rows, speaker)
    for one in explanations[:_MOST_SHOWN]:
        parts += [one.doubt, Prose.of(one.headline, ".")]
    links = [one for one in explanations[:_MOST_SHOWN] if one.explanation.kind != FAULT]
    if links:
        parts.append(
            Prose.of("This is associational." if len(links) == 1 else "These are associational.")
        )
    return sentences(parts)


def _doubtful(doubts: Sequence[Row], ground: Ground) -> Prose:
    """What makes the data doubtful, the worst of it; nothing where nothing does."""
    if not doubts:
        return Prose()
    text = fault_of_leaves(doubts[0]) if ground.leaf else fault_in_short(doubts[0], ground)
    return states("in_doubt", doubts[:1], "The data are in doubt: ", recorded(text), ".")


def _compared(rows: Mapping[str, Row]) -> bool:
    needed = ("baseline", "comparison", "difference")
    return all(name in rows and rows[name].figure("value") is not None for name in needed)


def _from_to(ground: Ground, rows: Mapping[str, Row], speaker: Speaker) -> Prose:
    value = rows["difference"].figure("value") or 0.0
    way = " rose from " if value > 0 else " fell from " if value < 0 else " stayed the same, from "
    whole = rows["baseline"]
    before = rows.get("baseline_comparable", whole)
    parts = [
        label(ground),
        way,
        level(speaker, ground, before, "value"),
        " ",
        period(ground, "baseline"),
    ]
    if before.figure("value") != whole.figure("value") and not ground.distinct:
        parts += [
            " (",
            level(speaker, ground, whole, "value"),
            ", scaled to the days of ",
            recorded(side_called(ground, "comparison")),
            ")",
        ]
    parts += [
        " to ",
        level(speaker, ground, rows["comparison"], "value"),
        " ",
        period(ground, "comparison"),
    ]
    return Prose.of(*parts)


def _rows(rows: Mapping[str, Row], names: Sequence[str]) -> list[Row]:
    return [rows[name] for name in names if name in rows]


__all__ = ["headline", "summary", "usual", "whole"]
