"""Making a job's recorded calls again. Nothing is decided here: what was recorded is repeated."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping, Sequence

from gateway.domain.recompute import (
    CHECKS,
    SOURCES,
    RecomputedStep,
    call_difference,
    finding_difference,
    source_difference,
)
from gateway.ports import Evidence, Replay
from mesh.errors import INVALID_ARGUMENT, VERIFICATION_FAILED, AssayError, Kind
from mesh.proof.recorded import Recorded, RecordedCall, recorded

# What a source that is gone or changed gives; anything else tells nothing about the record.
_FINDINGS = frozenset({Kind.NOT_FOUND, Kind.WRONG_USE, Kind.DATA})


class Recomputation:
    """Runs the successful calls of a job again, in their order, on what the earlier ones gave."""

    def __init__(self, evidence: Evidence, replay: Replay) -> None:
        self._evidence = evidence
        self._replay = replay

    async def steps(
        self, job_id: str, databases: Sequence[str] = ()
    ) -> AsyncGenerator[RecomputedStep]:
        """First the sources, then every call, then the checks of the statement that was proposed;
        when a source differs, nothing is called.

        `databases` are addresses of the job's databases, in its order. Raises AssayError:
        VERIFICATION_FAILED for a chain that cannot be read, INVALID_ARGUMENT when one is missing.
        """
        found = await self._recorded(job_id)
        if found.plan:
            sources = await self._sources(job_id, databases, found)
            yield sources
            if sources.detail:
                return
        why_not = await self._replay.not_deterministic()
        frames: dict[str, str] = {}
        for call in found.calls.values():
            if not call.succeeded:
                continue
            step = await self._call(
                job_id, databases, call, frames, why_not.get(call.tool_name, "")
            )
            frames[call.task_id] = step.frame_digest
            yield step
        if found.plan.get("proposal"):
            yield await self._checks(job_id, databases, found)

    async def _call(
        self,
        job_id: str,
        databases: Sequence[str],
        call: RecordedCall,
        frames: Mapping[str, str],
        why_not: str,
    ) -> RecomputedStep:
        started = time.monotonic()
        inputs = {task: frames.get(task, digest) for task, digest in call.inputs.items()}
        replayed = await self._replay.run(job_id, databases, call, inputs)
        return RecomputedStep(
            task_id=call.task_id,
            tool_name=call.tool_name,
            call_id=call.call_id,
            detail=call_difference(call, replayed),
            why_not=why_not,
            recorded_digest=call.frame_digest,
            frame_digest=replayed.frame_digest,
            seconds=time.monotonic() - started,
        )

    async def _checks(
        self, job_id: str, databases: Sequence[str], found: Recorded
    ) -> RecomputedStep:
        """The checks of the statement that was proposed, made again."""
        started, proposal = time.monotonic(), found.plan["proposal"]
        only = set(proposal.get("checked", ()))
        question = "" if only else str(found.request.get("intent", ""))
        if proposal["proposer"] == "person":
            question = ""
        then = [(str(one["code"]), str(one["at"])) for one in proposal["findings"]]
        try:
            now = await self._replay.findings(
                job_id, databases, str(proposal["statement"]), question
            )
            detail = finding_difference(then, [one for one in now if not only or one[0] in only])
        except AssayError as error:
            if error.reason.kind not in _FINDINGS:
                raise
            detail = f"its checks cannot be made again: {error.message}"
        return RecomputedStep(CHECKS, detail=detail, seconds=time.monotonic() - started)

    async def _sources(
        self, job_id: str, databases: Sequence[str], found: Recorded
    ) -> RecomputedStep:
        names = [str(source["name"]) for source in found.request.get("data_sources", [])]
        try:
            now = await self._replay.source_digests(job_id, databases)
        except AssayError as error:
            if error.reason is INVALID_ARGUMENT or error.reason.kind not in _FINDINGS:
                raise
            return RecomputedStep(task_id=SOURCES, detail=error.message)
        return RecomputedStep(
            task_id=SOURCES, detail=source_difference(names, found.source_digests, now)
        )

    async def _recorded(self, job_id: str) -> Recorded:
        try:
            entries = [item.entry async for item in self._evidence.entries(job_id)]
            return recorded(entries)
        except ValueError as error:
            raise AssayError(
                VERIFICATION_FAILED, f"the chain of job {job_id[:8]} cannot be read: {error}"
            ) from error
