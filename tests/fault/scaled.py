"""The scaled profile as processes of this machine: PostgreSQL, a bucket, and replicas."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from mesh.config import SERVICES, MeshSettings, load
from mesh.keys import new_key
from mesh.objects.bucket import BucketPlace
from services.executor.settings import ExecutorSettings
from tests.busy import allowing
from tests.mesh.support import ServiceProcess, start_process

REPLICAS = {"audit": 1, "memory": 1, "executor": 3, "planner": 2, "gateway": 2}
START_SECONDS = 90.0
QUICK = {
    "ASSAY_EMBEDDER": "hashed",
    "ASSAY_PLANNER_LEASE_SECONDS": "2.5",
    "ASSAY_PLANNER_RENEW_SECONDS": "0.5",
    "ASSAY_PLANNER_LOOK_SECONDS": "0.2",
    "ASSAY_PLANNER_JOBS_AT_ONCE": "4",
    "ASSAY_LOCAL_PATHS": "false",
}


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
        self.process = await asyncio.to_thread(
            start_process,
            [self.service],
            self.settings,
            {**self.extra, "ASSAY_LISTEN": self.address, "ASSAY_HEALTH": self.health},
        )
        async with (
            asyncio.timeout(allowing(START_SECONDS)),
            grpc.aio.insecure_channel(self.health) as channel,
        ):
            stub: Any = health_pb2_grpc.HealthStub(channel)  # the generated code has no types
            await stub.Check(health_pb2.HealthCheckRequest(), wait_for_ready=True)

    def kill(self) -> None:
        """End it as a lost node would."""
        assert self.process
        self.process.kill()

    async def stop(self) -> int:
        """Ask it to end, as Kubernetes does; its exit code."""
        assert self.process
        return await asyncio.to_thread(self.process.stop, 60.0)


@dataclass
class Scaled:
    """A mesh of replicas."""

    target: str
    """Where clients reach its gateways."""

    replicas: dict[str, list[Replica]] = field(default_factory=dict)

    def all(self) -> list[Replica]:
        """Every process, those that others call first."""
        return [replica for name in REPLICAS for replica in self.replicas.get(name, [])]


@asynccontextmanager
async def scaled(
    folder: Path,
    databases: Mapping[str, str],
    bucket: BucketPlace,
    replicas: Mapping[str, int] = REPLICAS,
    extra: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[Scaled]:
    """Run it; each process has a home of its own, kept from an earlier run where there was one,
    and shares what the databases and bucket hold. `extra` settings are everybody's, secrets as
    well: those it names are not made anew."""
    ports = {name: _free_ports(count) for name, count in replicas.items()}
    probes = {name: _free_ports(count) for name, count in replicas.items()}
    targets = {
        name: "ipv4:" + ",".join(f"127.0.0.1:{port}" for port in ports[name]) for name in SERVICES
    }
    keys = {
        "ASSAY_MESH_KEY": new_key(),
        "ASSAY_EXECUTOR_TICKET_KEYS": _ticket_key(),
        "ASSAY_EXECUTOR_MASKING_KEY": new_key(),
        "ASSAY_EXECUTOR_STORE_URL": f"s3://{bucket.bucket}/mesh",
        "ASSAY_EXECUTOR_STORE_ENDPOINT": bucket.endpoint,
        "ASSAY_EXECUTOR_STORE_REGION": bucket.region,
        "ASSAY_EXECUTOR_STORE_KEY": bucket.access_key,
        "ASSAY_EXECUTOR_STORE_SECRET": bucket.secret_key,
        **{f"ASSAY_{name.upper()}_DATABASE": url for name, url in databases.items()},
        **extra,
    }
    mesh = Scaled(targets["gateway"])
    try:
        for name, count in replicas.items():
            for number in range(count):
                home = folder / f"{name}-{number}"
                home.mkdir(parents=True, exist_ok=True)
                addresses = {f"{each}_address": targets[each] for each in SERVICES}
                settings = load(MeshSettings, home=home, drain_seconds=20.0, **addresses)
                mesh.replicas.setdefault(name, []).append(
                    Replica(
                        name,
                        f"127.0.0.1:{ports[name][number]}",
                        f"127.0.0.1:{probes[name][number]}",
                        settings,
                        {**QUICK, **keys},
                    )
                )
        for name in replicas:
            await asyncio.gather(*(replica.start() for replica in mesh.replicas[name]))
        yield mesh
    finally:
        for replica in reversed(mesh.all()):
            if replica.process and replica.process.process.poll() is None:
                await replica.stop()


def _ticket_key() -> str:
    from cryptography.fernet import Fernet

    assert "executor_ticket_keys" in ExecutorSettings.model_fields
    return Fernet.generate_key().decode()


def _free_ports(number: int) -> list[int]:
    held = [socket.socket() for _ in range(number)]
    for each in held:
        each.bind(("127.0.0.1", 0))
    found = [int(each.getsockname()[1]) for each in held]
    for each in held:
        each.close()
    return found
