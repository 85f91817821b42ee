"""The state that agents share: every field of seed 001, changed by declared patches alone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from services.planner.domain.causal.contracts import REQUIRED, WRITES
from services.planner.domain.causal.graph import CausalPair
from services.planner.domain.causal.patching import Patch, applied, merged
from services.planner.domain.causal.results import (
    CritiqueDecision,
    CritiqueFeedback,
    TreatmentEffectResult,
)
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import TRANSITIONS, JobStatus
from services.planner.domain.causal.traces import (
    MAX_TRACE_OUTPUT_LEN,
    MAX_TRACE_REASONING_LEN,
    MAX_TRACES,
    MOST_CHARACTERS,
    SUMMARY_ACTION,
    AgentTrace,
)
from tests.unit.causal.frames_of_study import NOW, begun

LATER = NOW + timedelta(seconds=5)
FIELDS = """job_id dataset_info status treatment_variable outcome_variable raw_metadata
domain_knowledge data_profile dataframe_path eda_result proposed_dag treatment_effects
analyzed_pairs sensitivity_results confounder_discovery ps_diagnostics data_repairs debate_history
critique_history iteration_count max_iterations notebook_path recommendations agent_traces
error_message error_agent created_at updated_at completed_at""".split()


def effect(treatment: str = "promo", outcome: str = "spend") -> TreatmentEffectResult:
    return TreatmentEffectResult(
        method="OLS",
        estimand="ATE",
        estimate=1.0,
        std_error=0.5,
        ci_lower=0.0,
        ci_upper=2.0,
        treatment_variable=treatment,
        outcome_variable=outcome,
    )


def critique(decision: CritiqueDecision) -> CritiqueFeedback:
    return CritiqueFeedback(
        decision=decision, iteration=0, scores={"data": 3}, issues=(), improvements=(), reasoning=""
    )


def test_it_has_every_field_of_the_specification_and_a_real_progress() -> None:
    assert set(FIELDS) | {"progress_percentage"} == set(AnalysisState.model_fields)
    assert begun().max_iterations == 3
    assert begun().status is JobStatus.PENDING


def test_nobody_changes_it_in_place() -> None:
    state = begun()
    with pytest.raises(ValidationError):
        state.status = JobStatus.COMPLETED


@given(st.lists(st.sampled_from(list(JobStatus)), max_size=12))
def test_whatever_is_asked_only_drawn_moves_are_made_and_progress_never_falls(
    moves: list[JobStatus],
) -> None:
    state = begun()
    for status in moves:
        before = state
        try:
            state = state.moved(status, LATER)
        except ValueError:
            assert status not in TRANSITIONS[before.status] | {before.status}
            continue
        assert status in TRANSITIONS[before.status] | {before.status}
        assert state.progress_percentage >= before.progress_percentage


def test_every_change_moves_the_time_of_the_last_one() -> None:
    assert begun().moved(JobStatus.FETCHING_DATA, LATER).updated_at == LATER
    patch = Patch(agent="notebook_generator", writes={"notebook_path": "x"}, made_at=LATER)
    assert applied(begun(), patch).updated_at == LATER


@pytest.mark.parametrize("agent", sorted(REQUIRED))
def test_an_agent_writes_what_it_declares_and_nothing_else(agent: str) -> None:
    undeclared = next(n for n in FIELDS if n not in WRITES[agent])
    patch = Patch(agent=agent, writes={undeclared: None}, made_at=LATER)
    with pytest.raises(PermissionError, match=f"not {undeclared}"):
        applied(begun(), patch)


def test_two_agents_side_by_side_cannot_write_one_field() -> None:
    graph = {"nodes": [], "edges": [], "discovery_method": "PC"}
    patches = [
        Patch(agent=name, writes={"proposed_dag": graph}, made_at=LATER)
        for name in ("causal_discovery", "dag_expert")
    ]
    with pytest.raises(PermissionError, match="both write proposed_dag"):
        merged(begun(), patches)


def test_lists_are_added_to_and_never_replaced() -> None:
    patch = Patch(
        agent="effect_estimator_react",
        writes={"treatment_effects": [effect().model_dump()]},
        made_at=LATER,
    )
    assert len(applied(applied(begun(), patch), patch).treatment_effects) == 2


def acted(state: AnalysisState, times: int, **told: Any) -> AnalysisState:
    """The state after so many actions of one agent."""
    for number in range(times):
        state = state.add_trace(
            AgentTrace(agent_name="eda_agent", timestamp=LATER, action=str(number), **told)
        )
    return state


def test_traces_are_shortened() -> None:
    state = acted(begun(), 1, reasoning="r" * 5_000, outputs={"told": "o" * 5_000})
    (newest,) = state.agent_traces
    assert len(newest.reasoning) == MAX_TRACE_REASONING_LEN
    assert len(newest.outputs["told"]) == MAX_TRACE_OUTPUT_LEN


def test_traces_are_summed_up_once_there_are_many() -> None:
    state = acted(begun(), 2 * MAX_TRACES, reasoning="it had to be")
    assert len(state.agent_traces) == 2 * MAX_TRACES
    state = acted(state, 1, reasoning="it had to be")
    assert len(state.agent_traces) == 26
    assert state.agent_traces[0].action == SUMMARY_ACTION
    assert state.agent_traces[0].outputs == {"eda_agent": 76}


def test_traces_are_summed_up_once_they_are_long() -> None:
    """As those of calls over many columns are, before they are many."""
    columns = ", ".join(f"column_{number:02}" for number in range(60))
    told = {"reasoning": "estimated", "inputs": {"adjustment": columns, "balance": columns}}
    most = MOST_CHARACTERS // acted(begun(), 1, **told).agent_traces[0].characters
    assert 26 < most < 62, "what one round leaves, as docs/causal.md counts it"
    state = acted(begun(), most, **told)
    assert len(state.agent_traces) == most
    state = acted(state, 1, **told)
    assert len(state.agent_traces) == 26
    assert state.agent_traces[0].outputs == {"eda_agent": most - 24}
    assert state.agent_traces[-1].inputs["adjustment"] == columns[:MAX_TRACE_OUTPUT_LEN]


def test_a_few_traces_are_kept_however_long_they_are() -> None:
    told = {name: "o" * 5_000 for name in "abcdefgh"}
    state = acted(begun(), 40, reasoning="", outputs=told)
    assert len(state.agent_traces) == 26
    assert state.agent_traces[0].outputs == {"eda_agent": 15}


def test_one_pair_is_meant_by_everybody() -> None:
    unnamed = begun(treatment_variable=None, outcome_variable=None)
    assert unnamed.get_primary_pair() == (None, None)
    told = unnamed.changed(LATER, treatment_effects=(effect("a", "b"),))
    assert told.get_primary_pair() == ("a", "b")
    assert told.get_all_pairs() == [("a", "b")]
    studied = told.changed(LATER, analyzed_pairs=(CausalPair(treatment="c", outcome="d"),))
    assert studied.get_primary_pair() == ("c", "d")
    assert studied.get_all_pairs() == [("c", "d")]
    assert begun().get_primary_pair() == ("promo", "spend")
    assert len(told.get_effects_for_pair("a", "b")) == 1


def test_it_iterates_as_long_as_it_may() -> None:
    asked = begun().changed(LATER, critique_history=(critique(CritiqueDecision.ITERATE),))
    assert asked.should_iterate() and not asked.is_approved()
    assert not asked.changed(LATER, iteration_count=3).should_iterate()
    approved = begun().changed(LATER, critique_history=(critique(CritiqueDecision.APPROVE),))
    assert approved.is_approved() and not approved.should_iterate()


def test_it_ends_completed_failed_or_cancelled_with_the_reason() -> None:
    fetching = begun().moved(JobStatus.FETCHING_DATA, LATER)
    failed = fetching.mark_failed("no such file", "data_profiler", LATER)
    assert (failed.status, failed.error_agent) == (JobStatus.FAILED, "data_profiler")
    cancelled = fetching.mark_cancelling(LATER).mark_cancelled(LATER)
    assert cancelled.error_message == "Cancelled by user"
    assert begun().mark_cancelled(LATER).status is JobStatus.CANCELLED


def test_an_interval_holds_its_estimate() -> None:
    with pytest.raises(ValidationError, match="does not hold its estimate"):
        TreatmentEffectResult(
            method="OLS", estimand="ATE", estimate=3.0, std_error=1.0, ci_lower=0.0, ci_upper=2.0
        )
