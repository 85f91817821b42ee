"""Asking a language model what a study should try or doubt, once an agent's turn, and recording it.

What is recorded is asked for no second time, whoever takes the job over. Without a model, and where
it gives nothing, agents go on by their rules.
"""

from __future__ import annotations

from collections.abc import Iterable

from mesh.ids import derived_id
from services.planner.causal import recording
from services.planner.causal.starting import causal_of
from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.running import ADVISED, Run
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import Job
from services.planner.domain.suggestions import (
    OF_CAUSES,
    OF_DEBATES,
    Kind,
    Suggestions,
    SuggestionsInput,
)
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.ports import Described

_SHARE_OF_TIME = 0.1
_WANTED: dict[str, tuple[str, tuple[Kind, ...]]] = {
    "domain_knowledge": ("causes", OF_CAUSES),
    "critique": ("critique", OF_DEBATES),
}
ASKING = frozenset(_WANTED)
"""The agents that hear what a model suggests."""


class Advising:
    """Has a model suggest, and keeps what it said as a decision of its own."""

    def __init__(
        self, with_: Collaborators, context: JobContext, described: Described, brief: Brief
    ) -> None:
        self._with = with_
        self._context = context
        self._described = described
        self._brief = brief

    async def advised(self, job: Job, run: Run, agent: str) -> tuple[Job, Suggestions | None]:
        """What a model suggests to an agent; None where there is no model, and after its first
        round: the same question has the same answer."""
        if run.rounds_of(agent):
            return job, None
        decision_id = derived_id(job.job_id, "advise", agent)
        for made in await self._with.jobs.decisions(job.job_id):
            if made.decision_id == decision_id:
                return job, Suggestions.model_validate(made.decided)
        given, names = self._given(job, run.state, agent)
        advice = await self._with.reasoner.suggest(given)
        if advice is None:
            return job, None
        advice = advice.placed(names)
        decision = Decision(
            decision_id=decision_id,
            job_id=job.job_id,
            kind=ADVISED,
            reasoner=advice.by,
            reason=advice.failed or "what it suggests binds nobody",
            given={
                "agent": agent,
                "asked": given.asked,
                "wants": list(given.wants),
                "columns": sorted(names),
            },
            decided=advice.model_dump(mode="json"),
            timestamp=self._context.clock.now(),
        )
        event = recording.advised(job.job_id, agent, advice)
        await self._with.audit.append(job.job_id, event)
        return await self._context.writer.save(job, decisions=[decision]), advice

    def _given(
        self, job: Job, state: AnalysisState, agent: str
    ) -> tuple[SuggestionsInput, dict[str, str]]:
        """What the model is told, and what the columns that it may name are called in the rows."""
        # Here, because lists of jobs come by this module and take no statement apart.
        from services.planner.domain.causal.frame_columns import frame_columns, of_frame

        request = causal_of(job)
        policy, catalogue = request.policy, self._described.catalogue
        texts = {
            **state.dataset_info.kaggle_column_descriptions,
            **self._brief.knowledge.descriptions,
        }
        names = frame_columns(self._brief.relation, catalogue)
        about = " ".join(
            text
            for text in (self._brief.knowledge.notes, state.dataset_info.kaggle_description or "")
            if text and policy.match(text) is None
        )
        purpose, wants = _WANTED[agent]
        given = SuggestionsInput(
            job_id=job.job_id,
            purpose=purpose,
            asked=_asked(state, debated=agent == "critique"),
            context=about,
            catalogue=of_frame(names, catalogue, texts),
            policy=policy,
            hidden=self._described.blocked_columns,
            wants=wants,
            seconds=_SHARE_OF_TIME * self._brief.seconds,
        )
        return given, names


def _asked(state: AnalysisState, *, debated: bool) -> str:
    """The question of a study; for its debate, with what was adjusted for."""
    treatment, outcome = state.get_primary_pair()
    asked = f"Asked is what the treatment {treatment!r} does to the outcome {outcome!r}."
    if not debated:
        return f"{asked} Suggest what moves or follows them."
    adjusted = ", ".join((state.confounder_discovery or {}).get("adjustment", [])) or "nothing"
    return (
        f"{asked} It was estimated among rows alike in {adjusted}. You are the sceptic: suggest "
        "what may be wrong."
    )


def list_advice_notes(decisions: Iterable[Decision]) -> list[str]:
    """That a model was of no use, or another had to be asked, for the caveats."""
    heard = [Suggestions.model_validate(d.decided) for d in decisions if d.kind == ADVISED]
    values = [text for one in heard for text in (one.failure_note, one.fell_back)]
    return list(dict.fromkeys(text for text in values if text))
