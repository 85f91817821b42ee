"""A plan may run when it is a DAG of known tools that fits into the time."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.planner.domain.answer import Answer
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.ended import Ended
from services.planner.domain.jobs.job import JobState
from services.planner.domain.plan import Plan, PlanDraft, PlanState, Subtask
from tests.unit.planner.test_job import job

TOOLS = {"sql.run", "plot.render"}


def step(task_id: str, *needs: str, tool: str = "sql.run", cost: float = 0.1) -> Subtask:
    return Subtask(
        task_id=task_id,
        description=task_id,
        tool_name=tool,
        arguments={},
        dependencies=needs,
        estimated_cost_seconds=cost,
    )


def draft(*steps: Subtask, answer: str = "load") -> PlanDraft:
    return PlanDraft(subtasks=steps, reasoning="because", answer_task=answer)


def test_a_sound_plan_has_no_problems() -> None:
    plan = draft(step("load"), step("chart", "load", tool="plot.render"))
    assert plan.problems(TOOLS, 30) == []
    assert plan.total_estimated_seconds == 0.2


def test_a_cycle_is_named_step_by_step() -> None:
    plan = draft(step("load", "shape"), step("shape", "load"))
    (problem,) = plan.problems(TOOLS, 30)
    assert problem.startswith("the plan has a cycle: ")


def test_unknown_tools_missing_dependencies_and_twins_are_all_reported() -> None:
    plan = draft(step("load"), step("load"), step("chart", "nowhere", tool="magic.do"))
    problems = plan.problems(TOOLS, 30)
    assert "subtask load appears twice" in problems
    assert "subtask chart depends on nowhere, which is not in the plan" in problems
    assert "subtask chart uses magic.do, which is no tool here" in problems


def test_a_plan_that_costs_more_than_the_timeout_may_not_run() -> None:
    (problem,) = draft(step("load", cost=31)).problems(TOOLS, 30)
    assert problem == "the plan needs about 31.0 s, the request allows 30 s"


def test_an_empty_plan_says_so() -> None:
    assert "the plan has no subtasks" in draft().problems(TOOLS, 30)


@given(st.lists(st.integers(0, 30), max_size=12, unique=True))
def test_steps_that_only_need_earlier_steps_are_never_a_cycle(numbers: list[int]) -> None:
    names = ["load", *(f"step_{n}" for n in numbers)]
    steps = [step(name, *names[:i]) for i, name in enumerate(names)]
    assert draft(*steps).problems(TOOLS, 30) == []


def plan(state: PlanState) -> Plan:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    return Plan(
        plan_id="1" * 32,
        request_id="0" * 32,
        draft=draft(step("load")),
        created_at=now,
        state=state,
    )


ALLOWED = {
    ("draft", "validated"),
    ("draft", "abandoned"),
    ("validated", "executing"),
    ("validated", "abandoned"),
    ("executing", "completed"),
    ("executing", "abandoned"),
}


@pytest.mark.parametrize(("before", "after"), [*product(PlanState, PlanState)])
def test_a_plan_moves_forward_step_by_step_and_may_be_abandoned_until_its_end(
    before: PlanState, after: PlanState
) -> None:
    if (before.value, after.value) in ALLOWED:
        assert plan(before).moved(after) == plan(after)
        return
    with pytest.raises(ValueError, match=f"a plan that is {before} cannot become {after}"):
        plan(before).moved(after)


@pytest.mark.parametrize(
    ("state", "came_to"),
    [
        (JobState.COMPLETED, PlanState.COMPLETED),
        (JobState.PARTIAL_SUCCESS, PlanState.COMPLETED),
        (JobState.FAILED, PlanState.ABANDONED),
        (JobState.CANCELLED, PlanState.ABANDONED),
    ],
)
def test_the_plan_of_a_job_ends_with_it(state: JobState, came_to: PlanState) -> None:
    running = job(JobState.EXECUTING).model_copy(update={"plan": plan(PlanState.EXECUTING)})
    answered = state in (JobState.COMPLETED, JobState.PARTIAL_SUCCESS)
    failure = None if answered else Failure(reason="STEP_FAILED", message="it broke")
    end = Ended(state=state, answer=Answer() if answered else None, failure=failure)
    ended = end.of(running)
    assert ended.plan == plan(came_to)
