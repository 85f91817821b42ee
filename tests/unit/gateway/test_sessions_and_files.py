"""Sessions and their files, from a caller's side."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as pb
from mesh.ids import new_id
from tests.unit.gateway.conftest import Caller, Mesh

CSV = b"region,amount\nnorth,1\nsouth,2\n"
HOUR = 3600.0


async def opened(caller: Caller) -> str:
    made = await caller.sessions.CreateSession(pb.CreateSessionRequest(request_id=new_id()))
    return made.session.session_id


async def uploaded(
    caller: Caller,
    session_id: str,
    name: str = "orders.csv",
    content: bytes = CSV,
    description: str = "",
    piece: int = 10,
) -> files_pb.File:
    async def parts() -> AsyncIterator[files_pb.UploadFileRequest]:
        head = files_pb.UploadFileHead(session_id=session_id, name=name, description=description)
        yield files_pb.UploadFileRequest(head=head)
        for start in range(0, len(content), piece):
            chunk = data_pb2.FileChunk(data=content[start : start + piece])
            yield files_pb.UploadFileRequest(chunk=chunk)

    return (await caller.files.UploadFile(parts())).file


async def standing(caller: Caller, session_id: str) -> pb.Session:
    return (await caller.sessions.GetSession(pb.GetSessionRequest(session_id=session_id))).session


async def asked(caller: Caller, session_id: str, *file_ids: str) -> job_pb2.Job:
    analysis = analysis_pb2.AnalysisRequest(
        intent="total amount",
        data_sources=[data_pb2.DataSource(file_id=file_id) for file_id in file_ids],
    )
    made = await caller.jobs.CreateJob(
        jobs_pb.CreateJobRequest(request_id=new_id(), analysis=analysis, session_id=session_id)
    )
    return made.job


async def test_a_session_lasts_its_hours_and_is_made_once(mesh: Mesh) -> None:
    request = pb.CreateSessionRequest(request_id=new_id())
    first = (await mesh.ann.sessions.CreateSession(request)).session
    mesh.clock.advance(60)
    assert (await mesh.ann.sessions.CreateSession(request)).session == first
    assert first.state == pb.SESSION_STATE_CREATED
    assert first.expires_at.ToSeconds() - first.created_at.ToSeconds() == 24 * HOUR
    listed = await mesh.ann.sessions.ListSessions(pb.ListSessionsRequest())
    assert list(listed.sessions) == [first]


async def test_a_file_is_kept_by_its_content_and_known_by_its_name(mesh: Mesh) -> None:
    session = await opened(mesh.ann)
    file = await uploaded(mesh.ann, session, "../../etc/orders.csv", description="all orders")
    assert file.original_name == "orders.csv"
    assert (file.row_count, file.size_bytes, file.mime_type) == (2, len(CSV), "text/csv")
    assert file.content_hash == hashlib.sha256(CSV).hexdigest()
    assert mesh.peers.executor.sources == {file.content_hash: CSV}
    assert mesh.peers.executor.names == ["orders.csv"]
    after = await standing(mesh.ann, session)
    assert (after.state, after.file_count) == (pb.SESSION_STATE_HAS_FILES, 1)
    listed = await mesh.ann.files.ListFiles(files_pb.ListFilesRequest(session_id=session))
    found = await mesh.ann.files.GetFile(files_pb.GetFileRequest(file_id=file.file_id))
    assert list(listed.files) == [found.file] == [file]


async def test_a_job_gets_a_sessions_files_by_their_content(mesh: Mesh) -> None:
    session = await opened(mesh.ann)
    file = await uploaded(mesh.ann, session)
    job = await asked(mesh.ann, session, file.file_id)
    arrived = mesh.peers.planner.requests[0]
    content = arrived.files[file.file_id]
    assert (content.content_digest, content.name) == (file.content_hash, "orders.csv")
    # What comes back is what was sent: it can be asked again.
    assert job.analysis.data_sources[0].file_id == file.file_id
    again = jobs_pb.CreateJobRequest(request_id=new_id(), analysis=job.analysis, session_id=session)
    await mesh.ann.jobs.CreateJob(again)
    assert mesh.peers.planner.requests[1].analysis == arrived.analysis


@pytest.mark.parametrize(
    ("state", "where", "report"),
    [
        (job_pb2.JOB_STATE_COMPLETED, "answered", True),
        (job_pb2.JOB_STATE_PARTIAL_SUCCESS, "answered", False),
        (job_pb2.JOB_STATE_FAILED, "unanswered", False),
        (job_pb2.JOB_STATE_CANCELLED, "unanswered", False),
        (job_pb2.JOB_STATE_WAITING, "waiting", False),
        (job_pb2.JOB_STATE_EXECUTING, "active", False),
    ],
)
async def test_a_session_counts_its_jobs_and_keeps_a_state_of_its_own(
    mesh: Mesh, state: job_pb2.JobState.ValueType, where: str, report: bool
) -> None:
    session = await opened(mesh.ann)
    file = await uploaded(mesh.ann, session)
    job = await asked(mesh.ann, session, file.file_id)
    assert (await standing(mesh.ann, session)).job_counts == pb.SessionJobCounts(active=1)
    assert (await standing(mesh.ann, session)).status == pb.SESSION_STATUS_RUNNING
    stored = mesh.peers.planner.jobs[job.job_id][1]
    stored.state = state
    if report:
        stored.answer.artifacts.add(artifact_type=analysis_pb2.ARTIFACT_TYPE_REPORT)
    assert (await standing(mesh.ann, session)).status == {
        "answered": pb.SESSION_STATUS_COMPLETED,
        "unanswered": pb.SESSION_STATUS_FAILED,
    }.get(where, pb.SESSION_STATUS_RUNNING)
    await asked(mesh.ann, session, file.file_id)
    ended = await standing(mesh.ann, session)
    assert sum(getattr(ended.job_counts, name) for name in ("active", where)) in (2, 4)
    assert getattr(ended.job_counts, where) == (2 if where == "active" else 1)
    assert (ended.state, ended.report_ready) == (pb.SESSION_STATE_HAS_FILES, report)


async def test_a_session_has_a_title_that_can_be_changed(mesh: Mesh, refused: Any) -> None:
    request = pb.CreateSessionRequest(request_id=new_id(), title="  Spring \n campaign ")
    made = (await mesh.ann.sessions.CreateSession(request)).session
    assert made.title == "Spring campaign"
    mesh.clock.advance(60)
    wanted = pb.UpdateSessionRequest(session_id=made.session_id, title="Autumn")
    changed = (await mesh.ann.sessions.UpdateSession(wanted)).session
    assert (changed.title, changed.updated_at.seconds - made.updated_at.seconds) == ("Autumn", 60)
    kept = await mesh.ann.sessions.UpdateSession(
        pb.UpdateSessionRequest(session_id=made.session_id)
    )
    assert kept.session == changed
    with refused("NOT_FOUND"):
        await mesh.bob.sessions.UpdateSession(wanted)
    with refused("INVALID_ARGUMENT"):
        wanted.title = "x" * 201
        await mesh.ann.sessions.UpdateSession(wanted)


async def test_an_id_that_stands_for_a_session_of_another_title_is_refused(
    mesh: Mesh, refused: Any
) -> None:
    request = pb.CreateSessionRequest(request_id=new_id(), title="one")
    await mesh.ann.sessions.CreateSession(request)
    change = pb.UpdateSessionRequest(session_id=request.request_id, title="changed")
    await mesh.ann.sessions.UpdateSession(change)
    again = await mesh.ann.sessions.CreateSession(request)
    assert again.session.title == "changed", "it stands for the session that it opened"
    for other in ("two", "changed"):
        request.title = other
        with refused("ID_REUSED"):
            await mesh.ann.sessions.CreateSession(request)


async def test_a_sessions_files_come_in_pages(mesh: Mesh, refused: Any) -> None:
    session = await opened(mesh.ann)
    made = [(await uploaded(mesh.ann, session, f"{n}.csv")).file_id for n in range(3)]
    seen, token = [], ""
    while True:
        wanted = files_pb.ListFilesRequest(session_id=session, page_size=2, page_token=token)
        page = await mesh.ann.files.ListFiles(wanted)
        seen += [file.file_id for file in page.files]
        token = page.next_page_token
        if not token:
            break
    assert sorted(seen) == sorted(made)
    for wrong in ({"page_size": -1}, {"page_size": 101}, {"page_token": "junk"}):
        with refused("INVALID_ARGUMENT"):
            await mesh.ann.files.ListFiles(files_pb.ListFilesRequest(session_id=session, **wrong))


async def test_pages_of_sessions_that_cannot_be_are_refused(mesh: Mesh, refused: Any) -> None:
    for wrong in ({"page_size": -1}, {"page_size": 101}, {"page_token": "junk"}):
        with refused("INVALID_ARGUMENT"):
            await mesh.ann.sessions.ListSessions(pb.ListSessionsRequest(**wrong))


async def test_equal_content_is_stored_once_until_its_last_file_goes(mesh: Mesh) -> None:
    one, two = await opened(mesh.ann), await opened(mesh.ann)
    first, second = await uploaded(mesh.ann, one), await uploaded(mesh.ann, two, "again.csv")
    theirs = await uploaded(mesh.bob, await opened(mesh.bob))
    assert [first.duplicate, second.duplicate, theirs.duplicate] == [False, True, False]
    for caller, file, left in (
        (mesh.ann, first, 1),
        (mesh.bob, theirs, 1),
        (mesh.ann, second, 0),
    ):
        await caller.files.DeleteFile(files_pb.DeleteFileRequest(file_id=file.file_id))
        assert len(mesh.peers.executor.sources) == left


async def test_deleting_a_session_forgets_its_files_and_documents(mesh: Mesh, refused: Any) -> None:
    session = await opened(mesh.ann)
    await uploaded(mesh.ann, session)
    await mesh.ann.sessions.DeleteSession(pb.DeleteSessionRequest(session_id=session))
    assert mesh.peers.executor.sources == {}
    assert mesh.peers.memory.forgotten == [("ann", session)]
    with refused("NOT_FOUND"):
        await standing(mesh.ann, session)


async def test_content_that_is_just_uploaded_again_outlives_its_last_file(
    mesh: Mesh,
) -> None:
    session = await opened(mesh.ann)
    first = await uploaded(mesh.ann, session)
    executor = mesh.peers.executor
    executor.storing.clear()
    executor.may_store.clear()
    again = asyncio.create_task(uploaded(mesh.ann, session, "again.csv"))
    await asyncio.wait_for(executor.storing.wait(), 5)
    await mesh.ann.files.DeleteFile(files_pb.DeleteFileRequest(file_id=first.file_id))
    executor.may_store.set()
    file = await again
    assert executor.names == ["orders.csv", "again.csv"]
    assert executor.sources == {file.content_hash: CSV}
    assert not file.duplicate


async def test_the_kind_of_content_is_judged_by_the_executor(mesh: Mesh, refused: Any) -> None:
    session = await opened(mesh.ann)
    with refused("INVALID_FILE_TYPE") as error:
        await uploaded(mesh.ann, session, "orders.csv", b"\x89PNG" + bytes(100_000), piece=1000)
    assert error.message == "orders.csv is a picture, not a table"
    assert (await standing(mesh.ann, session)).file_count == 0


class TestSmallLimits:
    @pytest.fixture
    def limits(self) -> dict[str, object]:
        return {"gateway_session_files": 2, "gateway_file_bytes": 5_000}

    async def test_a_file_may_be_just_as_large_as_the_limit(self, mesh: Mesh) -> None:
        file = await uploaded(mesh.ann, await opened(mesh.ann), content=b"a" * 5_000, piece=999)
        assert file.size_bytes == 5_000

    async def test_reading_stops_at_the_limit(self, mesh: Mesh, refused: Any) -> None:
        session = await opened(mesh.ann)
        with refused("FILE_TOO_LARGE") as error:
            await uploaded(mesh.ann, session, content=b"a" * 3_000_000, piece=1_000)
        assert error.metadata == {"limit": "5000"}
        assert mesh.peers.executor.received <= 6_000
        assert mesh.peers.executor.sources == {}

    async def test_a_full_session_refuses_before_anything_is_stored(
        self, mesh: Mesh, refused: Any
    ) -> None:
        session = await opened(mesh.ann)
        for number in range(2):
            await uploaded(mesh.ann, session, f"{number}.csv")
        with refused("MAX_FILES_EXCEEDED"):
            await uploaded(mesh.ann, session, "3.csv", b"a,b\n1,2\n")
        assert len(mesh.peers.executor.sources) == 1


async def test_an_upload_that_is_broken_off_leaves_no_file(mesh: Mesh) -> None:
    session = await opened(mesh.ann)
    sent = asyncio.Event()

    async def parts() -> AsyncIterator[files_pb.UploadFileRequest]:
        head = files_pb.UploadFileHead(session_id=session, name="orders.csv")
        yield files_pb.UploadFileRequest(head=head)
        yield files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=CSV))
        sent.set()
        await asyncio.Event().wait()

    call = mesh.ann.files.UploadFile(parts())
    upload = asyncio.ensure_future(call)
    await asyncio.wait_for(sent.wait(), 5)
    call.cancel()
    await asyncio.wait([upload])
    assert (await standing(mesh.ann, session)).file_count == 0


@pytest.mark.parametrize("announced", [len(CSV) - 1, len(CSV) + 1])
async def test_an_upload_of_another_size_than_its_head_says_is_not_stored(
    mesh: Mesh, refused: Any, announced: int
) -> None:
    session = await opened(mesh.ann)
    head = files_pb.UploadFileHead(session_id=session, name="orders.csv", size_bytes=announced)
    parts = [
        files_pb.UploadFileRequest(head=head),
        files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=CSV)),
    ]
    with refused("INVALID_ARGUMENT") as error:
        await mesh.ann.files.UploadFile(iter(parts))
    assert "head.size_bytes" in error.fields
    assert mesh.peers.executor.sources == {}


async def test_an_upload_begins_with_its_head(mesh: Mesh, refused: Any) -> None:
    async def headless() -> AsyncIterator[files_pb.UploadFileRequest]:
        yield files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=CSV))

    async def empty() -> AsyncIterator[files_pb.UploadFileRequest]:
        return
        yield

    for parts in (headless, empty):
        with refused("INVALID_ARGUMENT") as error:
            await mesh.ann.files.UploadFile(parts())
        assert "head" in error.fields


async def test_a_description_has_a_limit_and_is_never_empty(mesh: Mesh, refused: Any) -> None:
    file = await uploaded(mesh.ann, await opened(mesh.ann))
    assert file.description == f"{file.original_name}, {file.row_count} rows"
    request = files_pb.UpdateFileRequest(file_id=file.file_id, description="é" * 2_000)
    changed = await mesh.ann.files.UpdateFile(request)
    assert changed.file.description == "é" * 2_000
    for wrong in ("é" * 2_001, "", " "):
        request.description = wrong
        with refused("INVALID_ARGUMENT") as error:
            await mesh.ann.files.UpdateFile(request)
        assert "description" in error.fields


async def test_after_its_time_a_session_can_only_be_seen_and_deleted(
    mesh: Mesh, refused: Any
) -> None:
    session = await opened(mesh.ann)
    file = await uploaded(mesh.ann, session)
    mesh.clock.advance(24 * HOUR)
    assert (await standing(mesh.ann, session)).state == pb.SESSION_STATE_EXPIRED
    for attempt in (
        uploaded(mesh.ann, session, "more.csv"),
        asked(mesh.ann, session, file.file_id),
        mesh.ann.files.GetFile(files_pb.GetFileRequest(file_id=file.file_id)),
        mesh.ann.files.ListFiles(files_pb.ListFilesRequest(session_id=session)),
        mesh.ann.files.UpdateFile(files_pb.UpdateFileRequest(file_id=file.file_id)),
    ):
        with refused("SESSION_EXPIRED"):
            await attempt
    await mesh.ann.files.DeleteFile(files_pb.DeleteFileRequest(file_id=file.file_id))
    await mesh.ann.sessions.DeleteSession(pb.DeleteSessionRequest(session_id=session))


class TestSweeping:
    @pytest.fixture
    def limits(self) -> dict[str, object]:
        return {"gateway_sweep_seconds": 0.01}

    async def test_expired_sessions_give_up_files_and_documents_by_themselves(
        self, mesh: Mesh
    ) -> None:
        session = await opened(mesh.bob)
        await uploaded(mesh.bob, session)
        mesh.clock.advance(24 * HOUR)
        await asyncio.wait_for(mesh.peers.executor.deleted.wait(), 5)
        assert mesh.peers.executor.sources == {}
        assert mesh.peers.memory.forgotten == [("bob", session)]
        assert (await standing(mesh.bob, session)).state == pb.SESSION_STATE_EXPIRED


class TestRoomOfATenant:
    @pytest.fixture
    def limits(self) -> dict[str, object]:
        return {"gateway_tenant_bytes": 6_000}

    async def test_a_file_beyond_it_is_refused_and_not_kept_and_others_are_not_held_to_it(
        self, mesh: Mesh, refused: Any
    ) -> None:
        session = await opened(mesh.ann)
        first = await uploaded(mesh.ann, session, "1.csv", b"a" * 4_000)
        with refused("STORAGE_EXCEEDED") as error:
            await uploaded(mesh.ann, session, "2.csv", b"b" * 4_000)
        assert error.metadata == {"limit": "6000"}
        assert set(mesh.peers.executor.sources) == {first.content_hash}
        await uploaded(mesh.ann, await opened(mesh.ann), "same.csv", b"a" * 4_000)
        await uploaded(mesh.bob, await opened(mesh.bob), "2.csv", b"b" * 4_000)
        await mesh.ann.files.DeleteFile(files_pb.DeleteFileRequest(file_id=first.file_id))
        with refused("STORAGE_EXCEEDED"):
            await uploaded(mesh.ann, session, "2.csv", b"b" * 4_000)

    async def test_who_has_no_room_left_is_refused_before_anything_is_read(
        self, mesh: Mesh, refused: Any
    ) -> None:
        session = await opened(mesh.ann)
        await uploaded(mesh.ann, session, "1.csv", b"a" * 6_000)
        before = mesh.peers.executor.received
        with refused("STORAGE_EXCEEDED"):
            await uploaded(mesh.ann, session, "2.csv", b"b")
        assert mesh.peers.executor.received == before
