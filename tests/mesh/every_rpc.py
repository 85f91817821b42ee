"""Every rpc of every service, found by the contracts' descriptors."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Iterable
from typing import Any

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc import aio

from tests.mesh.support import REPOSITORY

PROTOS = REPOSITORY / "protos"


def every_rpc() -> dict[str, MethodDescriptor]:
    """All methods, by "/package.Service/Name"."""
    found: dict[str, MethodDescriptor] = {}
    for path in sorted(PROTOS.rglob("*_service.proto")):
        name = ".".join(path.relative_to(PROTOS).with_suffix("").parts)
        for service in importlib.import_module(f"{name}_pb2").DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                found[f"/{service.full_name}/{method.name}"] = method
    return found


def service_of(method: str) -> str:
    """ "gateway" of "/assay.gateway.v1.JobService/GetJob"."""
    return method.split(".")[1]


async def called(
    channel: aio.Channel,
    name: str,
    method: MethodDescriptor,
    requests: Iterable[Message | bytes],
    *,
    seconds: float = 60.0,
    most: int = 5,
    metadata: tuple[tuple[str, str], ...] = (),
) -> list[Any]:
    """The answers of a call, at most so many; messages that are bytes are sent as they are."""
    kind = f"{'stream' if method.client_streaming else 'unary'}_"
    kind += "stream" if method.server_streaming else "unary"
    stub = getattr(channel, kind)(
        name,
        request_serializer=lambda part: (
            part if isinstance(part, bytes) else part.SerializeToString()
        ),
        response_deserializer=GetMessageClass(method.output_type).FromString,
    )
    given = list(requests)
    sent = _each(given) if method.client_streaming else given[0]
    call = stub(sent, timeout=seconds, metadata=metadata)
    if not method.server_streaming:
        return [await call]
    answers: list[Any] = []
    try:
        async for answer in call:
            answers.append(answer)
            if len(answers) >= most:
                break
    finally:
        call.cancel()
    return answers


async def _each(given: list[Message | bytes]) -> AsyncIterator[Message | bytes]:
    for part in given:
        yield part
