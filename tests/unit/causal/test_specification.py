"""Seed 001 line by line: fields, defaults, constants, contracts, statuses and moves as it says."""

from __future__ import annotations

import inspect
from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from services.planner.domain.causal import data_models, graph, results, traces
from services.planner.domain.causal.agents.registry import AGENTS
from services.planner.domain.causal.contracts import ORCHESTRATOR, REQUIRED, WRITES
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import PROGRESS, TRANSITIONS, JobStatus
from tests.unit.causal import specified_models as specified
from tests.unit.causal.frames_of_study import NOW, begun

OURS = (data_models, graph, results, traces)
MODELS = [
    name
    for name, model in vars(specified).items()
    if isinstance(model, type) and issubclass(model, BaseModel) and model is not BaseModel
]


def ours(name: str) -> type[BaseModel]:
    [found] = {vars(module)[name] for module in OURS if name in vars(module)}
    return found  # type: ignore[no-any-return]


def _default(model: type[BaseModel], name: str) -> Any:
    """The default in one spelling: lists for tuples, as JSON has no other."""
    default = model.model_fields[name].get_default(call_default_factory=True)
    return list(default) if isinstance(default, tuple) else default


@pytest.mark.parametrize("name", MODELS)
def test_a_nested_model_has_the_fields_and_defaults_that_are_specified(name: str) -> None:
    mine, theirs = ours(name), vars(specified)[name]
    assert list(mine.model_fields) == list(theirs.model_fields)
    for field in theirs.model_fields:
        if (name, field) == ("AgentTrace", "timestamp"):  # a clock that tests hold gives it
            continue
        assert _default(mine, field) == _default(theirs, field), field


def test_the_state_has_the_fields_and_defaults_that_are_specified() -> None:
    fields = AnalysisState.model_fields
    assert [name for name in fields if name != "progress_percentage"] == list(specified.STATE)
    for name, default in specified.STATE.items():
        if default in ("required", "now"):  # times are those of the clock, when it is created
            assert fields[name].get_default() is PydanticUndefined, name
        else:
            assert _default(AnalysisState, name) == default, name
    assert begun().created_at == begun().updated_at == NOW


def test_each_agent_reads_and_writes_what_its_contract_says() -> None:
    agents = {}
    for line in specified.CONTRACTS.strip().splitlines():
        name, required, written = (part.strip() for part in line.split("|"))
        agents[name] = set(required.split())
        extra = {field for agent, field in specified.ALSO_WRITTEN if agent == name}
        assert WRITES[name] == set(written.split()) | extra, name
    assert agents == REQUIRED
    assert set(agents) == set(AGENTS) == set(WRITES) - {ORCHESTRATOR}
    assert {name: agent.name for name, agent in AGENTS.items()} == {name: name for name in AGENTS}
    assert {name: agent.status.value for name, agent in AGENTS.items()} == specified.JOB_STATUS


def test_each_agent_has_a_file_of_its_own_under_its_name() -> None:
    files = {name: inspect.getfile(type(agent)) for name, agent in AGENTS.items()}
    assert {name: file.rpartition("/")[2] for name, file in files.items()} == {
        name: f"{name}.py" for name in AGENTS
    }


def test_there_are_the_fourteen_statuses_and_the_moves_that_are_drawn() -> None:
    assert [status.value for status in JobStatus] == specified.STATUSES.split()
    assert all(status.name.lower() == status.value for status in JobStatus)
    drawn = {tuple(line.split(" --> ")) for line in specified.DIAGRAM.strip().splitlines()}
    assert {(a.name, b.name) for a, following in TRANSITIONS.items() for b in following} == drawn


def test_progress_rises_along_the_way_and_what_ends_badly_keeps_it() -> None:
    way = [s for s in JobStatus if s in PROGRESS]
    assert [PROGRESS[s] for s in way] == sorted(PROGRESS.values())
    reached = begun().moved(JobStatus.FETCHING_DATA, NOW).moved(JobStatus.PROFILING, NOW)
    assert reached.mark_failed("no", "data_profiler", NOW).progress_percentage == 6.0
    assert reached.mark_cancelling(NOW).mark_cancelled(NOW).progress_percentage == 6.0


def test_the_constants_of_traces_are_those_that_are_specified() -> None:
    assert (traces.MAX_TRACES, traces.MAX_TRACE_OUTPUT_LEN, traces.MAX_TRACE_REASONING_LEN) == (
        50,
        500,
        1000,
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda s, t: s.add_trace(
            traces.AgentTrace(agent_name="critique", timestamp=t, action="a", reasoning="")
        ),
        lambda s, t: s.mark_failed("no such file", "data_profiler", t),
        lambda s, t: s.mark_cancelling(t),
        lambda s, t: s.moved(JobStatus.PROFILING, t),
        lambda s, t: s.changed(t, notebook_path="n.ipynb"),
    ],
)
def test_the_time_of_the_last_change_moves_with_every_one(change: Any) -> None:
    later = NOW + timedelta(seconds=7)
    assert change(begun().moved(JobStatus.FETCHING_DATA, NOW), later).updated_at == later


def test_the_reason_of_a_cancellation_is_kept_and_completion_has_its_time() -> None:
    later = NOW + timedelta(seconds=7)
    assert begun().mark_cancelled(later, "the mesh was stopped").error_message == (
        "the mesh was stopped"
    )
    notebook = begun().model_copy(update={"status": JobStatus.GENERATING_NOTEBOOK})
    done = notebook.mark_completed(later)
    assert (done.status, done.completed_at, done.updated_at) == (JobStatus.COMPLETED, later, later)
