"""Asking a language model what it supposes of causes, once an agent's turn, and recording it.

What is recorded is asked for no second time, whoever takes the job over. Without a model, and where
it gives nothing, agents go on by their rules.
"""

from __future__ import annotations

from mesh.ids import derived_id
from services.planner.causal import recording
from services.planner.causal.starting import causal_of
from services.planner.domain.causal.advice import Advice, AdviceInput, told_columns
from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.running import ADVISED, Run
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.decision import Decision
from services.planner.domain.job import Job
from services.planner.jobs.collaborators import Collaborators, Desk

_SHARE_OF_TIME = 0.05
ASKING = frozenset({"domain_knowledge", "critique"})
"""The agents that hear a model's proposals."""


class Advising:
    """Has a model propose, and keeps what it said as a decision of its own."""

    def __init__(self, with_: Collaborators, desk: Desk, brief: Brief) -> None:
        self._with = with_
        self._desk = desk
        self._brief = brief

    async def advised(self, job: Job, run: Run, agent: str) -> tuple[Job, Advice | None]:
        """What a model proposes to an agent; None where there is no model, and after its first
        round: the same question has the same answer."""
        if run.rounds_of(agent):
            return job, None
        decision_id = derived_id(job.job_id, "advise", agent)
        for made in await self._with.jobs.decisions(job.job_id):
            if made.decision_id == decision_id:
                return job, Advice.model_validate(made.decided)
        given = self._given(job, run.state, agent)
        reasoner = self._with.reasoner
        asks = reasoner.causal_arguments if agent == "critique" else reasoner.causal_knowledge
        advice = await asks(given)
        if advice is None:
            return job, None
        reason = advice.failed or advice.reason or "its proposals bind nobody"
        decision = Decision(
            decision_id=decision_id,
            job_id=job.job_id,
            kind=ADVISED,
            reasoner=advice.by,
            reason=reason,
            given={"agent": agent, "told": given.model_dump(mode="json", exclude={"seconds"})},
            decided=advice.model_dump(mode="json"),
            timestamp=self._desk.clock.now(),
        )
        event = recording.advised(job.job_id, agent, advice)
        await self._with.audit.append(job.job_id, event)
        return await self._desk.writer.save(job, decisions=[decision]), advice

    def _given(self, job: Job, state: AnalysisState, agent: str) -> AdviceInput:
        """What the model is told: nothing that policy hides, no value, no result."""
        request = causal_of(job)
        policy = request.policy
        treatment, outcome = (str(name or "") for name in state.get_primary_pair())
        about = " ".join(
            text
            for text in (self._brief.knowledge.notes, state.dataset_info.kaggle_description or "")
            if text and policy.match(text) is None
        )
        found = state.confounder_discovery or {}
        return AdviceInput(
            job_id=job.job_id,
            treatment=treatment,
            outcome=outcome,
            columns=told_columns(state, policy, request.table, self._brief.knowledge.descriptions),
            about=about,
            adjusted=tuple(found.get("adjustment", ())) if agent == "critique" else (),
            seconds=_SHARE_OF_TIME * self._brief.seconds,
        )
