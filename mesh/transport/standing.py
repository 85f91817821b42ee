"""What a process of the mesh tells of itself to the others: its version, since when it runs, how
much it does.

Every server of a mesh answers METHOD, whatever services it has, and wakes none of them for it. No
contract in `protos` describes it, since what is here knows none of these: the request has no
fields, the answer is a Struct with the fields of `Standing`. Like all between services, it is for
whoever has the mesh's seal.
"""

from __future__ import annotations

import os
import resource
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.empty_pb2 import Empty
from google.protobuf.struct_pb2 import Struct
from grpc import aio

from mesh.context import service_of
from mesh.ids import new_id
from mesh.transport.status import from_rpc_error

_SERVICE = "assay.standing.Process"
METHOD = f"/{_SERVICE}/Tell"
MOST_REPLICAS = 32
"""Of how many processes behind one name is asked."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a process is. `started_at` is in seconds since 1970, `memory_bytes` is 0 where it is not
    known; `calls` are those under way, by service."""

    instance: str
    version: str
    host: str
    process_id: int
    started_at: float
    processor_seconds: float = 0.0
    memory_bytes: int = 0
    calls: Mapping[str, int] = field(default_factory=dict)


class ThisProcess:
    """This process, as it tells of itself; `under_way` gives the methods of calls under way."""

    def __init__(self, under_way: Callable[[], Sequence[str]]) -> None:
        self._under_way = under_way
        self._instance, self._started_at = new_id(), time.time()

    def standing(self) -> Standing:
        """How it is now."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        calls: dict[str, int] = {}
        for method in self._under_way():
            calls[service_of(method)] = calls.get(service_of(method), 0) + 1
        return Standing(
            instance=self._instance,
            version=_version(),
            host=socket.gethostname(),
            process_id=os.getpid(),
            started_at=self._started_at,
            processor_seconds=used.ru_utime + used.ru_stime,
            memory_bytes=_resident_bytes(used.ru_maxrss),
            calls=calls,
        )

    def register(self, server: aio.Server) -> None:
        """Answer METHOD at a server."""

        async def tell(_request: Empty, _context: aio.ServicerContext[Any, Any]) -> Struct:
            told = Struct()
            told.update(asdict(self.standing()))
            return told

        handler = grpc.unary_unary_rpc_method_handler(
            tell,
            request_deserializer=Empty.FromString,
            response_serializer=Struct.SerializeToString,
        )
        handlers = grpc.method_handlers_generic_handler(_SERVICE, {"Tell": handler})
        server.add_generic_rpc_handlers((handlers,))


async def standings(channel: aio.Channel, peer: str, seconds: float) -> list[Standing]:
    """How the processes of a peer are, as far as the channel reaches them; each has `seconds`.

    Calls go round by turns (mesh.transport.dial), so that all have been asked once nobody new
    answers for a whole round. Raises AssayError where one does not answer.
    """
    ask = channel.unary_unary(
        METHOD,
        request_serializer=Empty.SerializeToString,
        response_deserializer=Struct.FromString,
    )
    found: dict[str, Standing] = {}
    in_vain = 0
    while in_vain <= len(found) and len(found) < MOST_REPLICAS:
        try:
            one = _standing(await ask(Empty(), timeout=seconds))
        except grpc.RpcError as error:
            raise from_rpc_error(error, peer) from error
        in_vain = in_vain + 1 if one.instance in found else 0
        found[one.instance] = one
    return sorted(found.values(), key=lambda one: (one.host, one.started_at, one.instance))


def _standing(told: Struct) -> Standing:
    """Fields that a process of another version does not tell are as good as none."""
    given: dict[str, Any] = dict(told.items())
    return Standing(
        instance=str(given.get("instance", "")),
        version=str(given.get("version", "")),
        host=str(given.get("host", "")),
        process_id=int(given.get("process_id", 0)),
        started_at=float(given.get("started_at", 0.0)),
        processor_seconds=float(given.get("processor_seconds", 0.0)),
        memory_bytes=int(given.get("memory_bytes", 0)),
        calls={str(name): int(count) for name, count in dict(given.get("calls", {})).items()},
    )


def _resident_bytes(highest: int) -> int:
    """Memory that the process takes now, or what it took at most where only that is told."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return highest * (1 if sys.platform == "darwin" else 1024)
    return pages * resource.getpagesize()


def _version() -> str:
    try:
        return version("assay")
    except PackageNotFoundError:  # from a folder of sources that nobody installed
        return ""
