"""Whatever anybody sends, every answer has a reason of ours, and no library speaks to people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from grpc import aio
from grpc_status import rpc_status
from pyarrow import flight

from assay.common.v1 import analysis_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from mesh.clock import SystemClock
from mesh.context import FIRST_ROW_KEY, PRINCIPAL_KEY, Established, Principal
from mesh.errors import REASONS
from mesh.frames.store import FrameStore
from mesh.frames.tickets import Tickets
from mesh.keys import new_key
from mesh.storage.objects.folder import FolderObjects
from mesh.transport.seal import FLIGHT_METHOD, Seal
from mesh.transport.status import from_status
from services.executor.flight import FlightEndpoint
from tests.mesh.cases import CASES
from tests.mesh.every_rpc import called, every_rpc, service_of
from tests.mesh.fuzzed import Fuzz
from tests.mesh.owned import Owned, names
from tests.mesh.support import Caller
from tests.thorough import times

RPCS = every_rpc()
ROUNDS = times(4, 8)
"""Messages for each rpc."""
SEED = 20_240_607

# What a library says, or Python does.
FOREIGN = re.compile(
    r"Traceback|Error\b|Exception|<class|object at 0x|site-packages|\.py\b|sqlalchemy|sqlite3|"
    r"psycopg|pyarrow|protobuf|DecodeError|NoneType|\bNone\b|Errno|dict_|pydantic|builtins|"
    r"validation error|Background on this|codec can't|unexpected keyword|\bint\(\)",
    re.IGNORECASE,
)
# A stream that goes on by itself is left after a moment.
MOMENT, PATIENCE = 1.0, 20.0
ENDLESS = {"/assay.audit.v1.AuditService/Watch"}


def faults(error: grpc.RpcError) -> str:
    """What is wrong with an answer; empty if nothing is."""
    assert isinstance(error, aio.AioRpcError)
    code, text = error.code(), error.details() or ""
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # it has all that is read
    told = from_status(status) if status is not None else None
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:  # told by the caller's own gRPC
        return ""
    if told is None:
        return f"no reason of ours: {code.name}: {text[:300]}"
    if told.reason.code not in REASONS or code in (
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
    ):
        return f"{code.name} {told.reason.code}: {text[:300]}"
    said = " ".join([text, told.remedy, *told.fields.values(), *told.metadata.values()])
    # What the caller sent may be shown; it is taken out by what quotes it.
    if found := FOREIGN.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", said)):
        return f"a library speaks ({found.group()}): {said[:300]}"
    return ""


def said_by_a_library(answer: Any) -> str:
    """What is wrong with an answer that tells of a failure itself."""
    if not isinstance(answer, executor_pb.ExecuteResponse):
        return ""
    seen = answer.observation
    if seen.error_category == analysis_pb2.ERROR_CATEGORY_INTERNAL:
        return f"an observation of our own fault: {seen.error_message[:300]}"
    if found := FOREIGN.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", seen.error_message)):
        return f"a library speaks ({found.group()}): {seen.error_message[:300]}"
    return ""


async def attempt(
    channel: aio.Channel, name: str, method: MethodDescriptor, requests: list[Any], **more: Any
) -> str:
    """What is wrong with the answer to one call."""
    if not method.client_streaming:
        requests = requests[:1]
    seconds = MOMENT if name in ENDLESS else PATIENCE
    try:
        for answer in await called(channel, name, method, requests, seconds=seconds, **more):
            if fault := said_by_a_library(answer):
                return fault
    except grpc.RpcError as error:
        return faults(error)
    return ""


async def attempts(caller: Caller, owned: Owned, seed: int, only: str = "") -> list[str]:
    """Every fault found."""
    found: list[str] = []
    fuzz = Fuzz(seed, sorted(names(owned)))
    for name, method in RPCS.items():
        if only not in name:
            continue
        for requests in chosen(fuzz, name, method, owned):
            fault = await attempt(caller.channel(service_of(name)), name, method, requests)
            if fault:
                found.append(f"{name}: {fault}")
    return found


def chosen(
    fuzz: Fuzz, name: str, method: MethodDescriptor, owned: Owned
) -> Iterator[list[Message | bytes]]:
    """What to send to one rpc: bytes that are none, any message, and good ones spoilt."""
    rounds = 3 if name in ENDLESS else ROUNDS
    for _ in range(rounds // 4):
        yield [fuzz.bytes()]
    for _ in range(rounds):
        if method.client_streaming:
            yield [*fuzz.stream(method.input_type)]
        else:
            yield [fuzz.message(method.input_type)]
    for case in CASES[name]:
        for _ in range(rounds):
            good = case.make(owned)
            if len(good) > 1:
                spoilt = fuzz.random.randrange(len(good))
                good[spoilt] = fuzz.spoilt(good[spoilt])
                good.insert(fuzz.random.randrange(len(good)), fuzz.random.choice(good))
                yield [*good]
            else:
                yield [fuzz.spoilt(good[0])]


async def test_whatever_is_sent_the_answer_has_a_reason_of_ours(
    ann: Caller, bob: Caller, owned: Owned
) -> None:
    for seed, caller in ((SEED, ann), (SEED + 1, bob)):
        assert await attempts(caller, owned, seed) == []


def test_whatever_is_asked_of_the_flight_endpoint_it_answers_in_our_words(tmp_path: Path) -> None:
    store = FrameStore(FolderObjects(tmp_path / "frames"))
    tickets = Tickets([new_key()], 60, SystemClock())
    seal = Seal([new_key()])
    endpoint = FlightEndpoint(
        "127.0.0.1:0", "", lambda _, digest: store.file(digest), tickets, seal
    )
    fuzz = Fuzz(SEED, ["a" * 64])
    try:
        with flight.connect(endpoint.uri) as client:
            for _ in range(ROUNDS):
                for ask in asked_by_flight(client, fuzz, tickets, seal):
                    with pytest.raises((flight.FlightError, pa.ArrowException, OSError)) as refused:
                        ask()
                    said = str(refused.value).partition(". gRPC client")[0]
                    assert not FOREIGN.search(said.partition(". Detail")[0]), said
                    assert "Traceback" not in said, said
    finally:
        endpoint.close()


def asked_by_flight(
    client: flight.FlightClient, fuzz: Fuzz, tickets: Tickets, seal: Seal
) -> list[Callable[[], Any]]:
    """Every method of Arrow Flight, with bytes, users and rows that are anything."""
    ann = seal.sealed(Principal("ann", "ann", Established.KEY), FLIGHT_METHOD, 60).encode()
    user = fuzz.random.choice([ann, ann[:-2], b"", b"a.b", b"x" * 300])
    headers = [(PRINCIPAL_KEY.encode(), user)] * fuzz.random.randrange(3)
    headers += [(FIRST_ROW_KEY.encode(), fuzz.random.choice([b"-1", b"9" * 40, b"x", b""]))]
    options = flight.FlightCallOptions(headers=headers, timeout=20)
    descriptor = flight.FlightDescriptor.for_command(fuzz.bytes())
    good = flight.Ticket(tickets.issue("ann", "a" * 64))
    schema = pa.schema([("a", pa.int64())])

    def put() -> None:
        writer, reader = client.do_put(descriptor, schema, options)
        with writer:
            writer.done_writing()
            reader.read()

    return [
        lambda: client.do_get(flight.Ticket(fuzz.bytes()), options).read_all(),
        lambda: client.do_get(good, options).read_all(),
        lambda: client.get_flight_info(descriptor, options),
        lambda: client.get_schema(descriptor, options),
        lambda: list(client.list_flights(fuzz.bytes(), options)),
        lambda: list(client.list_actions(options)),
        lambda: list(client.do_action(flight.Action("act", fuzz.bytes()), options)),
        put,
    ]
