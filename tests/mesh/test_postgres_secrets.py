"""A password for a database is in the executor's vault and nowhere else, whatever becomes of it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psutil
import pyarrow as pa
import pytest

from assay.common.v1 import data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from assay.gateway.v1 import audit_service_pb2 as audit_pb
from assay.gateway.v1 import source_service_pb2 as sources_pb
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.mesh.postgres_world import PASSWORD, about, reader, said
from tests.mesh.support import REPOSITORY, Caller, refusal

WRONG = "Wr0ng+" + PASSWORD


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"password": "wrong-W0rd"}, "DATABASE_LOGIN_REFUSED"),
        ({"user": "nobody"}, "DATABASE_LOGIN_REFUSED"),
        ({"database": "nowhere"}, "SOURCE_NOT_FOUND"),
        ({"host": "no-such-host.invalid"}, "DATABASE_UNREACHABLE"),
        ({"host": "/nowhere"}, "DATABASE_UNREACHABLE"),
    ],
)
async def test_a_database_that_cannot_be_opened_says_why(
    changes: dict[str, str], reason: str, owner: str, ann: Caller, home: Path
) -> None:
    job = await ann.asked(about("total amount by region", reader(owner, **changes)))
    assert job.failure.reason == reason, said(job)
    text = str(job)
    assert PASSWORD not in text
    assert "wrong-W0rd" not in text
    assert not places_of_password(home)
    assert not places_of_password(home, "wrong-W0rd")


async def test_an_address_that_cannot_be_taken_apart_is_refused_without_repeating_it(
    owner: str, ann: Caller, home: Path
) -> None:
    broken = "postgresql://reader:half/of@it@127.0.0.1/shop"
    error = await refusal(ann.create(about("total amount by region", broken)))
    assert error.reason.code == "INVALID_ARGUMENT"
    assert "half" not in str(error) + error.hint + str(error.fields)
    assert not places_of_password(home, "half/of")


async def test_a_source_kept_by_name_shows_and_stores_no_password(
    owner: str, ann: Caller, bob: Caller, home: Path
) -> None:
    place = data_pb2.DataSource(connection_string=reader(owner))
    added = await ann.sources.AddSource(sources_pb.AddSourceRequest(name="shop", source=place))
    listed = await ann.sources.ListSources(sources_pb.ListSourcesRequest())
    assert not holds(f"{added} {listed}".encode()), "it is not shown"
    assert not places_of_password(home), "nor stored in clear"
    again = await ann.sources.AddSource(sources_pb.AddSourceRequest(name="shop", source=place))
    assert again.source == added.source, "the same address with the same password is the same"

    request = about("total amount by region")
    request.analysis.data_sources.append(data_pb2.DataSource(source_name="shop"))
    job = await ann.asked(request)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, said(job)
    assert not holds(str(job).encode())

    # Whoever learns the address that is shown can do nothing with it.
    shown = listed.sources[0].source.connection_string
    stolen = await bob.asked(about("total amount by region", shown))
    assert stolen.failure.reason == "DATABASE_LOGIN_REFUSED", said(stolen)


async def test_another_tenant_cannot_use_a_kept_password(
    owner: str, ann: Caller, bob: Caller
) -> None:
    kept = await ann.executor.PutCredential(
        pb.PutCredentialRequest(
            address=owner.replace("postgres@", "reader@", 1),
            secrets_json=json.dumps({"password": PASSWORD}),
        )
    )
    source = pb.Source(connection_string=kept.address)
    await ann.executor.DescribeSource(pb.DescribeSourceRequest(sources=[source]))
    error = await refusal(bob.executor.DescribeSource(pb.DescribeSourceRequest(sources=[source])))
    assert error.reason.code == "DATABASE_LOGIN_REFUSED"


def places_of_password(folder: Path, password: str = PASSWORD) -> list[str]:
    """Files below a folder that hold the password.

    The services are at work meanwhile: a file that has got its final name since the folder was
    listed is looked for again under that name.
    """
    files = [path for path in folder.rglob("*") if path.is_file()]
    try:
        return [str(path) for path in files if holds(path.read_bytes(), password)]
    except FileNotFoundError:
        return places_of_password(folder, password)


def holds(content: bytes, password: str = PASSWORD) -> bool:
    """Whether it is there as it is, escaped for a URL, or escaped for JSON."""
    spellings = (password, quote(password, safe=""), quote(password), json.dumps(password)[1:-1])
    return any(one.encode() in content for one in spellings)


@contextmanager
def served(home: Path) -> Iterator[psutil.Process]:
    """An `assay up`, what it says kept in its home."""
    command = [sys.executable, "-m", "clients.python.cli.main", "up", "--home", str(home)]
    with (home / "up.log").open("w+") as said_there:
        server = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            stderr=said_there,
            text=True,
            cwd=REPOSITORY,
        )
        assert server.stdout is not None
        said_there.writelines(iter_until(server.stdout, "listening"))
        try:
            yield psutil.Process(server.pid)
        finally:
            server.terminate()
            said_there.write(server.communicate(timeout=30)[0])


def iter_until(lines: Iterable[str], start: str) -> Iterator[str]:
    for line in lines:
        yield line
        if line.startswith(start):
            return


def test_after_a_right_and_a_wrong_one_it_is_in_no_file_process_frame_or_output(
    owner: str, home: Path
) -> None:
    environment = {**os.environ, "ASSAY_HOME": str(home), "COLUMNS": "200"}
    printed: list[str] = []

    def assay(*arguments: str) -> str:
        ended = subprocess.run(
            [sys.executable, "-m", "clients.python.cli.main", *arguments],
            cwd=REPOSITORY,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        printed.extend((ended.stdout, ended.stderr))
        return ended.stdout

    with served(home) as server:
        asked = assay("ask", "total amount by region", "--db", reader(owner), "--json")
        job = json.loads(asked)["job"]
        assay("ask", "total amount by region", "--db", reader(owner, WRONG))
        assay("ask", "total amount by region", "--db", f"mysql://reader:{quote(WRONG)}@db/shop")
        for command in ("show", "trace", "verify"):
            assay(command, job, "--json")
        assay("show", job, "--jsonl")
        assay("verify", job, "--recompute", "--db", reader(owner))
        assay("export", job, "--to", str(home / "bundle.zip"))
        family = [server, *server.children(recursive=True)]
        processes = [f"{one.cmdline()} {one.environ()}".encode() for one in family]

    assert "South" in "".join(printed)
    assert "DATABASE_LOGIN_REFUSED" in "".join(printed)
    assert len(processes) > 1
    with zipfile.ZipFile(home / "bundle.zip") as bundle:
        members = [bundle.read(name) for name in bundle.namelist()]
    frames = [unpacked(path) for path in home.rglob("*.arrow*") if path.is_file()]
    assert members
    assert frames
    for seen in (*processes, *members, *frames, *(text.encode() for text in printed)):
        assert not holds(seen)
    assert not places_of_password(home)
    secrets = [path for path in home.rglob("vault/*") if path.is_file()]
    assert len(secrets) >= 3
    assert {oct(path.stat().st_mode & 0o777) for path in secrets} == {"0o600"}


def unpacked(path: Path) -> bytes:
    """All that an Arrow file says, its metadata too, without compression."""
    with pa.memory_map(str(path)) as file:
        reader = pa.ipc.open_file(file) if file.read(6) == b"ARROW1" else pa.ipc.open_stream(path)
        table = reader.read_all()
    return f"{table.schema.to_string()} {table.schema.metadata} {table.to_pylist()}".encode()


async def test_strangers_reach_no_database_that_the_operator_did_not_list(
    owner: str, home: Path
) -> None:
    """Behind its socket a server often takes whoever asks for the user that the mesh runs as."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        public = f"127.0.0.1:{free.getsockname()[1]}"
    folder = owner.partition("host=")[2]
    url = reader(owner).replace(f"@/postgres?host={folder}", "@db.example/postgres")
    url += f"?unix_sock={folder}/.s.PGSQL.5432"

    async with (
        running_mesh(home, factories, public=public) as settings,
        Caller(settings) as ann,
        Caller(settings.model_copy(update={"gateway_address": public}), "ann") as stranger,
    ):
        answered = await ann.asked(about("total amount by region", url))
        assert answered.state == job_pb2.JOB_STATE_COMPLETED, said(answered)

        refused = await stranger.asked(about("total amount by region", url))
        assert refused.failure.reason == "DATABASE_HOST_REFUSED", said(refused)
        assert "ASSAY_EXECUTOR_DATABASE_HOSTS" in refused.failure.hint
        again = audit_pb.RecomputeJobRequest(job_id=answered.job_id, connection_strings=[url])
        error = await refusal(anext(aiter(stranger.records.RecomputeJob(again))))
        assert error.reason.code == "DATABASE_HOST_REFUSED"
