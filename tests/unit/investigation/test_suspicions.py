"""What was suspected is settled by the search over combinations, and ends no loop before it."""

from __future__ import annotations

from services.planner.domain.investigation.hypothesis import HypothesisStatus, Test
from services.planner.domain.investigation.judging import judged
from services.planner.domain.investigation.next_step import next_step
from services.planner.domain.investigation.state import NEXT, folded
from services.planner.domain.investigation.step_calls import StepInput
from tests.unit.investigation.shop import NOW
from tests.unit.investigation.test_loop import _decision, _found, _grounded, _table

PENDING, CONFIRMED = HypothesisStatus.PENDING, HypothesisStatus.CONFIRMED
FOCUS = "region, channel or segment"


def test_what_was_suspected_stays_open_until_combinations_were_searched() -> None:
    state = folded([_grounded(FOCUS)])
    assert state.grounded is not None
    ground, every = state.grounded.ground, state.hypotheses
    row = {"kind": "value", "value": "web", "difference": 3.0, "p_corrected": 0.7}
    [one] = [h for h in every if h.dimensions == ("channel",)]
    first = judged(one, every, _table("i03_contribution", [row]), ground)
    assert first.changes[0].after is PENDING and "still to be searched" in first.summary

    settled = tuple(
        h.model_copy(update={"status": CONFIRMED}) if h.test is Test.SEARCH else h for h in every
    )
    after = judged(one, settled, _table("i05_contribution", [row]), ground)
    assert after.changes[0].after is HypothesisStatus.RULED_OUT and "still" not in after.summary


def test_a_loop_of_suspicions_that_settle_nothing_still_searches() -> None:
    state, planned = folded([_grounded(FOCUS)]), frozenset[str]()
    tests: list[Test] = []
    while state.concluded is None:
        step = next_step(StepInput(state=state, planned=planned, now=NOW))
        planned |= {task.task_id for task in step.subtasks}
        state = state.after(_decision(NEXT, step, state.next_iteration))
        if state.concluded is None:
            tests.append(state.hypothesis(step.hypothesis).test)
            state = state.after(_found(state, PENDING))
    assert tests[2:6] == [*[Test.DIMENSION] * 3, Test.SEARCH]
