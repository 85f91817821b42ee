"""A server that refuses an upload before its end is heard, whatever becomes of what was sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import grpc
from grpc import aio

from assay.common.v1.data_pb2 import FileChunk
from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
from mesh.errors import FILE_TOO_LARGE, AssayError
from mesh.keys import new_key
from mesh.transport.dial import open_channel
from mesh.transport.interceptors import server_interceptors
from mesh.transport.seal import Seal
from mesh.transport.status import from_rpc_error

PIECES, TAKEN, TIMES = 64, 8, 150  # about one in thirty was told as INTERNAL


class Refusing(pb_grpc.ExecutorServiceServicer):
    """Takes some pieces of a file, and no more."""

    async def PutSource(
        self, request_iterator: AsyncIterator[pb.PutSourceRequest], context: Any
    ) -> pb.PutSourceResponse:
        taken = 0
        async for _ in request_iterator:
            taken += 1
            if taken == TAKEN:
                break
        raise AssayError(FILE_TOO_LARGE, "the file is larger than 8 pieces")


async def pieces() -> AsyncIterator[pb.PutSourceRequest]:
    for _ in range(PIECES):
        yield pb.PutSourceRequest(chunk=FileChunk(data=b"x" * 65_536))


async def test_a_refusal_that_comes_while_pieces_are_sent_is_never_an_internal_error() -> None:
    seal = Seal([new_key()])
    server = aio.server(interceptors=server_interceptors(seal=seal))
    pb_grpc.add_ExecutorServiceServicer_to_server(Refusing(), server)  # type: ignore[abstract]
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    told: Counter[str] = Counter()
    try:
        async with open_channel(f"127.0.0.1:{port}", "ann", seal=seal) as channel:
            service = pb_grpc.ExecutorServiceStub(channel)
            for _ in range(TIMES):
                try:
                    await service.PutSource(pieces())
                except grpc.RpcError as error:
                    told[from_rpc_error(error).reason.code] += 1
    finally:
        await server.stop(0)

    # On a busy machine gRPC now and then loses what the server sent: then asking again tells.
    assert set(told) <= {"FILE_TOO_LARGE", "SERVICE_UNAVAILABLE"}, told
    assert told["FILE_TOO_LARGE"] > told["SERVICE_UNAVAILABLE"]
