"""What was planted as a secret is in no log, span or metric: neither where all goes well, nor where
it does not. Every service is a process; logs are what they write, spans and metrics arrive by OTLP.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest
import pytest_asyncio
from grpc import aio

from assay.common.v1 import access_pb2, job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import token_service_pb2 as tokens_pb
from mesh.config import SERVICES, MeshSettings
from mesh.transport.dial import open_channel
from mesh.transport.status import from_rpc_error
from tests.mesh.otlp import Receiver, receiving
from tests.mesh.postgres_world import PASSWORD, reader
from tests.mesh.support import Caller, processes, question

WRONG = "Wr0ng-pa55word"
CELL = "zebrafish-9137"
COLUMN = "quokka_margin"
FILE = "axolotl.csv"
FORGED = "assay_0123456789abcdef_" + "q" * 43
ASKED = "narwhal"

PLANTED = {
    "a password": PASSWORD,
    "a password, as in an address": quote(PASSWORD, safe=""),
    "a wrong password": WRONG,
    "a cell": CELL,
    "a column": COLUMN,
    "a file's name": FILE,
    "a word of a question": ASKED,
    "a token that is none": FORGED,
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / FILE
    rows = [f"{CELL if n % 3 else 'tuna'},{n},2024-01-{n % 28 + 1:02d}" for n in range(40)]
    path.write_text("\n".join([f"kind,{COLUMN},sold_on", *rows]) + "\n")
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / f"broken-{FILE}"
    path.write_bytes(b"kind," + COLUMN.encode() + b"\n" + f'"{CELL},1\n'.encode() * 30)
    return path


@pytest_asyncio.fixture
async def receiver() -> AsyncIterator[tuple[Receiver, str]]:
    async with receiving() as found:
        yield found


def statement(sql: str, *places: Path) -> jobs_pb.CreateJobRequest:
    request = question("", *places)
    request.analysis.statement = sql
    return request


async def everything(caller: Caller, owner: str, data: Path, broken: Path) -> list[job_pb2.Job]:
    """Questions that are answered, asked back, refused and that fail, each with what is planted."""
    about = [
        question(f"total {COLUMN} of {CELL} by kind", data, timeout=120),
        question(f"{ASKED} {COLUMN} by unheard-of {ASKED}", data, assume=False, timeout=120),
        question(f"{COLUMN} by kind", broken, timeout=60),
        question(f"{COLUMN} by kind", data, blocked=(COLUMN,), timeout=60),
        statement(f"select {COLUMN}, '{CELL}' as {ASKED} from {data.stem}", data),
        statement(f"select {ASKED}({COLUMN}) from {data.stem} where kind = '{CELL}'", data),
        statement(f"select cast(kind as integer) as {ASKED} from {data.stem}", data),
    ]
    for url in (reader(owner), reader(owner, WRONG), f"mysql://u:{WRONG}@db.invalid/{ASKED}"):
        request = question("total amount by region", timeout=120)
        request.analysis.data_sources.add(connection_string=url)
        about.append(request)
    jobs = []
    for request in about:
        try:
            jobs.append(await caller.asked(request))
        except aio.AioRpcError as error:
            assert from_rpc_error(error).reason.code != "INTERNAL", error
    return jobs


async def tokens(settings: MeshSettings, caller: Caller) -> str:
    """A token that is believed, after it and one that is not were shown."""
    made = await caller.tokens.CreateToken(
        tokens_pb.CreateTokenRequest(user="ann", label=ASKED, role=access_pb2.ROLE_ANALYST)
    )
    for token in (made.secret, FORGED, made.secret[:-4] + "AAAA"):
        async with open_channel(settings.gateway_address, token=token) as channel:
            stub = type(caller.jobs)(channel)
            try:
                await stub.ListJobs(jobs_pb.ListJobsRequest())
            except aio.AioRpcError as error:
                assert from_rpc_error(error).reason.code == "TOKEN_REFUSED"
    return str(made.secret)


async def test_no_secret_and_no_data_is_in_a_log_a_span_or_a_metric(
    owner: str, apart: MeshSettings, data: Path, broken: Path, receiver: tuple[Receiver, str]
) -> None:
    collected, endpoint = receiver
    telemetry = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_EXPORTER_OTLP_INSECURE": "true",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OTEL_METRIC_EXPORT_INTERVAL": "2000",
        "ASSAY_LOG_FORMAT": "json",
    }
    async with processes(apart, [[name] for name in SERVICES], telemetry), Caller(apart) as caller:
        jobs = await everything(caller, owner, data, broken)
        token = await tokens(apart, caller)
        async with asyncio.timeout(60):
            while not all(collected.trace(job.trace_id) for job in jobs):
                collected.arrived.clear()
                await collected.arrived.wait()
    states = {job.state for job in jobs}
    assert states >= {job_pb2.JOB_STATE_COMPLETED, job_pb2.JOB_STATE_FAILED}
    seen = {
        "spans": str(collected.spans),
        "metrics": " ".join(collected.seen),
        **{f"{name}.log": (apart.home / f"{name}.log").read_text() for name in SERVICES},
        **{str(path): path.read_text() for path in (apart.home / "traces").glob("*.jsonl")},
    }
    assert "assay-executor" in seen["spans"]
    assert "assay" in seen["metrics"]
    told = [
        f"{what} is in {place}"
        for what, secret in {**PLANTED, "a token": token}.items()
        for place, text in seen.items()
        if secret in text
    ]
    assert told == []
