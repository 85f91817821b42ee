"""Boards' way to the planner and the executor; implements `gateway.boards.ports.BoardJobs`."""

from __future__ import annotations

import asyncio

from assay.common.v1 import analysis_pb2, job_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.boards.ports import PinFiles, Pinnable
from gateway.boards.results import (
    answer_of,
    asks_back,
    failed,
    failure_of,
    has_ended,
    latest_time,
    pinnable,
    request_of,
)
from gateway.domain.board import Pin, Result
from gateway.forwarding import answered
from gateway.jobs.submitting import SessionFiles, Submitting
from gateway.ports import Evidence
from mesh.errors import ID_REUSED, JOB_FINISHED, NOT_FOUND, AssayError
from mesh.ids import parse_id


class PlannedRuns:
    """Submits what boards ask for as every other job is, and reads what came of it."""

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        submitting: Submitting,
        files: SessionFiles,
        pin_files: PinFiles,
        evidence: Evidence,
        strangers: Strangers,
        local_paths: bool,
    ) -> None:
        self._planner = planner
        self._submitting = submitting
        self._files = files
        self._pin_files = pin_files
        self._evidence = evidence
        self._strangers = strangers
        self._local_paths = local_paths

    async def find(self, job_id: str, local: bool) -> Pinnable:
        """A job of the caller's that can be pinned. Raises AssayError."""
        job_id = parse_id(job_id, "job_id")
        with self._strangers.noticing("job", job_id):
            job = await self._job(job_id)
        return pinnable(job, local, await self._latest(job.answer))

    async def submit(self, pin: Pin, run_id: str) -> None:
        """Make a job of a pin's request. Raises AssayError."""
        request = request_of(pin.request)
        local = pin.local and self._local_paths
        kept = await self._pin_files.of(pin.pin_id)
        ready = await self._submitting.ready_for(
            request, run_id, pin.session_id, local=local, kept=kept
        )
        ready.session_id = pin.session_id
        await self._files.expect(pin.session_id, run_id)
        try:
            await answered(self._planner.CreateJob(ready), "planner")
        except AssayError as error:
            # Another gateway asked for it, and died before it noted that; since then a definition
            # was approved.
            if error.reason is not ID_REUSED:
                raise

    async def result(self, job_id: str) -> Result | None:
        """What a job came to; None while it is under way. Raises AssayError."""
        try:
            job = await self._job(job_id)
        except AssayError as error:
            if error.reason is NOT_FOUND:
                return failed("NOT_FOUND", "its job was deleted before it ended")
            raise
        if job.state == job_pb2.JOB_STATE_WAITING:
            await self._cancel(job_id)
            return asks_back(job)
        if not has_ended(job):
            return None
        if not job.HasField("answer"):
            return failure_of(job)
        return answer_of(job, await self._latest(job.answer))

    async def _job(self, job_id: str) -> job_pb2.Job:
        wanted = planner_pb.GetJobRequest(job_id=job_id)
        return (await answered(self._planner.GetJob(wanted), "planner")).job

    async def _cancel(self, job_id: str) -> None:
        wanted = planner_pb.CancelJobRequest(job_id=job_id)
        try:
            await answered(self._planner.CancelJob(wanted), "planner")
        except AssayError as error:
            if error.reason is not JOB_FINISHED:
                raise

    async def _latest(self, answer: analysis_pb2.Answer) -> tuple[str, str, int]:
        """The latest time in an answer's rows. None where they cannot be read: they may be too
        many, or gone."""
        if not answer.table.digest:
            return "", "", 0
        try:
            table, _ = await self._evidence.frame(answer.table.digest)
        except AssayError:
            return "", "", 0
        return await asyncio.to_thread(latest_time, table, answer.formats)
