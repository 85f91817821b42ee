"""What the rules do next: a typed decision with its reason, made from what is known so far.

First what is cheap and would make all else void (the data, chance), then a search over everything,
then what the search points at. What was suspected is looked at by itself, whatever the search says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from services.planner.domain.catalogue import Frozen
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.history import CUBE, HISTORY, MARGINS, history_of
from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus, Test
from services.planner.domain.investigation.hypothesising import (
    Segment,
    in_words,
    within_hypothesis,
)
from services.planner.domain.investigation.iteration import (
    MAX_ITERATIONS,
    ExitReason,
    Move,
    NextStep,
)
from services.planner.domain.investigation.leaves.calls import (
    cube_of_leaves,
    faults_of_leaves,
)
from services.planner.domain.investigation.state import Investigation
from services.planner.domain.plan import Subtask

MOST_DRILLED = 3


class StepInput(Frozen):
    """What the next step is decided from; `standing_out` are segments that a search found, the
    largest first, that nobody has looked into; `planned` are the tasks that there are already."""

    state: Investigation
    standing_out: tuple[Segment, ...] = ()
    planned: frozenset[str] = frozenset()
    now: datetime

    @property
    def ground(self) -> Ground:
        """What the investigation stands on."""
        if self.state.grounded is None:
            raise ValueError("nothing is grounded yet")
        return self.state.grounded.ground


def next_step(given: StepInput) -> NextStep:
    """The next move of the rules."""
    state = given.state
    if state.used_up:
        return _end(ExitReason.MAX_ITERATIONS, f"{MAX_ITERATIONS} iterations are all there are")
    if state.stalled and _is_searched(state):
        return _end(
            ExitReason.STALL_DETECTED, "the last three iterations settled no hypothesis either way"
        )
    drilled = sum(h.test is Test.WITHIN for h in state.hypotheses)
    left = MAX_ITERATIONS - len(state.iterations)
    if given.standing_out and drilled < MOST_DRILLED and left > 1:
        return _drill_down(given, given.standing_out[0])
    pending = [h for h in state.hypotheses if h.status is HypothesisStatus.PENDING]
    # The same call over the same data gives the same again: what stays open is looked at once.
    unseen = [h for h in pending if h.hypothesis_id not in _seen(state)]
    if unseen:
        return _looked_at(given, min(unseen, key=lambda h: (h.priority, h.hypothesis_id)))
    if pending:
        return _end(ExitReason.CONCLUDE, "every hypothesis was looked at; the data leave some open")
    return _end(ExitReason.CONCLUDE, "every hypothesis is confirmed or ruled out")


def _is_searched(state: Investigation) -> bool:
    """Whether the search over everything is behind: before it, what was suspected stays open."""
    seen = _seen(state)
    return all(h.hypothesis_id in seen for h in state.hypotheses if h.test is Test.SEARCH)


def _seen(state: Investigation) -> set[str]:
    """Hypotheses that an iteration was about, or that it took along."""
    logs = state.iterations
    taken = {change.hypothesis for log in logs for change in log.hypothesis_status_changes}
    return taken | {finding.hypothesis_affected for finding in state.findings}


def _with_tables(given: StepInput, call: Subtask) -> tuple[Subtask, ...]:
    """The call, after the two tables that it works on where nobody has made them yet: margins, and
    the cube of leaves."""
    if CUBE in given.planned:
        return (call,)
    if given.ground.leaf is not None:
        return (cube_of_leaves(given.ground), call)
    rows, begins = given.ground.rows, given.ground.history_start
    history = {} if begins is None else {"history_start": begins.isoformat()}
    return (
        Subtask(
            task_id=MARGINS,
            description="what each value of each dimension adds in both periods",
            tool_name="metric.margins",
            arguments=rows,
            invariants=("every row of both periods counts once in each dimension",),
        ),
        Subtask(
            task_id=CUBE,
            description="the metric of every combination, day by day",
            tool_name="metric.cube",
            arguments={**rows, **history},
            dependencies=(MARGINS,),
            invariants=("every row from the history's start on counts once",),
        ),
        call,
    )


def _looked_at(given: StepInput, hypothesis: Hypothesis) -> NextStep:
    made = _TESTS[hypothesis.test](given, hypothesis)
    before = given.state.iterations[-1] if given.state.iterations else None
    changed = before is not None and _turns(given, before.hypothesis_status_changes, hypothesis)
    return NextStep(
        move=Move.PIVOT if changed else Move.ANALYZE,
        reason=f"{made[0]}: {hypothesis.title[:1].lower()}{hypothesis.title[1:]}",
        hypothesis=hypothesis.hypothesis_id,
        subtasks=made[1],
        decided_by="rules",
    )


def _turns(given: StepInput, changes: Sequence[Any], hypothesis: Hypothesis) -> bool:
    """Whether this leaves a way of looking that came to nothing: from what was suspected to the
    search over everything, or from that to one dimension."""
    ruled_out = {c.hypothesis for c in changes if c.after is HypothesisStatus.RULED_OUT}
    left = [h for h in given.state.hypotheses if h.hypothesis_id in ruled_out]
    if hypothesis.test is Test.SEARCH:
        return any(h.suspected for h in left)
    return hypothesis.test is Test.DIMENSION and any(h.test is Test.SEARCH for h in left)


def _drill_down(given: StepInput, segment: Segment) -> NextStep:
    number = len(given.state.hypotheses) + 1
    inside = {name for name, _ in segment}
    others = [name for name in given.ground.dimensions if name not in inside]
    made = within_hypothesis(number, segment, others, given.now)
    task = _task(given, "within")
    return NextStep(
        move=Move.DRILL_DOWN,
        reason=f"{in_words(segment)} stands out: is it all of it, or a part?",
        hypothesis=made.hypothesis_id,
        further=(made,),
        subtasks=(
            Subtask(
                task_id=task,
                description=f"what moved differently within {in_words(segment)}"[:200],
                tool_name="metric.search",
                arguments={
                    **_periods(given),
                    "dimensions": others,
                    "within": dict(segment),
                },
                dependencies=(CUBE,),
                estimated_cost_seconds=0.5,
            ),
        ),
        decided_by="rules",
    )


def _quality(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    why = "if the data are at fault, nothing else counts"
    if given.ground.leaf is not None:
        return why, (faults_of_leaves(_task(given, "quality"), given.ground),)
    call = Subtask(
        task_id=_task(given, "quality"),
        description="gaps, repeated rows, missing values and changed units in both periods",
        tool_name="metric.quality",
        arguments=given.ground.rows,
        estimated_cost_seconds=0.5,
    )
    return why, (call,)


def _change(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    history = history_of(given.ground)
    of = HISTORY if history else CUBE
    call = Subtask(
        task_id=_task(given, "change"),
        description="the whole beside its forecast"
        if given.ground.leaf
        else "the whole, in both periods and beside earlier ones",
        tool_name="metric.change",
        arguments={**_periods(given), "input": of},
        dependencies=(of,),
        estimated_cost_seconds=0.3,
    )
    *tables, call = _with_tables(given, call)
    why = "what needs no explanation is not to be explained"
    return why, (*tables, *history, call)


def _search(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    call = Subtask(
        task_id=_task(given, "search"),
        description="segments of any combination of values that moved differently",
        tool_name="metric.search",
        arguments=_periods(given),
        dependencies=(CUBE,),
        estimated_cost_seconds=1.0,
    )
    return "all dimensions at once, and their combinations", _with_tables(given, call)


def _dimension(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    [name] = hypothesis.dimensions
    call = Subtask(
        task_id=_task(given, "contribution"),
        description=f"what each value of {name} adds to the change"[:200],
        tool_name="metric.contribution",
        arguments={**_periods(given), "dimension": name},
        dependencies=(CUBE,),
        estimated_cost_seconds=0.3,
    )
    why = "it was suspected" if hypothesis.suspected else "by itself, to confirm it or rule it out"
    return why, _with_tables(given, call)


def _within(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    step = _drill_down(given, hypothesis.segment)
    return step.reason, step.subtasks


_TESTS: Mapping[Test, Callable[[StepInput, Hypothesis], tuple[str, tuple[Subtask, ...]]]] = {
    Test.QUALITY: _quality,
    Test.CHANGE: _change,
    Test.SEARCH: _search,
    Test.ALIKE: _search,
    Test.DIMENSION: _dimension,
    Test.WITHIN: _within,
}


def _task(given: StepInput, what: str) -> str:
    return f"i{given.state.next_iteration:02d}_{what}"


def _periods(given: StepInput) -> dict[str, Any]:
    return given.ground.periods


def _end(why: ExitReason, reason: str) -> NextStep:
    return NextStep(move=Move.CONCLUDE, reason=reason, exit_reason=why, decided_by="rules")
