"""The library: what it refuses, what it survives, and what it brings home."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from assay.common.v1 import analysis_pb2, job_pb2
from clients.python.client import AssayClient
from clients.python.question import Question, deliverable_numbers
from clients.python.request import database_source
from mesh import errors
from mesh.digest import frame_digest
from mesh.errors import AssayError
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.script import JOB_ID, artifact, frame, state, understood
from tests.unit.clients.story import answered

SALES = pa.table({"month": ["1997-01"], "revenue": [1.5]})


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (Question(" \n", data=("a.csv",)), errors.QUESTION_EMPTY),
        (Question("revenue", data=("a",), deliverables=("pie",)), errors.UNKNOWN_DELIVERABLE),
        (Question("revenue", data=("a",), engine="oracle"), errors.INVALID_ARGUMENT),
    ],
)
def test_a_question_that_needs_no_server_to_be_refused(
    question: Question, reason: errors.Reason
) -> None:
    with pytest.raises(AssayError) as caught:
        question.check()
    assert caught.value.reason is reason


def test_deliverables_come_in_singular_plural_and_lists() -> None:
    assert deliverable_numbers(["table,chart", "Charts", " report , ", "summary"]) == [1, 2, 3, 4]
    assert [
        analysis_pb2.DELIVERABLE_TABLES,
        analysis_pb2.DELIVERABLE_CHARTS,
        analysis_pb2.DELIVERABLE_REPORTS,
        analysis_pb2.DELIVERABLE_SUMMARY,
    ] == [1, 2, 3, 4]


def test_only_relative_database_files_of_this_machine_become_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def url(given: str, same_machine: bool = True) -> str:
        return database_source(given, same_machine).connection_string

    assert url("sqlite:///shop.sqlite") == f"sqlite:///{tmp_path}/shop.sqlite"
    assert url("duckdb:///a%20b.db?x=1") == f"duckdb:///{tmp_path}/a%20b.db?x=1"
    assert url("sqlite:////srv/shop.sqlite") == "sqlite:////srv/shop.sqlite"
    assert url("postgresql://user@host/shop") == "postgresql://user@host/shop"
    assert url("sqlite:///shop.sqlite", same_machine=False) == "sqlite:///shop.sqlite"
    assert url("sqlite://") == "sqlite://"


async def events_of(gateway: FakeGateway, folder: Path, delays: Sequence[float]) -> list[int]:
    async with (
        gateway.serving(folder) as target,
        AssayClient(target, local_paths=True, resume_delays=delays) as client,
    ):
        return [event.sequence async for event in client.ask(Question("x", data=("a.csv",)))]


async def test_every_event_comes_once_however_often_the_stream_breaks(tmp_path: Path) -> None:
    gateway, _ = answered(tmp_path, SALES)
    gateway.breaks = {1, 2, 3, 5, 8}
    assert await events_of(gateway, tmp_path, delays=[0.0]) == list(range(1, 13))


async def test_a_stream_that_never_gets_further_is_given_up(tmp_path: Path) -> None:
    gateway, _ = answered(tmp_path, SALES)

    class Always(set[int]):
        def remove(self, element: int) -> None:
            gateway.events = gateway.events[:3]

    gateway.breaks = Always({3})
    gateway.events.append(state(job_pb2.JOB_STATE_COMPLETED))
    with pytest.raises(AssayError) as caught:
        await events_of(gateway, tmp_path, delays=[])
    assert caught.value.reason is errors.SERVICE_UNAVAILABLE


async def test_a_watch_that_is_left_ends_on_the_server(tmp_path: Path) -> None:
    gateway = FakeGateway(events=[understood("revenue")])
    async with gateway.serving(tmp_path) as target, AssayClient(target) as client:
        events = client.watch(JOB_ID)
        await anext(events)
        await gateway.watching.wait()
        await events.aclose()
        await client.get_job(JOB_ID)
        assert gateway.left_watching == 1


async def test_a_frame_arrives_as_the_table_it_was(tmp_path: Path) -> None:
    table = pa.table({"n": range(300_000), "s": [str(n) for n in range(300_000)]})
    digest = frame_digest(table)
    gateway = FakeGateway(tables={digest: table})
    async with gateway.serving(tmp_path) as target, AssayClient(target) as client:
        assert (await client.read_frame(JOB_ID, frame(digest, table))).equals(table)
        preview = await client.read_frame(JOB_ID, frame(digest, table), at_least=20)
    assert 20 <= preview.num_rows < 300_000
    assert preview.equals(table.slice(0, preview.num_rows))


async def test_a_download_with_other_bytes_than_its_hash_is_refused(tmp_path: Path) -> None:
    made = artifact("report", tmp_path / "report.md", b"# Revenue")
    gateway = FakeGateway(contents={made.artifact_id: b"# Revenve"})
    async with gateway.serving(tmp_path) as target, AssayClient(target) as client:
        with pytest.raises(AssayError) as caught:
            await client.download(made, tmp_path / "got")
        assert caught.value.reason is errors.VERIFICATION_FAILED
        assert list((tmp_path / "got").iterdir()) == []
        gateway.contents[made.artifact_id] = b"# Revenue"
        assert (await client.download(made, tmp_path / "got")).read_bytes() == b"# Revenue"


@pytest.mark.parametrize(
    ("place", "reason"),
    [("missing.csv", errors.SOURCE_NOT_FOUND), ("empty", errors.SOURCE_EMPTY)],
)
async def test_files_for_a_server_elsewhere_are_looked_for_first(
    tmp_path: Path, place: str, reason: errors.Reason
) -> None:
    (tmp_path / "empty").mkdir()
    gateway = FakeGateway()
    async with gateway.serving(tmp_path) as target, AssayClient(target) as client:
        with pytest.raises(AssayError) as caught:
            await client.request(Question("revenue", data=(str(tmp_path / place),)))
    assert caught.value.reason is reason


async def test_jobs_are_listed_page_by_page(tmp_path: Path) -> None:
    async with FakeGateway().serving(tmp_path) as target, AssayClient(target) as client:
        assert len(await client.list_jobs()) == 2
        assert len(await client.list_jobs(limit=1)) == 1


async def test_a_server_that_is_away_is_said_to_be(tmp_path: Path) -> None:
    async with AssayClient(f"unix:{tmp_path}/nobody.sock") as client:
        with pytest.raises(AssayError) as caught:
            await client.list_tools()
    assert caught.value.reason is errors.SERVICE_UNAVAILABLE
