"""ghz, which sends calls at a rate, whatever becomes of those before (an open loop).

A closed loop waits for each answer before it asks again, and so offers less just when a server is
slow: it does not see the wait that people would ("coordinated omission"). `scripts/tools.sh ghz`
builds it.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from assay.gateway.v1 import job_service_pb2

GHZ = Path(__file__).resolve().parents[2] / ".tools" / "ghz"
CALL = "assay.gateway.v1.JobService/CreateJob"
CALL_SECONDS = 20
PIECE_SECONDS = 15


class GhzAbsent(Exception):
    """There is no ghz here."""


@dataclass(frozen=True)
class Sent:
    """What became of calls that were sent at a rate: how many ended how, and how long those that
    were answered took, in milliseconds."""

    ends: dict[str, int]
    milliseconds: tuple[float, ...]

    @property
    def calls(self) -> int:
        """All of them."""
        return sum(self.ends.values())

    def quantile(self, share: float) -> float:
        """How long that share of the answered calls took at most."""
        taken = sorted(self.milliseconds) or [0.0]
        return taken[min(len(taken) - 1, int(share * len(taken)))]

    def share_of_errors(self, *expected: str) -> float:
        """Calls that ended neither OK nor as `expected`, of all."""
        fine = sum(self.ends.get(each, 0) for each in ("OK", *expected))
        return 1.0 - fine / max(1, self.calls)


def contracts() -> bytes:
    """The contract of JobService with all that it imports, as ghz reads it."""
    found: dict[str, FileDescriptorProto] = {}

    def take(file: FileDescriptor) -> None:
        for each in file.dependencies:
            take(each)
        if file.name not in found:
            found[file.name] = FileDescriptorProto()
            file.CopyToProto(found[file.name])

    take(job_service_pb2.DESCRIPTOR)
    return FileDescriptorSet(file=found.values()).SerializeToString()


def found() -> Path:
    """Where ghz is. Raises GhzAbsent."""
    if not GHZ.exists():
        raise GhzAbsent(f"there is no {GHZ}; scripts/tools.sh ghz builds it where Go is")
    return GHZ


def in_pieces(rate: float, pieces: int) -> list[int]:
    """Whole rates, all that ghz knows, one a piece of the time, which are `rate` on average."""
    return [round((each + 1) * rate) - round(each * rate) for each in range(pieces)]


async def sent(address: str, bodies: Sequence[dict[str, Any]], rate: float, seconds: float) -> Sent:
    """Send CreateJob for the bodies in turn, for four users, `rate` times a second on average.

    Raises GhzAbsent, and RuntimeError with what ghz says when it fails.
    """
    of_their_own = [{**body, "request_id": "{{newUUID | replace `-` ``}}"} for body in bodies]
    rates = in_pieces(rate, max(1, round(seconds / PIECE_SECONDS)))
    ends: Counter[str] = Counter()
    milliseconds: list[float] = []
    with tempfile.NamedTemporaryFile(suffix=".binpb") as protoset:
        protoset.write(contracts())
        protoset.flush()
        for whole in rates:
            if not whole:
                await asyncio.sleep(seconds / len(rates))
                continue
            values = await _run(address, protoset.name, of_their_own, whole, seconds / len(rates))
            ends.update(values["statusCodeDistribution"])
            milliseconds += (
                each["latency"] / 1e6 for each in values["details"] if each["status"] == "OK"
            )
    return Sent(dict(ends), tuple(milliseconds))


async def _run(
    address: str, protoset: str, bodies: list[dict[str, Any]], rate: int, seconds: float
) -> dict[str, Any]:
    command = [
        *(str(found()), "--insecure", "--async", "--protoset", protoset, "--call", CALL),
        *("--format", "json"),
        *("--rps", str(rate), "--duration", f"{seconds:g}s"),
        *("--duration-stop", "wait", "--timeout", f"{CALL_SECONDS}s"),
        *("--concurrency", "50", "--connections", "4"),
        *("--metadata", json.dumps({"x-assay-user": "user{{mod .RequestNumber 4}}"})),
        *("--data", json.dumps(bodies)),
        address,
    ]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    printed, errors = await process.communicate()
    try:
        values: dict[str, Any] = json.loads(printed)
    except json.JSONDecodeError:
        raise RuntimeError(f"ghz failed: {(errors or printed).decode()[-1000:]}") from None
    return values
