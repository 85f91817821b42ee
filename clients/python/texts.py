"""Texts whose numbers are bound to cells of results."""

from __future__ import annotations

from collections.abc import Mapping

from assay.gateway.v1 import text_service_pb2 as pb
from assay.gateway.v1 import text_service_pb2_grpc
from clients.python.calls import answered


class Texts:
    """TextService as methods; every one raises AssayError."""

    def __init__(self, stub: text_service_pb2_grpc.TextServiceStub) -> None:
        self._stub = stub

    async def check(
        self, text: str, frames: Mapping[str, str], session: str = ""
    ) -> pb.CheckTextResponse:
        """What a text says and the jobs that it cites do not bear out.

        `frames` has whole ids of jobs by the names that the text gives to their tables; those of a
        `session` are known by its own names, such as f3. Raises AssayError: NOT_FOUND for what is
        not the caller's, INVALID_ARGUMENT.
        """
        request = pb.CheckTextRequest(text=text, frames=frames, session_id=session)
        return await answered(self._stub.CheckText(request))
