"""Candidates asked of the data: those whose queries run, the same answers merged into one."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.errors import SQL_REFUSED
from services.planner.domain.evidence import (
    PATIENT_LIMITS,
    Evidence,
    Outcome,
    ProbedQuery,
    ProbeState,
)
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.choice.candidate import Candidate, Weighed
from services.planner.domain.reader.choice.outcomes import outcome_features
from services.planner.domain.reader.unread import unread_words

_MOST_LATE = 0.75  # of all queries; then the machine is busy, not a query slow
_FOREMOST = 16  # readings, of which hangs which is chosen
_MOST_LEFT = 5


async def with_evidence(
    candidates: Sequence[Candidate], weighed: Weighed, evidence: Evidence
) -> list[Candidate]:
    """Those whose queries run, the same answers merged, with what the data said."""
    outcomes = await _outcomes([probed(one) for one in candidates], evidence)
    if outcomes and outcomes[0].reason == SQL_REFUSED.code:
        # A declared formula does what no query may: another reading would hide that.
        return without_evidence(candidates[:1], weighed)
    hurried = any(_is_late(outcomes[at]) for at in _foremost(len(outcomes)))
    merged: dict[object, Candidate] = {}
    top = candidates[0].score if candidates else 0.0
    for one, outcome in zip(candidates, outcomes, strict=True):
        if outcome.state is not ProbeState.OK:
            continue
        key = _answer(one, outcome, charted=weighed.scene.charted)
        if key in merged:
            merged[key].votes += 1
            if _reads_more(one, merged[key], weighed.scene):
                one.features |= _left_out(weighed.scene, one)
                _take_over(one, merged[key])
                merged[key] = one
            continue
        one.features |= _left_out(weighed.scene, one)
        one.outcome, one.hurried = outcome, hurried
        one.features["score"], one.features["below the best"] = one.score, top - one.score
        merged[key] = one
    kept = list(merged.values())
    for one in kept:
        one.features["votes"] = float(min(one.votes, 10))
        one.features["candidates"] = len(kept) / 10
        one.features |= outcome_features(one, weighed.shared)
    return kept


def without_evidence(candidates: Sequence[Candidate], weighed: Weighed) -> list[Candidate]:
    """All of them, where the data cannot be asked: by what their words say alone."""
    top = candidates[0].score if candidates else 0.0
    for one in candidates:
        one.features |= _left_out(weighed.scene, one)
        one.features["score"], one.features["below the best"] = one.score, top - one.score
        one.features["votes"], one.features["candidates"] = 1.0, len(candidates) / 10
    return list(candidates)


def _reads_more(one: Candidate, other: Candidate, scene: Scene) -> bool:
    """Whether of two with the same answer one makes use of more words: who is first in January may
    be first in all months, but its numbers are others."""
    return len(unread_words(scene, one)) < len(unread_words(scene, other))


def _take_over(one: Candidate, other: Candidate) -> None:
    """Has a candidate stand for another that has the same answer."""
    one.votes = other.votes
    one.outcome, one.hurried = other.outcome, other.hurried
    for text in ("score", "below the best"):
        one.features[text] = other.features[text]


def _left_out(scene: Scene, one: Candidate) -> dict[str, float]:
    """How many content words it makes no use of, of the few that there are."""
    words = unread_words(scene, one)
    return {
        "left out": float(min(len(words), _MOST_LEFT)),
        "nothing left out": float(not words),
        "values left out": float(len(scene.values_among(words))),
    }


async def _outcomes(queries: Sequence[ProbedQuery], evidence: Evidence) -> Sequence[Outcome]:
    """What the data says; of what it does not say in time, the foremost is asked once more.

    All are on a machine too busy to say anything: which reading is chosen must not hang on that.
    """
    outcomes = list(await evidence(queries))
    late = [at for at, one in enumerate(outcomes) if _is_late(one)]
    if len(late) <= _MOST_LATE * len(outcomes):
        late = [at for at in late if at in _foremost(len(outcomes))]
    if late:
        again = await evidence([queries[at] for at in late], PATIENT_LIMITS)
        for at, one in zip(late, again, strict=True):
            outcomes[at] = one
    return outcomes


def _is_late(one: Outcome) -> bool:
    return one.state in (ProbeState.CUT_OFF, ProbeState.NOT_REACHED)


def _foremost(many: int) -> Sequence[int]:
    """Where the likeliest stand."""
    return range(min(many, _FOREMOST))


def probed(one: Candidate) -> ProbedQuery:
    """A candidate's query as the executor is asked it."""
    assert one.query is not None
    return ProbedQuery(sql=one.query.text, params=one.query.params)


def _answer(one: Candidate, outcome: Outcome, *, charted: bool) -> object:
    """What candidates with the same answer share: the rows, and how they are laid out.

    What is drawn in series counts where a chart is asked for.
    """
    ordered = bool(one.intent.order)
    shape = (len(one.intent.dimensions), sum(m.shown for m in one.intent.measures))
    return (
        shape,
        one.intent.series if charted else None,
        outcome.rows,
        outcome.ordered_digest if ordered else outcome.multiset_digest,
    )
