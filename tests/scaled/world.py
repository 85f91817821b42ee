"""The scaled profile as processes of this machine: PostgreSQL, a bucket, and replicas.

Every process has a home of its own, and what replicas share is in the databases and the bucket.
Replicas of a service stand behind one name, a list of their addresses; services talk mutual TLS.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from cryptography.fernet import Fernet
from grpc_health.v1 import health_pb2, health_pb2_grpc

from mesh.config import SERVICES, MeshSettings, load
from mesh.keys import new_key
from mesh.storage.objects.bucket import BucketPlace
from mesh.testing.certificates import Authority
from mesh.testing.object_server import fresh_bucket, object_server
from mesh.testing.postgres import fresh_database, postgres_server
from mesh.testing.qdrant import QdrantAbsent, qdrant_server
from mesh.transport.dial import Dial
from mesh.transport.seal import seal_of
from tests.busy import allowing
from tests.mesh.support import ServiceProcess, start_process

REPLICAS = {"audit": 1, "memory": 1, "executor": 3, "planner": 2, "gateway": 2}
WITH_DATABASES = ("gateway", "planner", "executor")
START_SECONDS = 90.0
GRACE_SECONDS = 90.0
"""Longer than any call takes, however busy the machine: none that is in grace may fail."""
QUICK = {
    "ASSAY_EMBEDDER": "hashed",
    "ASSAY_PLANNER_LEASE_SECONDS": "2.5",
    "ASSAY_PLANNER_RENEW_SECONDS": "0.5",
    "ASSAY_PLANNER_LOOK_SECONDS": "0.2",
    "ASSAY_PLANNER_JOBS_AT_ONCE": "4",
    "ASSAY_PLANNER_WAIT_SECONDS": "900",
    "ASSAY_LOCAL_PATHS": "false",
}
OBSERVED = "tests.scaled.observed"


@dataclass
class Replica:
    """One process, which can end and be started again where it was."""

    service: str
    address: str
    health: str
    settings: MeshSettings
    extra: dict[str, str]
    process: ServiceProcess | None = None

    async def start(self) -> None:
        """Start it, and wait until its probe says that it serves."""
        module = OBSERVED if self.service == "executor" else "services"
        self.process = await asyncio.to_thread(
            start_process,
            [self.service],
            self.settings,
            {**self.extra, "ASSAY_LISTEN": self.address, "ASSAY_HEALTH": self.health},
            module,
        )
        async with (
            asyncio.timeout(allowing(START_SECONDS)),
            grpc.aio.insecure_channel(self.health) as channel,
        ):
            stub: Any = health_pb2_grpc.HealthStub(channel)  # the generated code has no types
            asked = stub.Check(health_pb2.HealthCheckRequest(), wait_for_ready=True)
            await asked

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self.process is not None and self.process.process.poll() is None

    @property
    def pid(self) -> int:
        """Its process."""
        assert self.process
        return self.process.process.pid

    @property
    def log(self) -> Path:
        """What it logs."""
        return self.settings.home / f"{self.service}.log"

    def kill(self) -> None:
        """End it as a lost node would."""
        assert self.process
        self.process.kill()

    async def stop(self) -> int:
        """Ask it to end, as Kubernetes does; its exit code."""
        assert self.process
        return await asyncio.to_thread(self.process.stop, 2 * GRACE_SECONDS)


@dataclass
class Scaled:
    """A mesh of replicas."""

    target: str
    """Where clients reach its gateways."""

    authority: Authority
    """Who signs the services' certificates."""

    runs: Path
    """What `tests.scaled.observed` wrote."""

    replicas: dict[str, list[Replica]] = field(default_factory=dict)

    def all(self) -> list[Replica]:
        """Every process, those that others call first."""
        return [replica for name in REPLICAS for replica in self.replicas.get(name, [])]

    @asynccontextmanager
    async def calling(self, replica: Replica, caller: str) -> AsyncIterator[grpc.aio.Channel]:
        """A channel to one replica alone, with the certificate of the service `caller`."""
        settings = replica.settings.model_copy(
            update={f"{replica.service}_address": replica.address, **self.authority.files(caller)}
        )
        async with Dial(settings, seal_of(settings)) as dial:
            yield dial.to(replica.service)

    async def started_again(self) -> None:
        """Start what has ended, so that the next finds all of it."""
        await asyncio.gather(*(each.start() for each in self.all() if not each.alive))


@contextmanager
def stores() -> Iterator[tuple[dict[str, str], BucketPlace, str]]:
    """What replicas share: databases by service, a bucket, and a Qdrant server where one can be
    had. Raises PostgresAbsent and ObjectServerAbsent."""
    with ExitStack() as stack:
        server = stack.enter_context(postgres_server())
        place = stack.enter_context(object_server())
        try:
            qdrant = stack.enter_context(qdrant_server())
        except QdrantAbsent:
            qdrant = ""  # then memory has Qdrant's engine beside itself
        databases = {name: fresh_database(server) for name in WITH_DATABASES}
        yield databases, fresh_bucket(place), qdrant


@asynccontextmanager
async def scaled(
    folder: Path,
    databases: Mapping[str, str],
    bucket: BucketPlace,
    qdrant: str = "",
    replicas: Mapping[str, int] = REPLICAS,
    extra: Mapping[str, str] | None = None,
) -> AsyncIterator[Scaled]:
    """Run it, with homes kept where an earlier run below `folder` had them.

    `qdrant` is a server's URL, `extra` more of every process's environment: secrets that it names
    are not made anew.
    """
    ports = {name: _free_ports(count) for name, count in replicas.items()}
    probes = {name: _free_ports(count) for name, count in replicas.items()}
    targets = {
        name: "ipv4:" + ",".join(f"127.0.0.1:{port}" for port in ports[name]) for name in SERVICES
    }
    shared = {
        **QUICK,
        "ASSAY_MESH_KEY": new_key(),
        "ASSAY_EXECUTOR_TICKET_KEYS": Fernet.generate_key().decode(),
        "ASSAY_EXECUTOR_MASKING_KEY": new_key(),
        "ASSAY_EXECUTOR_STORE_URL": f"s3://{bucket.bucket}/mesh",
        "ASSAY_EXECUTOR_STORE_ENDPOINT": bucket.endpoint,
        "ASSAY_EXECUTOR_STORE_REGION": bucket.region,
        "ASSAY_EXECUTOR_STORE_KEY": bucket.access_key,
        "ASSAY_EXECUTOR_STORE_SECRET": bucket.secret_key,
        "ASSAY_MEMORY_QDRANT_URL": qdrant,
        "ASSAY_TEST_RUNS": str(folder / "runs.txt"),
        **{f"ASSAY_{name.upper()}_DATABASE": url for name, url in databases.items()},
        **(extra or {}),
    }
    folder.mkdir(parents=True, exist_ok=True)
    mesh = Scaled(targets["gateway"], Authority(folder, "mesh"), folder / "runs.txt")
    mesh.runs.touch()
    addresses: dict[str, Any] = {f"{each}_address": targets[each] for each in SERVICES}
    for name, count in replicas.items():
        known = mesh.authority.issue(name)
        for number in range(count):
            home = folder / f"{name}-{number}"
            home.mkdir(exist_ok=True)
            settings = load(
                MeshSettings,
                home=home,
                drain_seconds=GRACE_SECONDS,
                mesh_key=shared["ASSAY_MESH_KEY"],
                **addresses,
                **known,
            )
            certificates = {f"ASSAY_{key.upper()}": str(path) for key, path in known.items()}
            mesh.replicas.setdefault(name, []).append(
                Replica(
                    name,
                    f"127.0.0.1:{ports[name][number]}",
                    f"127.0.0.1:{probes[name][number]}",
                    settings,
                    {**shared, **certificates},
                )
            )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_stopped, mesh)
        for name in replicas:
            await asyncio.gather(*(replica.start() for replica in mesh.replicas[name]))
        yield mesh


async def _stopped(mesh: Scaled) -> None:
    for replica in reversed(mesh.all()):
        if replica.process:
            await replica.stop()


def _free_ports(number: int) -> list[int]:
    held = [socket.socket() for _ in range(number)]
    for each in held:
        each.bind(("127.0.0.1", 0))
    found = [int(each.getsockname()[1]) for each in held]
    for each in held:
        each.close()
    return found
