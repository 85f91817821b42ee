"""Responses of turns, made again from what their jobs hold whenever they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import TypeAdapter

from mesh import context as calls
from mesh.errors import NOT_FOUND, AssayError
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.conversation.response import Response, response_of
from services.planner.domain.conversation.turn import TurnKind
from services.planner.domain.conversation.turn_input import Reading
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import Job, JobEvent
from services.planner.domain.jobs.kinds import Result
from services.planner.store_ports import JobStore

_RESULT: TypeAdapter[Result] = TypeAdapter(Result)


class Responses:
    """Reads what jobs of the caller's conversations came to."""

    def __init__(self, jobs: JobStore) -> None:
        self._jobs = jobs

    async def all(self, ends: Sequence[tuple[str, int]]) -> list[Response | None]:
        """The response of each turn, by its job and last event; None of another's."""
        return [await self._known(job_id, sequence) for job_id, sequence in ends]

    async def _known(self, job_id: str, sequence: int) -> Response | None:
        try:
            return await self.of(await self._jobs.get(calls.current().tenant, job_id), sequence)
        except AssayError as error:
            if error.reason is NOT_FOUND:
                return None
            raise

    async def of(self, job: Job, until: int) -> Response:
        """The response of the turn of a job that ended with that event; 0 for the last there is."""
        events = await self._jobs.events(job.job_id, 0)
        if until:
            events = [event for event in events if event.sequence <= until]
        decisions = await self._jobs.decisions(job.job_id)
        end = events[-1].sequence if events else 0
        since = begun_after(decisions, end)
        planned = _planned(decisions)
        return response_of(
            job,
            events,
            await self._jobs.observations(job.job_id),
            _answer(events),
            since=since,
            edit=planned.edit,
            suggestions=_suggested(decisions, end),
            domain=planned.domain,
        )


def _answer(events: Sequence[JobEvent]) -> Result | None:
    job_event = next((event for event in reversed(events) if event.kind == "answer"), None)
    return _RESULT.validate_python(job_event.data) if job_event is not None else None


def begun_after(decisions: Sequence[Decision], until: int) -> int:
    """The last event before the turn that has the event `until`."""
    begun = [int(d.given["after"]) for d in decisions if d.kind == "turn"]
    return max((after for after in begun if after < until), default=0)


def _planned(decisions: Sequence[Decision]) -> Planning:
    plans = [decision for decision in decisions if decision.kind == "plan"]
    return Planning.model_validate(plans[-1].decided) if plans else Planning()


def _suggested(decisions: Sequence[Decision], until: int) -> tuple[str, ...]:
    for decision in decisions:
        if decision.kind == "suggest" and decision.given["sequence"] == until:
            return tuple(decision.decided["suggestions"])
    return ()


def reading_of(decision: Decision) -> Reading:
    """A turn's reading as it was recorded."""
    return Reading(
        kind=TurnKind(decision.decided["kind"]),
        reason=decision.reason,
        job_id=decision.job_id,
        follows_job_id=str(decision.decided["follows_job_id"]),
    )
