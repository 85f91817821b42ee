"""What the rules do next: a typed decision with its reason, made from what is known so far.

There are several ways of looking. First what is cheap and would make all else void (the data,
chance); then what was suspected, each dimension by itself; then a search over everything; then into
each segment that stood out, as long as that shows something; and where the search found nothing,
the dimensions that came closest, each by itself. Hypotheses are tried one at a time, and what one
shows makes the next. A way that shows nothing is left for another (PIVOT); where none is left,
looking on has stalled.
"""

from __future__ import annotations

from services.planner.domain.investigation.hypothesis import (
    Approach,
    Hypothesis,
    HypothesisStatus,
    Test,
)
from services.planner.domain.investigation.iteration import (
    MAX_ITERATIONS,
    STALLED_AFTER,
    ExitReason,
    Move,
    NextStep,
)
from services.planner.domain.investigation.state import Investigation
from services.planner.domain.investigation.step_calls import StepInput, calls_of
from services.planner.domain.investigation.wording import cut

_MOST_NAMED = 3
_MOST_REASON = 450


def next_step(given: StepInput) -> NextStep:
    """The next move of the rules."""
    state = given.state
    untried = state.untried
    if state.used_up:
        text = f"{MAX_ITERATIONS} iterations are all there are; {_came_out(state)}"
        return _end(ExitReason.MAX_ITERATIONS, text + _not_looked_at(untried))
    for approach in Approach:
        left = [h for h in untried if h.approach is approach]
        if left and not _given_up(state, approach):
            return _looked_at(given, left[0])
    if untried:
        text = (
            f"the last {STALLED_AFTER} looks of this kind showed nothing new, and there is no "
            f"other kind left; {_came_out(state)}"
        )
        return _end(ExitReason.STALL_DETECTED, text + _not_looked_at(untried))
    pending = [h for h in state.hypotheses if h.status is HypothesisStatus.PENDING]
    if pending:
        text = "every hypothesis was looked at; the data leave some open"
    else:
        text = "every hypothesis is confirmed or ruled out"
    return _end(ExitReason.CONCLUDE, f"{text}: {_came_out(state)}")


def _given_up(state: Investigation, approach: Approach) -> bool:
    """Whether looking on in this way is given up. What was suspected is looked at whatever comes of
    it: somebody asked for it; and so are the data, chance, and everything at once."""
    return approach in (Approach.INSIDE, Approach.SINGLE) and state.stalled(approach)


def _looked_at(given: StepInput, hypothesis: Hypothesis) -> NextStep:
    reason, subtasks = calls_of(given, hypothesis)
    move = _move(given.state, hypothesis)
    if move is Move.PIVOT:
        reason = f"{_LEFT[_before(given.state)]} showed nothing; {reason}"
    if hypothesis.test is not Test.WITHIN:  # whose reason names it
        reason = f"{reason}: {hypothesis.title[:1].lower()}{hypothesis.title[1:]}"
    return NextStep(
        move=move,
        reason=reason,
        hypothesis=hypothesis.hypothesis_id,
        subtasks=subtasks,
        decided_by="rules",
    )


_LEFT = {
    Approach.SUSPECTED: "what was suspected, by itself,",
    Approach.SEARCH: "the search over everything",
    Approach.INSIDE: "looking into what stands out",
    Approach.SINGLE: "one dimension at a time",
}
"""Ways of looking that may be left for another, in words."""


def _move(state: Investigation, hypothesis: Hypothesis) -> Move:
    if hypothesis.approach is Approach.INSIDE:
        return Move.DRILL_DOWN
    before = _before(state)
    if before not in _LEFT or before is hypothesis.approach:
        return Move.ANALYZE
    return Move.PIVOT if state.fruitless(before) else Move.ANALYZE


def _before(state: Investigation) -> Approach:
    """In which way the last iteration looked."""
    if not state.findings:
        return Approach.DATA
    return state.hypothesis(state.findings[-1].hypothesis_affected).approach


def _came_out(state: Investigation) -> str:
    """How the hypotheses came out, in numbers, and which were borne out."""
    of = {status: 0 for status in HypothesisStatus}
    for one in state.hypotheses:
        of[one.status] += 1
    left = of[HypothesisStatus.PENDING] + of[HypothesisStatus.INVESTIGATING]
    text = f"{of[HypothesisStatus.CONFIRMED]} borne out, {of[HypothesisStatus.RULED_OUT]} ruled out"
    return f"{text}, {left} open" if left else text


def _not_looked_at(untried: tuple[Hypothesis, ...]) -> str:
    if not untried:
        return ""
    named = "; ".join(h.title[:1].lower() + h.title[1:] for h in untried[:_MOST_NAMED])
    more = f"; and {len(untried) - _MOST_NAMED} more" if len(untried) > _MOST_NAMED else ""
    return f"; not looked at: {named}{more}"


def _end(why: ExitReason, reason: str) -> NextStep:
    text = cut(reason, _MOST_REASON)
    return NextStep(move=Move.CONCLUDE, reason=text, exit_reason=why, decided_by="rules")
