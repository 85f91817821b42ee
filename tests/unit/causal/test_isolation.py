"""Agents that run side by side share nothing, and nothing of what they did is ever lost."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from services.planner.causal.dispatching import Dispatching
from services.planner.domain.causal.agent import Seen
from services.planner.domain.causal.agents.registry import AGENTS
from services.planner.domain.causal.patching import Patch, applied
from services.planner.domain.causal.running import PATCHED, Dispatch, Run, folded
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.traces import MAX_TRACES, AgentTrace
from services.planner.domain.decision import Decision
from tests.unit.causal.frames_of_study import BRIEF, NOW, begun

BOTH = ("eda_agent", "causal_discovery")


class Spoiler:
    """An agent that changes whatever it is given, in place, and keeps what it saw."""

    status = JobStatus.EXPLORATORY_ANALYSIS

    def __init__(self, name: str) -> None:
        self.name = name
        self.saw: list[Any] = []

    def calls(self, state: AnalysisState, seen: Seen, brief: Any) -> tuple[()]:
        self._spoil(state)
        return ()

    def writes(self, state: AnalysisState, seen: Seen, brief: Any) -> tuple[dict[str, Any], str]:
        self._spoil(state)
        return {}, ""

    def _spoil(self, state: AnalysisState) -> None:
        known: dict[str, Any] = state.domain_knowledge or {}
        self.saw.append((len(known["tiers"]), len(state.data_repairs[0])))
        known["tiers"].append([self.name])
        state.data_repairs[0]["spoilt"] = self.name


async def test_what_one_agent_does_to_its_state_no_other_sees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agents = {name: Spoiler(name) for name in BOTH}
    for name, agent in agents.items():
        monkeypatch.setitem(AGENTS, name, agent)
    state = begun().changed(
        NOW, domain_knowledge={"tiers": [["age"]]}, data_repairs=({"repair_id": "rep_001"},)
    )
    run = Run(state=state).dispatched(
        Dispatch(agents=BOTH, reason="", patch=Patch(agent="orchestrator", made_at=NOW))
    )

    async def none(job_id: str) -> list[Any]:
        return []

    with_ = SimpleNamespace(jobs=SimpleNamespace(observations=none))
    desk = SimpleNamespace(clock=SimpleNamespace(now=lambda: NOW, monotonic=lambda: 0.0))
    work: Any = Dispatching(with_, desk, None, BRIEF)  # type: ignore[arg-type]
    work._asked(run, Seen())
    job = SimpleNamespace(job_id="a" * 32, plan=None)
    for name in BOTH:
        await work._patch(job, run, name, Seen())

    assert {name: agent.saw for name, agent in agents.items()} == {
        name: [(1, 1), (1, 1)] for name in BOTH
    }
    assert run.state.domain_knowledge == {"tiers": [["age"]]}
    assert run.state.data_repairs == ({"repair_id": "rep_001"},)


def test_traces_that_are_summed_up_stand_whole_in_the_decisions() -> None:
    decisions = []
    for number in range(2 * MAX_TRACES + 5):
        trace = AgentTrace(
            agent_name="eda_agent",
            timestamp=NOW,
            action=f"step {number}",
            reasoning="r" * 5_000,
            outputs={"told": "o" * 5_000},
            tools_called=("causal.explore",),
        )
        patch = Patch(agent="eda_agent", traces=(trace,), made_at=NOW)
        decisions.append(
            Decision.model_validate(
                {
                    "decision_id": str(number),
                    "job_id": "a" * 32,
                    "kind": PATCHED,
                    "reasoner": "rules",
                    "reason": "",
                    "given": {},
                    "timestamp": NOW,
                    "decided": patch.model_dump(mode="json"),
                }
            )
        )

    state = folded(begun(), decisions).state
    kept = [Patch.model_validate(one.decided).traces[0] for one in decisions]

    assert len(state.agent_traces) < len(decisions)
    assert [trace.action for trace in kept] == [f"step {n}" for n in range(len(decisions))]
    assert all(len(t.reasoning) == len(t.outputs["told"]) == 5_000 for t in kept)
    assert all(t.tools_called == ("causal.explore",) for t in kept)


def test_a_patch_shares_nothing_with_the_state_that_it_made() -> None:
    writes: dict[str, Any] = {"domain_knowledge": {"tiers": [["age"]]}}
    patch = Patch(agent="domain_knowledge", writes=writes, made_at=NOW)
    state = applied(begun(), patch)
    writes["domain_knowledge"]["tiers"].append(["promo"])

    assert state.domain_knowledge == {"tiers": [["age"]]}
