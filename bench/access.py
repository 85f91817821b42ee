"""What does it cost to know who calls? `python -m bench.access`

One unary method that answers an empty message, called over a loopback port by sixteen callers at
once: a bare grpc.aio server, the same behind the mesh's interceptors
with names believed, and with a key and a signed token (RS256), which the gateway's own door admits.
The door's keys lie in memory, so that what is measured is the door and no disk. Compared in turns,
in one process each, which serves and calls, with the processor time of both ends, which a busy
machine changes least; besides, the processor time of the door alone.
Target of issue 14, which counts all interceptors: p99 at 16 at most 1.5 times the bare echo's, and
at least 0.7 of its rate. The door itself: tens of microseconds.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from bench.measure import arguments, keep, part, print_table, run

WAYS = ("bare", "names", "key", "signed")
CALLS, CALLERS, WARM_UP, ROUNDS = 4_000, 16, 400, 3
DOOR_CALLS = 20_000
METHOD = "/assay.gateway.v1.CatalogueService/ListTools"


async def echo_part(way: str) -> dict[str, Any]:
    """Rate, p99 in milliseconds and processor time of both ends in microseconds, at sixteen."""
    from grpc import aio

    from assay.gateway.v1 import catalogue_service_pb2 as pb
    from assay.gateway.v1 import catalogue_service_pb2_grpc as pb_grpc
    from mesh.transport.callers import ByName
    from mesh.transport.interceptors import server_interceptors
    from mesh.transport.interceptors.credentials import Credentials

    class Echo(pb_grpc.CatalogueServiceServicer):
        async def ListTools(  # noqa: N802 # the contract's name
            self, request: pb.ListToolsRequest, context: Any
        ) -> pb.ListToolsResponse:
            return pb.ListToolsResponse()

    with TemporaryDirectory(prefix="assay-") as folder:
        credentials, metadata = Credentials(), [("x-assay-user", "ann")]
        credentials.believe(ByName())
        if way in ("key", "signed"):
            door, tokens = await _door(Path(folder))
            credentials.believe(door)
            metadata = [("authorization", f"Bearer {tokens[way]}")]
        interceptors = server_interceptors(credentials=credentials) if way != "bare" else []
        server = aio.server(interceptors=interceptors)
        pb_grpc.add_CatalogueServiceServicer_to_server(Echo(), server)  # type: ignore[abstract]
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub: Any = pb_grpc.CatalogueServiceStub(channel)

            async def calls(count: int) -> list[float]:
                taken = []
                for _ in range(count):
                    began = time.perf_counter()
                    await stub.ListTools(pb.ListToolsRequest(), metadata=metadata)
                    taken.append(time.perf_counter() - began)
                return taken

            await calls(WARM_UP)
            began, spent = time.perf_counter(), time.process_time()
            each = await asyncio.gather(*(calls(CALLS // CALLERS) for _ in range(CALLERS)))
            seconds, spent = time.perf_counter() - began, time.process_time() - spent
        await server.stop(None)
    together = [one for taken in each for one in taken]
    return {
        "rate": len(together) / seconds,
        "processor_us": spent / len(together) * 1e6,
        "p99_ms": quantiles(together, n=100)[98] * 1e3,
    }


async def door_part(way: str) -> dict[str, Any]:
    """Microseconds in which the door lets a caller in whom it knows; and one that it verifies."""
    from mesh.transport.callers import ByName

    with TemporaryDirectory(prefix="assay-") as folder:
        door, tokens = await _door(Path(folder))
        metadata = [("x-assay-user", "ann"), ("user-agent", "bench"), ("traceparent", "00-0-0-0")]
        if way in tokens:
            metadata.append(("authorization", f"Bearer {tokens[way]}"))
        admitting: Any = door if way in tokens else ByName()
        await admitting.admitted(METHOD, metadata, "ipv4:127.0.0.1:4000")
        began = time.process_time()
        for _ in range(DOOR_CALLS):
            await admitting.admitted(METHOD, metadata, "ipv4:127.0.0.1:4000")
        known = (time.process_time() - began) / DOOR_CALLS * 1e6
        fresh = []
        for _ in range(200 if way in tokens else 0):
            door._believed.clear()
            began = time.process_time()
            await door.admitted(METHOD, metadata, "ipv4:127.0.0.1:4000")
            fresh.append((time.process_time() - began) * 1e6)
    return {"known_us": known, "verified_us": median(fresh) if fresh else 0.0}


async def _door(folder: Path) -> tuple[Any, dict[str, str]]:
    """The gateway's door with one key and one issuer, and a token of each."""
    from gateway.admission.allowances import Allowances
    from gateway.admission.app import Admission
    from gateway.admission.refusals import Refusals
    from gateway.admission.roles import needed_roles, signed_tokens
    from gateway.domain.allowance import CallLimits
    from gateway.service import GatewayService
    from gateway.settings import GatewaySettings
    from gateway.tokens.app import ApiKeys
    from mesh import context as calls
    from mesh.clock import SystemClock
    from mesh.config import load
    from mesh.roles import Role
    from tests.unit.gateway.issuing import AUDIENCE, ISSUER, claims, signed, write_keys
    from tests.unit.gateway.test_admission import Log, Store

    settings = load(
        GatewaySettings,
        gateway_jwt_keys=write_keys(folder / "keys"),
        gateway_jwt_issuers=ISSUER,
        gateway_jwt_audiences=AUDIENCE,
    )
    clock, log = SystemClock(), Log()
    keys = ApiKeys(Store(), log, clock)
    with calls.entered(calls.CallContext(tenant="acme", user="bench")):
        _, token = await keys.create("bench", Role.READER, "", None)
    door = Admission(
        keys,
        signed_tokens(settings, clock),
        needed_roles(GatewayService.contracts),
        Refusals(log, clock),
        clock,
        Allowances(CallLimits(), clock),
        by_name=False,
    )
    return door, {"key": token, "signed": signed(claims(datetime.now(UTC)))}


def main() -> None:
    """Print the comparison."""
    options = arguments("access", __doc__).parse_args()
    if options.part == "echo":
        run(echo_part(options.rest[0]))
        return
    if options.part == "door":
        run(door_part(options.rest[0]))
        return
    taken: dict[str, list[Any]] = {way: [] for way in WAYS}
    for _ in range(ROUNDS):
        for way in WAYS:
            taken[way].append(part("access", "echo", way).report)
    seen = {
        way: {name: median(one[name] for one in values) for name in values[0]}
        for way, values in taken.items()
    }
    bare = seen["bare"]
    rows = [
        (
            way,
            round(found["rate"]),
            found["rate"] / bare["rate"],
            round(found["p99_ms"], 2),
            found["p99_ms"] / bare["p99_ms"],
            round(found["processor_us"]),
            round(found["processor_us"] - bare["processor_us"]),
        )
        for way, found in seen.items()
    ]
    headings = ["way", "calls/s at 16", "of bare", "p99 ms", "times bare", "CPU µs", "more"]
    print_table("a call that does nothing", headings, rows)
    doors = {way: part("access", "door", way).report for way in WAYS[1:]}
    lines = [(way, round(d["known_us"], 1), round(d["verified_us"], 1)) for way, d in doors.items()]
    print_table("the door alone, µs", ["way", "known", "verified"], lines)
    keep({"echo": seen, "door": doors}, options.json)


if __name__ == "__main__":
    main()
