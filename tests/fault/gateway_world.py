"""A gateway that is killed: what clients do to it, and what must hold after each death."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar

from assay.common.v1 import data_pb2
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from clients.python.calls import answered, persistently
from mesh.config import MeshSettings
from mesh.errors import NOT_FOUND, AssayError
from mesh.ids import new_id
from tests.mesh.support import Caller

T = TypeVar("T")

# Shorter than in production, so that what a dead gateway left is swept while a test waits.
QUICK = {"ASSAY_GATEWAY_HOLD_SECONDS": "1.5", "ASSAY_GATEWAY_SWEEP_SECONDS": "0.3"}
PATIENCE = (0.05, 0.2, 0.5, *[1.0] * 30)
ORDERS = b"order_id,item\n1,chair\n2,desk\n"
SALES = b"sale_id,item\n1,lamp\n2,shelf\n3,sofa\n"


async def repeated(make: Callable[[], Awaitable[T]]) -> T:
    """Call as a client does: again until somebody answers."""
    return await persistently(lambda: answered(make()), PATIENCE)


async def gone(make: Callable[[], Awaitable[object]]) -> None:
    """Take something away; not to find it means that an earlier try did."""
    try:
        await repeated(make)
    except AssayError as error:
        if error.reason is not NOT_FOUND:
            raise


class Story:
    """Sessions and files that come and go, and which of them were acknowledged."""

    def __init__(self, settings: MeshSettings, caller: Caller) -> None:
        self._settings = settings
        self._caller = caller
        self.kept: dict[str, bytes] = {}

    async def run(self) -> None:
        """One content three times in two sessions, another once; then all but one file goes."""
        mine, other = await self.session(), await self.session()
        kept = await self.upload(mine, "orders.csv", ORDERS)
        self.kept[kept.file_id] = ORDERS
        copy = await self.upload(mine, "copy.csv", ORDERS)
        await self.upload(other, "orders.csv", ORDERS)
        sales = await self.upload(mine, "sales.csv", SALES)
        files = self._caller.files
        for file in (copy, sales):
            request = files_pb.DeleteFileRequest(file_id=file.file_id)
            await gone(partial(files.DeleteFile, request))
        end = sessions_pb.DeleteSessionRequest(session_id=other)
        await gone(lambda: self._caller.sessions.DeleteSession(end))

    async def session(self) -> str:
        request = sessions_pb.CreateSessionRequest(request_id=new_id())
        made = await repeated(lambda: self._caller.sessions.CreateSession(request))
        assert made.session.session_id == request.request_id
        return made.session.session_id

    async def upload(self, session_id: str, name: str, content: bytes) -> files_pb.File:
        head = files_pb.UploadFileHead(session_id=session_id, name=name, size_bytes=len(content))
        parts = [files_pb.UploadFileRequest(head=head)]
        parts += [
            files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=content[start : start + 8]))
            for start in range(0, len(content), 8)
        ]
        stored = await repeated(lambda: self._caller.files.UploadFile(iter(parts)))
        assert stored.file.content_hash == hashlib.sha256(content).hexdigest()
        return stored.file

    async def arriving(self) -> None:
        """Return once the executor holds the first bytes of an upload."""
        for _ in range(500):
            if await asyncio.to_thread(lambda: list(self.stored.glob(".building-*"))):
                return
            await asyncio.sleep(0.02)
        raise AssertionError("nothing arrived")

    async def files(self, session_id: str) -> list[files_pb.File]:
        request = files_pb.ListFilesRequest(session_id=session_id)
        return list((await repeated(partial(self._caller.files.ListFiles, request))).files)

    async def is_stored(self, content: bytes) -> bool:
        return await asyncio.to_thread((self.stored / hashlib.sha256(content).hexdigest()).exists)

    async def check(self) -> None:
        """Acknowledged files are there and whole, counts are right, and nothing is left over."""
        for file_id, content in self.kept.items():
            request = files_pb.GetFileRequest(file_id=file_id)
            file = (await repeated(partial(self._caller.files.GetFile, request))).file
            assert (self.stored / file.content_hash).read_bytes() == content
        with closing(sqlite3.connect(self.database)) as database:
            assert not database.execute(_WRONG_COUNTS).fetchall()
        await self.tidy()

    async def tidy(self) -> None:
        """Return once the executor holds just the contents that files refer to, each whole."""
        for _ in range(100):
            with closing(sqlite3.connect(self.database)) as database:
                found = database.execute("SELECT content_hash FROM file_metadata").fetchall()
                unsettled = database.execute("SELECT * FROM unsettled_contents").fetchall()
            wanted = {digest for (digest,) in found}
            there = {path.name for path in self.stored.iterdir()}
            assert wanted <= there, "a content that is referred to is gone"
            if wanted == there and not unsettled:
                break
            await asyncio.sleep(0.1)
        assert (there, unsettled) == (wanted, []), (there - wanted, unsettled)
        for path in self.stored.iterdir():
            assert hashlib.sha256(path.read_bytes()).hexdigest() == path.name

    def held(self, job_id: str) -> int:
        """How many things the executor keeps for a job."""
        wanted = "SELECT COUNT(*) FROM leases WHERE holder = ? AND until IS NULL"
        home = self._settings.home
        with closing(sqlite3.connect(home / "executor" / "executor.sqlite")) as database:
            return int(database.execute(wanted, (f"job:{job_id}",)).fetchone()[0])

    def noted(self, job_id: str) -> bool:
        """Whether the gateways remember that a job was of some session."""
        wanted = "SELECT COUNT(*) FROM session_jobs WHERE job_id = ?"
        with closing(sqlite3.connect(self.database)) as database:
            return bool(database.execute(wanted, (job_id,)).fetchone()[0])

    @property
    def stored(self) -> Path:
        return self._settings.home / "executor" / "files"

    @property
    def database(self) -> Path:
        return self._settings.home / "gateway" / "gateway.sqlite"


_WRONG_COUNTS = """
SELECT content.file_id, content.reference_count, COUNT(shown.file_id)
FROM file_metadata AS content LEFT JOIN session_files AS shown
ON shown.content_id = content.file_id
GROUP BY content.file_id HAVING content.reference_count <> COUNT(shown.file_id)
"""
