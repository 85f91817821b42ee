"""Explanations: what stands out of chance, ranked by how much of the change it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mesh.text.spelling import capitalised
from services.planner.domain.investigation.cited_sentences import (
    change,
    claims_in,
    day,
    level,
    named,
    number,
    part,
    probability,
    recorded,
    states,
)
from services.planner.domain.investigation.evidence_text import MOST_SHARE, evidence_of
from services.planner.domain.investigation.explanation import (
    Effect,
    Evidence,
    Explanation,
    likelihood_of,
)
from services.planner.domain.investigation.faults import (
    each_once,
    fault_in_short,
    fault_in_words,
    is_too_small,
    segment_at_fault,
)
from services.planner.domain.investigation.found import Row
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesising import in_words
from services.planner.domain.investigation.leaves.explaining import (
    story_of_leaves,
    title_of_leaves,
    what_of_leaves,
)
from services.planner.domain.investigation.leaves.judging import fault_of_leaves
from services.planner.domain.investigation.seasons import season
from services.planner.domain.investigation.sources import Sources
from services.planner.domain.investigation.wording import called, cut
from services.planner.domain.reporting.prose import Piece, Prose
from services.planner.domain.reporting.story import Speaker

MOST_EXPLANATIONS = 10
_USUAL = (
    "Earlier periods differ from one another as much: it may be no more than a season or a trend."
)
MIX, RATE, NEW, VANISHED, ALIKE, FAULT = "mix", "rate", "new", "vanished", "alike", "fault"


@dataclass(frozen=True)
class ExplanationText:
    """An explanation and its sentences: in the answer, and as evidence in the report. `cells` are
    its effect, its share and its probability as a table prints them; `doubt` stands before it."""

    explanation: Explanation
    headline: Prose
    evidence: tuple[Prose, ...]
    cells: tuple[str, str, str] = ("", "", "")
    doubt: Prose = field(default_factory=Prose)


def explained_by(
    faults: Sequence[Row],
    found: Sequence[Row],
    ground: Ground,
    speaker: Speaker,
    sources: Sources,
    *,
    usual: bool = False,
    moved: float | None = None,
) -> tuple[ExplanationText, ...]:
    """What explains the change: faults of the data first, then segments by their effect; days
    without rows that are too few for half of the change come last.

    `moved` is the change of the whole as a part of the baseline, where that is known. `sources`
    tell which hypotheses and findings each row bears on. `usual` says that earlier periods differ
    as much as these two.
    """
    explanation_texts: list[ExplanationText] = []
    small = [row for row in each_once(faults) if found and is_too_small(row, ground, moved)]
    for row in each_once(faults):
        if row not in small:
            explanation_texts.append(_of_fault(len(explanation_texts) + 1, row, ground, sources))
    ranked = sorted(found, key=lambda row: -abs(row.figure("effect") or 0.0))
    for row in ranked[: max(0, MOST_EXPLANATIONS - len(explanation_texts) - len(small))]:
        explanation_texts.append(
            _of_row(
                len(explanation_texts) + 1,
                row,
                ground,
                speaker,
                sources,
                usual=usual and row["kind"] == ALIKE,
            )
        )
    for row in small:
        explanation_texts.append(_of_fault(len(explanation_texts) + 1, row, ground, sources))
    return tuple(explanation_texts)


def title_of(kind: str, segment: tuple[tuple[str, str | None], ...]) -> str:
    """An explanation in a few words."""
    named = in_words(segment)
    return {
        ALIKE: "Everything moved alike",
        MIX: f"Changed mix: {named}",
        NEW: f"New: {named}",
        VANISHED: f"Gone: {named}",
    }.get(kind, f"{named} moved by itself")


def _of_row(
    rank: int,
    row: Row,
    ground: Ground,
    speaker: Speaker,
    sources: Sources,
    *,
    usual: bool,
) -> ExplanationText:
    kind = str(row["kind"])
    headline = _headline(rank, row, ground, speaker)
    evidence = tuple(part for part in evidence_of(row, ground, speaker) if part)
    if usual:
        evidence += (Prose.of(_USUAL),)
    pairs = [(part, sources.finding(kind)) for part in evidence]
    if (inside := sources.inside(row.segment)) is not None:
        pairs.append((Prose.of(recorded(inside.summary)), inside.finding_id))
    explanation = Explanation(
        rank=rank,
        title=cut(title_of_leaves(row) if ground.leaf else title_of(kind, row.segment), 100),
        likelihood=likelihood_of(rank),
        evidence=tuple(
            Evidence(text=part.plain, claims=claims_in(part), finding=found)
            for part, found in pairs
        ),
        reasoning=_reasoning(row),
        causal_story=cut(_story(row, ground), 500),
        source_hypotheses=sources.of(kind, row.segment),
        kind=kind,
        segment=row.segment,
        effect=Effect(
            value=row.figure("effect") or 0.0,
            low=row.figure("low"),
            high=row.figure("high"),
            share=row.figure("share"),
            p_value=row.figure("p_corrected"),
            at_most=bool(row["p_at_most"]),
        ),
        onset=str(row["onset"] or ""),
    )
    cells = (
        change(speaker, ground, row, "effect").plain,
        part(speaker, row, "share").plain
        if 0 < (row.figure("share") or 0.0) <= MOST_SHARE
        else "–",
        probability(speaker, row).plain,
    )
    spoken = tuple(part for part, _ in pairs)
    return ExplanationText(explanation, headline, spoken, cells, season(row, ground, speaker))


def _headline(rank: int, row: Row, ground: Ground, speaker: Speaker) -> Prose:
    """The explanation in half a sentence, as the answer tells it."""
    likely = likelihood_of(rank).value.capitalize()
    parts: list[Prose | Piece | str] = [
        f"{likely}: ",
        _what(row, ground, speaker),
        ": an effect of ",
    ]
    parts.append(change(speaker, ground, row, "effect"))
    if 0 < (row.figure("share") or 0.0) <= MOST_SHARE:
        parts += [" or ", part(speaker, row, "share")]
        parts.append(" of the difference" if ground.leaf else " of the change")
    if row["onset"]:
        parts += [" since about ", Prose.of(day(row))]
    if row.figure("p_corrected") is not None:
        below = "below " if row["p_at_most"] else ""
        parts += [f" (p {below}", number(speaker, row, "p_corrected"), ")"]
    return states("explained", [row], *parts)


def _what(row: Row, ground: Ground, speaker: Speaker) -> Prose:
    if ground.leaf is not None:
        return what_of_leaves(row, ground, speaker)
    kind, segment = row["kind"], named(row.segment)
    if kind == ALIKE:
        return Prose.of("everything moved alike")
    if kind == MIX:
        return Prose.of("a changed mix, ", segment)
    if kind == NEW:
        return Prose.of(segment, ", which is new")
    if kind == VANISHED:
        return Prose.of(segment, ", which is gone")
    before, after = row.figure("baseline"), row.figure("comparison")
    if before is None or after is None:
        return segment
    way = "rose" if after > before else "fell" if after < before else "stayed the same,"
    return Prose.of(
        segment,
        f", which {way} from ",
        level(speaker, ground, row, "baseline"),
        " to ",
        level(speaker, ground, row, "comparison"),
    )


def _reasoning(row: Row) -> str:
    p = row.figure("p_corrected")
    text = (
        "It stands out of everything that the same search finds in data without a cause"
        if p is not None
        else "It follows from the data themselves"
    )
    return (
        f"{text}. Likelihood is by rank among the explanations; where the metric moved says "
        "nothing yet of why: the link is associational."
    )


def _story(row: Row, ground: Ground) -> str:
    if ground.leaf is not None:
        return story_of_leaves(row, ground)
    where, metric = in_words(row.segment), called(ground)
    stories = {
        ALIKE: f"Something that touches all segments moved {metric}: a price, a season, a rule, "
        "an outage of everything.",
        MIX: f"{where} makes another part of the whole than before, and its own level differs from "
        f"that of the rest: the mix moved {metric}, not the rates.",
        NEW: f"{where} had nothing in the baseline and adds to {metric} now.",
        VANISHED: f"{where} added to {metric} in the baseline and has nothing now.",
    }
    return stories.get(
        str(row["kind"]),
        f"Something that touches {where} alone moved {metric} there, while the rest went its way.",
    )


def _of_fault(rank: int, row: Row, ground: Ground, sources: Sources) -> ExplanationText:
    text = fault_of_leaves(row) if ground.leaf else fault_in_words(row, ground)
    short = text if ground.leaf else fault_in_short(row, ground)
    likely = likelihood_of(rank).value.capitalize()
    headline = states("at_fault", [row], f"{likely}: the data are at fault, ", recorded(short))
    explanation = Explanation(
        rank=rank,
        title=cut(f"The data: {short}", 100),
        likelihood=likelihood_of(rank),
        evidence=(Evidence(text=text, finding=sources.finding(FAULT)),),
        reasoning="A fault of the data explains a change before anything in the business does: "
        "mend it and ask again.",
        causal_story=cut(f"{capitalised(called(ground))} moved on paper: {short}.", 500),
        source_hypotheses=sources.of(FAULT, segment_at_fault(row)),
        kind=FAULT,
        segment=segment_at_fault(row),
    )
    return ExplanationText(
        explanation, headline, (Prose.of(recorded(capitalised(text)), "."),), ("–", "–", "–")
    )
