"""A home folder has one owner; others attach to its server or wait their turn."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from clients.python import embedded
from clients.python.embedded import EmbeddedMesh, find_embedded_mesh
from clients.python.home import mesh_at
from clients.python.owning import OwnerKind, read_owner
from mesh.errors import HOME_BUSY, INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError
from tests.unit.clients.fake_gateway import FakeGateway, Running


@asynccontextmanager
async def served(home: Path, **more: object) -> AsyncIterator[Running]:
    async with FakeGateway().serving(home) as target:
        yield Running(target)


def find() -> EmbeddedMesh:
    return served


async def test_a_free_home_gets_a_mesh_and_is_free_again_after(tmp_path: Path) -> None:
    async with mesh_at(tmp_path, find=find) as mesh:
        owner = read_owner(tmp_path)
        assert owner is not None
        assert (owner.pid, owner.kind, owner.target) == (os.getpid(), "ask", mesh.target)
    assert read_owner(tmp_path) is None
    async with mesh_at(tmp_path, find=find) as again:
        assert again == mesh and mesh.own


@pytest.mark.parametrize("kind", ["up", "mcp"])
async def test_a_question_attaches_to_the_server_of_its_home(
    tmp_path: Path, kind: OwnerKind
) -> None:
    async with mesh_at(tmp_path, kind=kind, find=find) as server:
        async with mesh_at(tmp_path, find=find) as mesh:
            assert mesh.target == server.target and not mesh.own
        assert read_owner(tmp_path) is not None


async def test_a_second_server_on_a_home_is_refused(tmp_path: Path) -> None:
    async with mesh_at(tmp_path, kind="up", find=find):
        with pytest.raises(AssayError, match="assay up runs on this home already") as caught:
            async with mesh_at(tmp_path, kind="up", find=find):
                pass
        assert caught.value.reason is HOME_BUSY


async def test_a_question_waits_for_another_and_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    waiting = asyncio.Event()

    def say(text: str) -> None:
        said.append(text)
        waiting.set()

    async def second() -> str:
        async with mesh_at(tmp_path, function=say, find=find) as mesh:
            return mesh.target

    async with mesh_at(tmp_path, find=find):
        turn = asyncio.create_task(second())
        await waiting.wait()
        assert not turn.done()
    assert await turn
    assert said == [f"waiting for another assay on this home (pid {os.getpid()})…"]


async def test_waiting_has_an_end(tmp_path: Path) -> None:
    async with mesh_at(tmp_path, find=find):
        with pytest.raises(AssayError) as caught:
            async with mesh_at(tmp_path, wait_seconds=0, find=find):
                pass
    assert caught.value.reason is HOME_BUSY
    assert str(os.getpid()) in caught.value.message


async def test_what_a_dead_server_left_behind_misleads_nobody(tmp_path: Path) -> None:
    record = {"pid": 1, "kind": "up", "target": f"unix:{tmp_path}/gone.sock"}
    (tmp_path / "mesh.json").write_text(json.dumps(record))
    async with mesh_at(tmp_path, find=find) as mesh:
        assert mesh.target != record["target"]


async def test_a_stale_record_under_a_held_lock_is_not_believed(tmp_path: Path) -> None:
    record = {"pid": 1, "kind": "up", "target": f"unix:{tmp_path}/gone.sock"}
    (tmp_path / "mesh.json").write_text(json.dumps(record))
    with (tmp_path / "mesh.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(AssayError) as caught:
            async with mesh_at(tmp_path, wait_seconds=0, find=find):
                pass
    assert caught.value.reason is HOME_BUSY


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1}', "null"])
def test_a_damaged_record_is_no_record(tmp_path: Path, content: str) -> None:
    (tmp_path / "mesh.json").write_text(content)
    assert read_owner(tmp_path) is None


async def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(AssayError) as caught:
        async with mesh_at(tmp_path / "home", find=find):
            pass
    assert caught.value.reason is INVALID_ARGUMENT


async def test_a_mesh_that_fails_to_start_lets_the_home_go(tmp_path: Path) -> None:
    @asynccontextmanager
    async def broken(home: Path, **more: object) -> AsyncIterator[Running]:
        raise AssayError(SERVICE_UNAVAILABLE, "cannot listen")
        yield Running("")

    for find_mesh in (lambda: broken, find):
        async with AsyncExitStack() as stack:
            if find_mesh is find:
                await stack.enter_async_context(mesh_at(tmp_path, find=find))
            else:
                with pytest.raises(AssayError, match="cannot listen"):
                    await stack.enter_async_context(mesh_at(tmp_path, find=find_mesh))
                assert read_owner(tmp_path) is None


def test_without_an_installed_mesh_the_error_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nothing: Callable[..., list[object]] = lambda **_: []  # noqa: E731
    monkeypatch.setattr(embedded, "entry_points", nothing)
    with pytest.raises(AssayError) as caught:
        find_embedded_mesh()
    assert caught.value.reason is SERVICE_UNAVAILABLE
    assert "--server" in caught.value.remedy
