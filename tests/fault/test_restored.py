"""Back up, destroy, restore, and find everything again: on SQLite and a folder, and on PostgreSQL
with a bucket, as docs/operations.md says it is done."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import boto3
import pytest
from cryptography.fernet import Fernet
from sqlalchemy import make_url

from assay.common.v1 import data_pb2, job_pb2
from clients.python.client import AssayClient
from clients.python.question import Question
from mesh.keys import new_key
from mesh.storage.objects.bucket import BucketPlace
from mesh.testing.object_server import ObjectServerAbsent, fresh_bucket, object_server
from mesh.testing.postgres import PostgresAbsent, binaries
from services.audit.fsck import check_log, read_published
from tests.busy import allowing
from tests.engines.world import uri_of
from tests.fault.standing import ended, goes_on_from, read_back, something_done
from tests.mesh.postgres_world import PASSWORD, shop_owner
from tests.scaled.world import scaled

pytestmark = pytest.mark.timeout(1500)
COMMAND = (sys.executable, "-m", "clients.python.cli.main")


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    """A database with a password, of which a source is made."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    try:
        with shop_owner(port) as _:
            yield f"postgresql://reader:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/postgres"
    except PostgresAbsent as absent:
        pytest.skip(str(absent))


def assay(home: Path, *words: object) -> dict[str, object]:
    """What a command tells, which must succeed."""
    done = subprocess.run(
        [*COMMAND, *map(str, words), "--json", "--home", str(home)],
        capture_output=True,
        text=True,
        check=False,
        timeout=allowing(120),
        env=surroundings(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, object] = json.loads(done.stdout)
    return told


def surroundings() -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ASSAY_")}
    own = {"ASSAY_EMBEDDER": "hashed", "ASSAY_EXECUTOR_DATABASE_HOSTS": "127.0.0.1"}
    return {**kept, **own, "PYTHONUNBUFFERED": "1"}


@dataclass
class Up:
    """`assay up`, and where it listens."""

    process: subprocess.Popen[str]
    address: str


@contextmanager
def up(home: Path) -> Iterator[Up]:
    """The mesh of a home as a server of its own."""
    process = subprocess.Popen(
        [*COMMAND, "up", "--console", "", "--listen", "127.0.0.1:0", "--home", str(home)],
        stdout=subprocess.PIPE,
        text=True,
        env=surroundings(),
    )
    try:
        assert process.stdout
        found = re.search(r"127\.0\.0\.1:\d+", process.stdout.readline())
        assert found
        yield Up(process, found[0])
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(allowing(60))


def sound(home: Path) -> None:
    """The log holds all that was ever published, by the independent checker."""
    published = read_published(home / "audit/checkpoints")
    assert published
    report = check_log(home / "audit/log", earlier=published)
    assert report.fault is None, str(report.fault)
    assert report.entries >= max(checkpoint.size for checkpoint in published)


async def all_end_proved(client: AssayClient) -> None:
    """What was at work when it was copied goes on and is proved like the rest, or says why not: the
    log, copied last, may hold another event in the place of one that it makes again."""
    for listed in await client.list_jobs():
        async for _ in client.watch(listed.job_id):
            pass
        job = await client.get_job(listed.job_id)
        if job.failure.reason == "INVALID_ARGUMENT" and "another event" in job.failure.message:
            continue
        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        assert (await client.verify(job.job_id)).ok


async def asking(client: AssayClient, over: asyncio.Event, sales: Path) -> int:
    """Questions one after the other until told otherwise; how many were answered."""
    number = 0
    while not over.is_set():
        job = await ended(
            client, Question(f"top {number % 9 + 1} products by average price", data=(str(sales),))
        )
        number += job.state == job_pb2.JOB_STATE_COMPLETED
    return number


async def test_a_home_is_backed_up_at_work_destroyed_and_restored(
    sales: Path, shop: str, tmp_path: Path
) -> None:
    home, copy = Path(tempfile.mkdtemp(prefix="assay-")), tmp_path / "copy"
    place = data_pb2.DataSource(connection_string=shop)
    try:
        with up(home) as mesh:
            token = str(assay(home, "token", "create", "ann", "--role", "analyst")["token"])
            async with AssayClient(mesh.address, token=token) as ann:
                done = await something_done(ann, sales, place)
                before = await read_back(ann, tmp_path)
            # Another asks all the while: what is copied is written to.
            async with AssayClient(mesh.address, "bob") as bob:
                over = asyncio.Event()
                busy = asyncio.create_task(asking(bob, over, sales))
                told = await asyncio.to_thread(assay, home, "backup", copy)
                over.set()
                assert await busy
            mesh.process.kill()
        shutil.rmtree(home)
        assert told["not_in_it"] == []

        assert assay(home, "restore", copy)["files"] == told["files"]
        sound(home)
        with up(home) as mesh, tempfile.TemporaryDirectory() as folder:
            async with AssayClient(mesh.address, token=token) as ann:
                assert await read_back(ann, Path(folder)) == before
                await goes_on_from(ann, done.checkpoint)
                # The file, the password and the recipe of before serve now.
                again = Question("total price by region", session=done.session, assume=True)
                assert (await ended(ann, again)).state == job_pb2.JOB_STATE_COMPLETED
                named = await ended(ann, Question("number of orders", on=("shop",), assume=True))
                assert named.state == job_pb2.JOB_STATE_COMPLETED, named.failure
                made = [one async for one in ann.recompute(done.jobs[0])]
                assert made
            async with AssayClient(mesh.address, "bob") as bob:
                await all_end_proved(bob)
        sound(home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


# PostgreSQL, a bucket, and the disks of the audit log and of memory


KEYS = {
    "ASSAY_MESH_KEY": new_key(),
    "ASSAY_EXECUTOR_TICKET_KEYS": Fernet.generate_key().decode(),
    "ASSAY_EXECUTOR_MASKING_KEY": new_key(),
}
"""What is kept in Secrets: the same before and after."""
ONE_EACH = dict.fromkeys(("audit", "memory", "executor", "planner", "gateway"), 1)


def program(name: str) -> str:
    """A program of PostgreSQL, of the server's version; skips without."""
    found = shutil.which(name, path=str(binaries()))
    if found is None:
        pytest.skip(f"there is no {name} beside PostgreSQL's server")
    return found


def libpq(url: str) -> str:
    """An address as PostgreSQL's own programs take it."""
    return uri_of(url, database=str(make_url(url).database))


def dumped(url: str, to: Path) -> None:
    wanted = [program("pg_dump"), "--format=custom", f"--file={to}", libpq(url)]
    subprocess.run(wanted, check=True, timeout=allowing(120))


def put_back(dump: Path, url: str) -> None:
    wanted = [program("pg_restore"), "--exit-on-error", "--no-owner", f"--dbname={libpq(url)}"]
    subprocess.run([*wanted, str(dump)], check=True, timeout=allowing(120))


def copied_bucket(place: BucketPlace, to: Path) -> None:
    store = client_of(place)
    for page in store.get_paginator("list_objects_v2").paginate(Bucket=place.bucket):
        for each in page.get("Contents", []):
            path = to / each["Key"]
            path.parent.mkdir(parents=True, exist_ok=True)
            store.download_file(place.bucket, each["Key"], str(path))


def filled_bucket(folder: Path, place: BucketPlace) -> None:
    store = client_of(place)
    for path in folder.rglob("*"):
        if path.is_file():
            store.upload_file(str(path), place.bucket, path.relative_to(folder).as_posix())


def client_of(place: BucketPlace) -> Any:
    return boto3.client(
        "s3",
        endpoint_url=place.endpoint,
        region_name=place.region,
        aws_access_key_id=place.access_key,
        aws_secret_access_key=place.secret_key,
    )


@pytest.fixture(scope="module")
def store() -> Iterator[BucketPlace]:
    try:
        with object_server() as place:
            yield place
    except ObjectServerAbsent as absent:
        pytest.skip(str(absent))


async def test_databases_bucket_and_disks_are_backed_up_destroyed_and_restored(
    sales: Path, shop: str, tmp_path: Path, postgres: Callable[[], str], store: BucketPlace
) -> None:
    """In the order of docs/operations.md, while another asks."""
    names, copy = ("gateway", "planner", "executor"), tmp_path / "copy"
    copy.mkdir()
    extra = {**KEYS, "ASSAY_EXECUTOR_CONNECTIONS": json.dumps({"shop": shop})}
    extra["ASSAY_EXECUTOR_DATABASE_HOSTS"] = "127.0.0.1"
    place = data_pb2.DataSource(connection_string="connection://shop")
    databases, bucket = {name: postgres() for name in names}, fresh_bucket(store)
    first = tmp_path / "first"
    async with scaled(first, databases, bucket, replicas=ONE_EACH, extra=extra) as mesh:
        async with AssayClient(mesh.target, "ann") as ann:
            done = await something_done(ann, sales, place)
            before = await read_back(ann, tmp_path)
        async with AssayClient(mesh.target, "bob") as bob:
            over = asyncio.Event()
            busy = asyncio.create_task(asking(bob, over, sales))
            for name in ("gateway", "planner"):
                await asyncio.to_thread(dumped, databases[name], copy / name)
            await asyncio.to_thread(copied_bucket, bucket, copy / "bucket")
            await asyncio.to_thread(dumped, databases["executor"], copy / "executor")
            for name in ("memory", "audit"):
                home = first / f"{name}-0"
                await asyncio.to_thread(assay, home, "backup", copy / f"home-{name}")
            over.set()
            assert await busy
        for replica in mesh.all():
            replica.kill()
    # Away at once: what a killed service started may write a last file while a tree is removed.
    shutil.rmtree(first.rename(tmp_path / "destroyed"), ignore_errors=True)

    again, new = fresh_bucket(store), {name: postgres() for name in names}
    second = tmp_path / "second"
    for name in names:
        await asyncio.to_thread(put_back, copy / name, new[name])
    await asyncio.to_thread(filled_bucket, copy / "bucket", again)
    for name in ("memory", "audit"):
        assay(second / f"{name}-0", "restore", copy / f"home-{name}")
    sound(second / "audit-0")
    (tmp_path / "later").mkdir()
    async with (
        scaled(second, new, again, replicas=ONE_EACH, extra=extra) as mesh,
        AssayClient(mesh.target, "ann") as ann,
        AssayClient(mesh.target, "bob") as bob,
    ):
        assert await read_back(ann, tmp_path / "later") == before
        await goes_on_from(ann, done.checkpoint)
        for asked in (
            Question("total price by region", session=done.session, assume=True),
            Question("number of orders", on=("shop",), assume=True),
        ):
            job = await ended(ann, asked)
            assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        await all_end_proved(bob)
    sound(second / "audit-0")
