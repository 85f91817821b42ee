"""TextService: texts held against the frames that they cite."""

from __future__ import annotations

from typing import Any

from grpc import aio

from assay.gateway.v1 import text_service_pb2 as pb
from assay.gateway.v1 import text_service_pb2_grpc
from gateway.texts.checking import TextChecks
from mesh.prose.bindings import render_plain
from mesh.prose.checking import CheckedText
from mesh.prose.failures import Failure
from mesh.text.harmless import harmless_line

Context = aio.ServicerContext[Any, Any]


class TextServicer(text_service_pb2_grpc.TextServiceServicer):
    """Serves assay.gateway.v1.TextService."""

    def __init__(self, checks: TextChecks) -> None:
        self._checks = checks

    async def CheckText(
        self, request: pb.CheckTextRequest, context: Context
    ) -> pb.CheckTextResponse:
        """What a text says and its frames do not bear out."""
        found, _ = await self._checks.check(request.text, request.frames, request.session_id)
        return _response(found, render_plain(request.text))


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
