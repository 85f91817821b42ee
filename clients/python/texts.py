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

    async def check(self, text: str, frames: Mapping[str, str]) -> pb.CheckTextResponse:
        """What a text says and the jobs that it cites do not bear out.

        `frames` has whole ids of jobs by the names that the text gives to their tables. Raises
        AssayError: NOT_FOUND for a job that is not the caller's, INVALID_ARGUMENT.
        """
        return await answered(self._stub.CheckText(pb.CheckTextRequest(text=text, frames=frames)))
