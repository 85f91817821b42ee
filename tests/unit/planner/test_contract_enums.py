"""Whatever the domain can say has a number in the contract, and the other way round."""

from __future__ import annotations

from typing import Any

import pytest

from assay.common.v1 import analysis_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2
from mesh.tool import ErrorCategory
from services.executor import contract as executor_contract
from services.executor import contract_probing
from services.executor.probing.outcome import State
from services.planner.contract import answers, calls, jobs, probes
from services.planner.domain.answer import EmptyReason
from services.planner.domain.evidence import ProbeState
from services.planner.domain.jobs.job import JobPhase, JobState
from services.planner.domain.plan import PlanState
from services.planner.domain.query.kinds import Grain
from services.planner.domain.reporting.formats import PER_CENT
from services.planner.domain.step import StepState

# What the domain says, how the contract spells it, and the enum of the contract.
SPOKEN: dict[str, tuple[Any, dict[Any, Any], Any]] = {
    "job states": (JobState, jobs.JOB_STATE_NUMBERS, job_pb2.JobState),
    "step states": (StepState, jobs._STEP_STATES, job_pb2.StepState),
    "phases": (JobPhase, jobs._PHASES, job_pb2.JobPhase),
    "plan states": (PlanState, jobs._PLAN_STATES, analysis_pb2.PlanState),
    "empty answers": (EmptyReason, answers._EMPTY, analysis_pb2.EmptyReason),
    "formats": ([PER_CENT, *Grain], answers._FORMATS, analysis_pb2.ColumnFormat),
    "probes": (
        ProbeState,
        {name: number for number, name in probes._STATES.items()},
        executor_service_pb2.ProbeState,
    ),
    "probes told": (State, contract_probing._STATES, executor_service_pb2.ProbeState),
    "failures told": (ErrorCategory, executor_contract._CATEGORIES, analysis_pb2.ErrorCategory),
    "failures heard": (
        ErrorCategory,
        {name: number for number, name in calls._CATEGORIES.items()},
        analysis_pb2.ErrorCategory,
    ),
}


@pytest.mark.parametrize("what", SPOKEN)
def test_every_word_has_a_number_of_its_own(what: str) -> None:
    words, numbers, enum = SPOKEN[what]
    assert {str(word) for word in words} == {str(word) for word in numbers}
    assert sorted(numbers.values()) == sorted(set(enum.values()) - {0})
