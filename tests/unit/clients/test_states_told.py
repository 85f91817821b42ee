"""States are told in words, of jobs and of plans."""

from __future__ import annotations

import pytest

from assay.common.v1.analysis_pb2 import Plan, PlanState
from assay.common.v1.job_pb2 import JobState
from clients.python.cli.as_json import plan_object, plan_state_name, state_name


@pytest.mark.parametrize("state", [s for s in PlanState.values() if s])
def test_a_plans_state_is_a_word(state: PlanState.ValueType) -> None:
    word = plan_state_name(state)

    assert word.isalpha() and word.islower()
    assert plan_object(Plan(state=state))["state"] == word


def test_a_jobs_state_is_words() -> None:
    assert state_name(JobState.JOB_STATE_PARTIAL_SUCCESS) == "partial success"


def test_a_plan_that_does_not_say_its_state_tells_none() -> None:
    assert plan_object(Plan())["state"] is None
