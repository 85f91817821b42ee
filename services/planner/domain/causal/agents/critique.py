"""critique: a defender and a sceptic on record, scores by dimension, APPROVE, ITERATE or REJECT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.planner.domain.causal.advice import turns_of, without_proposals
from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.doubts import doubts_of
from services.planner.domain.causal.effects import calibration_of, declined_in
from services.planner.domain.causal.reproduction import held_to_notebook
from services.planner.domain.causal.results import CritiqueDecision, CritiqueFeedback
from services.planner.domain.causal.scoring import Score, scores_of
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.wording import TRY
from services.planner.domain.plan import Subtask

_FATAL = frozenset({"identification", "comparability", "robustness", "agreement"})
_NEEDED = 3
_NEEDED_MEAN = 3.5


class Critique:
    """Judges the analysis as it stands; asks for no call."""

    name = "critique"
    status = JobStatus.CRITIQUE_REVIEW

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """None: it judges what is there."""
        return ()

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """The feedback of this round, and the debate that it rests on."""
        turns = turns_of(seen.advice, known_of(state, brief), state, state.iteration_count)
        state = state.model_copy(update={"debate_history": (*state.debate_history, *turns)})
        scores = never_above(
            scores_of(without_proposals(state), calibration_of(seen), declined_in(seen)),
            scores_of(state, calibration_of(seen), declined_in(seen)),
        )
        scores = held_to_notebook(scores, seen)
        open_doubts = [
            doubt
            for doubt in doubts_of(state, seen, brief)
            if not any(
                seen.ended(f"r{number}_{doubt.task}") for number in range(state.iteration_count + 1)
            )
        ]
        feedback = judged(scores, state.iteration_count, [d.thought for d in open_doubts])
        debate = debated(scores, state.iteration_count, feedback)
        by_name = {score.dimension: score.score for score in scores}
        debate += [{**turn, "score": by_name[turn["dimension"]]} for turn in turns]
        writes = {"critique_history": [feedback.model_dump()], "debate_history": debate}
        return writes, f"{feedback.decision.value}: {feedback.reasoning}"


def never_above(by_rules: Sequence[Score], with_model: Sequence[Score]) -> list[Score]:
    """Of each dimension the lower score: what a model proposes can only lower one."""
    both = zip(by_rules, with_model, strict=True)
    return [alone if alone.score <= more.score else more for alone, more in both]


def judged(scores: Sequence[Score], iteration: int, open_doubts: Sequence[str]) -> CritiqueFeedback:
    """What the scores come to.

    REJECT where one that all rests on is 1. APPROVE where none is below 3 and the mean is at least
    3.5, and what could be tried to shake the estimate was tried. ITERATE otherwise.
    """
    by_name = {score.dimension: score.score for score in scores}
    fatal = [score for score in scores if score.dimension in _FATAL and score.score == 1]
    weak = [score for score in scores if score.score < _NEEDED]
    mean = sum(by_name.values()) / len(by_name)
    if fatal:
        decision = CritiqueDecision.REJECT
        reasoning = " ".join(score.objection for score in fatal)
    elif weak or mean < _NEEDED_MEAN:
        decision = CritiqueDecision.ITERATE
        reasoning = (
            " ".join(
                s.objection or f"Of {s.dimension} it is {s.score} of 5: {s.defence}" for s in weak
            )
            or f"The mean of the scores is {mean:.1f}, below {_NEEDED_MEAN}."
        )
    elif open_doubts:
        decision = CritiqueDecision.ITERATE
        reasoning = f"Not tried yet: {open_doubts[0]}."
    else:
        decision = CritiqueDecision.APPROVE
        reasoning = f"No dimension is below {_NEEDED} of 5; the mean is {mean:.1f}."
    improvements = [score.improvement for score in scores if score.improvement]
    return CritiqueFeedback(
        decision=decision,
        iteration=iteration,
        scores=by_name,
        issues=tuple(score.objection for score in scores if score.objection),
        improvements=(*(f"{TRY}{thought}." for thought in open_doubts), *improvements),
        reasoning=reasoning,
    )


def debated(
    scores: Sequence[Score], iteration: int, feedback: CritiqueFeedback
) -> list[dict[str, Any]]:
    """The debate on record: the sceptic attacks where the score is lowest, the defender answers
    with what there is or concedes, and what that comes to is the score."""
    debate: list[dict[str, Any]] = []
    for score in sorted(scores, key=lambda one: (one.score, one.dimension)):
        conceded = bool(score.objection) and score.defence in ("", "None.")
        debate.append(
            {
                "iteration": iteration,
                "dimension": score.dimension,
                "sceptic": score.objection or "No objection is left.",
                "defender": "Conceded." if conceded else score.defence,
                "score": score.score,
            }
        )
    debate.append(
        {
            "iteration": iteration,
            "dimension": "verdict",
            "sceptic": feedback.issues[0] if feedback.issues else "No objection is left.",
            "defender": feedback.reasoning,
            "score": round(feedback.mean_score, 2),
            "decision": feedback.decision.value,
        }
    )
    return debate
