"""Holds a text against the jobs that it cites, for whoever checks or publishes one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.common.v1 import job_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.forwarding import answered
from gateway.jobs.frames import Frames
from gateway.ports import Evidence
from gateway.texts.cited import frame_cited, frames_read, is_contested
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import parse_id
from mesh.prose.checking import LONGEST, CheckedText, check_text
from mesh.prose.frames import Frame
from mesh.prose.front_matter import short_names

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_FRAMES = 50


class TextChecks:
    """Checks texts of the caller of the running call. Whose a job is, the planner says."""

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        strangers: Strangers,
        evidence: Evidence,
        frames: Frames,
    ) -> None:
        self._frames = frames
        self._planner = planner
        self._strangers = strangers
        self._evidence = evidence

    async def check(
        self, text: str, frames: Mapping[str, str], session_id: str
    ) -> tuple[CheckedText, dict[str, str]]:
        """What a text says that its frames do not bear out, and their jobs' ids by their names.

        Raises AssayError: NOT_FOUND for what is not the caller's, INVALID_ARGUMENT.
        """
        _check_size(text, frames)
        named = {**await self._of_session(text, session_id), **frames}
        cited = {name: await self._frame(name, job_id) for name, job_id in named.items()}
        found = await asyncio.to_thread(check_text, text, cited)
        return found, {name: parse_id(job_id, name) for name, job_id in named.items()}

    async def _of_session(self, text: str, session_id: str) -> dict[str, str]:
        """The jobs of the frames that the text cites as its session numbers them."""
        if not session_id:
            return {}
        known = await self._frames.named(parse_id(session_id, "session_id"))
        return {name: known[name] for name in short_names(text) if name in known}

    async def _frame(self, name: str, job_id: str) -> Frame:
        wanted = planner_pb.GetJobRequest(job_id=parse_id(job_id, f"frames[{name}]"))
        with self._strangers.noticing("job", wanted.job_id):
            job = (await answered(self._planner.GetJob(wanted), "planner")).job
        rows = await self._rows(job)
        contested = is_contested(job) or await self._reads_contested(job)
        return await asyncio.to_thread(frame_cited, name, job, rows, contested=contested)

    async def _reads_contested(self, job: job_pb2.Job) -> bool:
        """Whether a frame that it was computed from, near or far, is contested."""
        waiting, seen = frames_read(job), set[str]()
        while waiting and len(seen) < _MOST_FRAMES:
            job_id = waiting.pop()
            if job_id in seen:
                continue
            seen.add(job_id)
            wanted = planner_pb.GetJobRequest(job_id=job_id)
            earlier = (await answered(self._planner.GetJob(wanted), "planner")).job
            if is_contested(earlier):
                return True
            waiting += frames_read(earlier)
        return False

    async def _rows(self, job: job_pb2.Job) -> pa.Table | None:
        digest = job.answer.table.digest
        return (await self._evidence.frame(digest))[0] if digest else None


def _check_size(text: str, frames: Mapping[str, str]) -> None:
    if len(text) > LONGEST:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the text has {len(text):,} characters; {LONGEST:,} are the most",
            fields={"text": f"at most {LONGEST:,} characters"},
        )
    if len(frames) > _MOST_FRAMES:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the text cites {len(frames)} frames; {_MOST_FRAMES} are the most",
            fields={"frames": f"at most {_MOST_FRAMES}"},
        )
