"""TextService: texts held against the frames that they cite."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from grpc import aio

from assay.common.v1 import job_pb2
from assay.gateway.v1 import text_service_pb2 as pb
from assay.gateway.v1 import text_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.forwarding import answered
from gateway.jobs.frames import Frames
from gateway.ports import Evidence
from gateway.texts.cited import frame_cited, frames_read, is_contested
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import parse_id
from mesh.prose.bindings import render_plain
from mesh.prose.checking import LONGEST, CheckedText, check_text
from mesh.prose.failures import Failure
from mesh.prose.frames import Frame
from mesh.prose.front_matter import short_names
from mesh.text.harmless import harmless_line

if TYPE_CHECKING:
    import pyarrow as pa

Context = aio.ServicerContext[Any, Any]

_MOST_FRAMES = 50


class TextServicer(text_service_pb2_grpc.TextServiceServicer):
    """Serves assay.gateway.v1.TextService. Whose a job is, the planner says."""

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

    async def CheckText(
        self, request: pb.CheckTextRequest, context: Context
    ) -> pb.CheckTextResponse:
        """What a text says and its frames do not bear out."""
        _check_size(request)
        named = {**await self._of_session(request), **request.frames}
        frames = {name: await self._frame(name, job_id) for name, job_id in named.items()}
        found = await asyncio.to_thread(check_text, request.text, frames)
        return _response(found, render_plain(request.text))

    async def _of_session(self, request: pb.CheckTextRequest) -> dict[str, str]:
        """The jobs of the frames that the text cites as its session numbers them."""
        if not request.session_id:
            return {}
        known = await self._frames.named(parse_id(request.session_id, "session_id"))
        return {name: known[name] for name in short_names(request.text) if name in known}

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


def _check_size(request: pb.CheckTextRequest) -> None:
    if len(request.text) > LONGEST:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the text has {len(request.text):,} characters; {LONGEST:,} are the most",
            fields={"text": f"at most {LONGEST:,} characters"},
        )
    if len(request.frames) > _MOST_FRAMES:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the text cites {len(request.frames)} frames; {_MOST_FRAMES} are the most",
            fields={"frames": f"at most {_MOST_FRAMES}"},
        )


def _response(found: CheckedText, plain: str) -> pb.CheckTextResponse:
    return pb.CheckTextResponse(
        failures=[_failure(one) for one in found.failures],
        bound=found.bound,
        frames=found.frames,
        plain=plain,
    )


def _failure(one: Failure) -> pb.TextFailure:
    name = f"TEXT_FAILURE_KIND_{one.code.name}"
    return pb.TextFailure(
        kind=pb.TextFailureKind.Value(name),
        claimed=one.claimed,
        found=harmless_line(one.found),  # of cells
        mend=harmless_line(one.mend),
        line=one.line,
        start=one.start,
        end=one.end,
    )
