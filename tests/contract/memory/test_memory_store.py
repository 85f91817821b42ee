"""What every vector store keeps of its promises."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import pytest

from mesh.errors import HOME_BUSY, INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError
from services.memory.adapters.qdrant_served import ServedVectorStore
from services.memory.ports import Entry, Point, Where
from tests.contract.memory.stores import Open, in_folder, open_store, unit

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant"),
]

ROOT = Path(__file__).parents[3]


async def test_an_empty_store_has_nothing(opened: Open) -> None:
    store = await opened("points", 2)
    assert await store.search("acme", Where(), unit(1, 0), 3) == []
    assert await store.get("acme", "nothing") is None
    assert (await store.scroll("acme", Where(), 10)).points == ()
    assert await store.delete("acme", Where()) == 0
    assert await store.count("acme") == 0


async def test_nearest_points_come_first_with_their_cosine(opened: Open) -> None:
    store = await opened("points", 2)
    vectors = {"far": unit(-1, 0.1), "near": unit(1, 0.1), "between": unit(0.5, 1)}
    await store.upsert("acme", [Point(name, {"n": name}, v) for name, v in vectors.items()])
    hits = await store.search("acme", Where(), unit(1, 0), 3)
    assert [hit.point.point_id for hit in hits] == ["near", "between", "far"]
    for hit in hits:
        expected = float(vectors[hit.point.point_id] @ unit(1, 0))
        assert hit.similarity == pytest.approx(expected, abs=1e-5)
        assert hit.point.vector == pytest.approx(vectors[hit.point.point_id], abs=1e-6)
    assert len(await store.search("acme", Where(), unit(1, 0), 1)) == 1


async def test_conditions_choose_by_equal_unlike_and_list_membership(opened: Open) -> None:
    store = await opened("points", 2, ("colour", "tags"))
    points = [
        Point("1", {"colour": "red", "tags": ["x", "y"], "old": "yes"}, unit(1, 0)),
        Point("2", {"colour": "blue", "tags": [], "old": "no"}, unit(1, 0)),
        Point("3", {"colour": "blue", "old": "yes"}, unit(1, 0)),
    ]
    await store.upsert("acme", points)

    async def chosen(where: Where) -> set[str]:
        found = {hit.point.point_id for hit in await store.search("acme", where, unit(1, 0), 9)}
        page = await store.scroll("acme", where, 9)
        assert {point.point_id for point in page.points} == found
        assert await store.count("acme", where) == len(found)
        return found

    assert await chosen(Where({"colour": "blue"})) == {"2", "3"}
    assert await chosen(Where({"tags": "y"})) == {"1"}
    assert await chosen(Where({"old": "yes"}, unlike={"colour": "red"})) == {"3"}
    assert await chosen(Where(unlike={"tags": "x"})) == {"2", "3"}


async def test_scrolling_meets_every_point_once(opened: Open) -> None:
    store = await opened("points", 2)
    await store.upsert("acme", [Point(str(i), {"i": i}, unit(1, i)) for i in range(23)])
    seen: list[str] = []
    after = None
    while True:
        page = await store.scroll("acme", Where(), 5, after)
        assert all(point == Entry(point.point_id, point.payload) for point in page.points)
        seen += [point.point_id for point in page.points]
        if page.next is None:
            break
        after = page.next
    assert sorted(seen, key=int) == [str(i) for i in range(23)]


async def test_tenants_never_meet_even_under_one_id(opened: Open) -> None:
    store = await opened("points", 2)
    await store.upsert("acme", [Point("same", {"whose": "acme"}, unit(1, 0))])
    await store.upsert("bolt", [Point("same", {"whose": "bolt"}, unit(1, 0))])
    for tenant in ("acme", "bolt"):
        hits = await store.search(tenant, Where(), unit(1, 0), 9)
        assert [hit.point.payload["whose"] for hit in hits] == [tenant]
        point = await store.get(tenant, "same")
        assert point is not None and point.payload["whose"] == tenant
        assert await store.count(tenant) == 1
    assert await store.delete("acme", Where()) == 1
    assert await store.count("bolt") == 1


async def test_a_payload_cannot_claim_another_tenant(opened: Open) -> None:
    store = await opened("points", 2)
    await store.upsert("acme", [Point("1", {"tenant": "bolt"}, unit(1, 0))])
    assert await store.count("bolt") == 0
    assert await store.count("acme", Where({"tenant": "bolt"})) == 0
    assert await store.count("bolt", Where({"tenant": "acme"})) == 0


async def test_no_tenant_no_answer(opened: Open) -> None:
    store = await opened("points", 2)
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: store.search("", Where(), unit(1, 0), 1),
        lambda: store.get("", "1"),
        lambda: store.scroll("", Where(), 1),
        lambda: store.delete("", Where()),
        lambda: store.count(""),
        lambda: store.upsert("", [Point("1", {}, unit(1, 0))]),
    ]
    for call in calls:
        with pytest.raises(AssayError) as refused:
            await call()
        assert refused.value.reason is INVALID_ARGUMENT


async def test_writing_an_id_again_replaces_it(opened: Open) -> None:
    store = await opened("points", 2)
    for version in (1, 2):
        await store.upsert("acme", [Point("1", {"version": version}, unit(1, version))])
    point = await store.get("acme", "1")
    assert point is not None and point.payload["version"] == 2
    assert await store.count("acme") == 1


async def test_any_text_survives(opened: Open) -> None:
    store = await opened("points", 2)
    text = 'Umsätze 🧾 売上 \u0000 "quoted" \\ \n e\u0301'
    await store.upsert("Ümläut 株式会社", [Point("ключ", {"text": text}, unit(1, 0))])
    point = await store.get("Ümläut 株式会社", "ключ")
    assert point is not None and point.payload["text"] == text


async def test_what_was_written_is_there_after_closing_and_opening(
    location: tuple[str, str],
) -> None:
    name = f"points-{uuid4().hex}"
    store = await open_store(location, name, 2)
    await store.upsert("acme", [Point("1", {"kept": "yes"}, unit(1, 0))])
    await store.close()
    await store.close()
    again = await open_store(location, name, 2)
    try:
        assert await again.count("acme", Where({"kept": "yes"})) == 1
    finally:
        await again.close()


async def test_another_dimension_is_refused(location: tuple[str, str]) -> None:
    name = f"points-{uuid4().hex}"
    store = await open_store(location, name, 2)
    await store.upsert("acme", [Point("1", {}, unit(1, 0))])
    await store.close()
    with pytest.raises(AssayError, match="not made for vectors of 3") as refused:
        await open_store(location, name, 3)
    assert refused.value.reason is INVALID_ARGUMENT


CHILD = """
import asyncio, os, signal, sys
from services.memory.ports import Point
from tests.contract.memory.stores import open_store, unit

async def write_and_die():
    kind, place, collection = sys.argv[1:]
    store = await open_store((kind, place), collection, 2)
    for i in range(50):
        await store.upsert("acme", [Point(str(i), {}, unit(1, i))])
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(write_and_die())
"""


async def test_what_was_written_survives_kill_9(location: tuple[str, str]) -> None:
    name = f"points-{uuid4().hex}"
    child = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-W", "ignore", "-c", CHILD, *location, name],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr
    store = await open_store(location, name, 2)
    try:
        assert await store.count("acme") == 50
    finally:
        await store.close()


async def test_a_second_owner_of_a_folder_is_told_so(tmp_path: Path) -> None:
    first = await in_folder(tmp_path / "points", 2)
    await first.upsert("acme", [Point("1", {}, unit(1, 0))])
    with pytest.raises(AssayError) as refused:
        await in_folder(tmp_path / "points", 2)
    assert refused.value.reason is HOME_BUSY
    await first.close()
    second = await in_folder(tmp_path / "points", 2)
    assert await second.count("acme") == 1
    await second.close()


async def test_what_was_never_written_to_takes_no_room(tmp_path: Path) -> None:
    store = await in_folder(tmp_path / "points", 2)
    assert await store.count("acme") == 0
    assert await store.search("acme", Where(), unit(1, 0), 3) == []
    assert await store.delete("acme", Where()) == 0
    await store.close()
    assert list(tmp_path.iterdir()) == []


async def test_a_server_that_is_away_is_unavailable(unused_tcp_port: int) -> None:
    store = ServedVectorStore.at(f"http://127.0.0.1:{unused_tcp_port}", "points", 2)
    for _ in range(2):
        with pytest.raises(AssayError) as refused:
            await store.count("acme")
        assert refused.value.reason is SERVICE_UNAVAILABLE
    await store.close()


async def test_a_server_that_never_answers_is_given_up_in_time() -> None:
    accepted = asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.set()
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    async with silent:
        port = silent.sockets[0].getsockname()[1]
        store = ServedVectorStore.at(f"http://127.0.0.1:{port}", "points", 2, timeout_seconds=1)
        with pytest.raises(AssayError) as refused:
            await store.count("acme")
        await store.close()
    assert refused.value.reason is SERVICE_UNAVAILABLE
    assert accepted.is_set()


async def test_a_collection_that_the_server_lost_is_made_again(tmp_path: Path) -> None:
    from qdrant_client import AsyncQdrantClient

    client = AsyncQdrantClient(path=str(tmp_path / "store"))
    store = ServedVectorStore(client, "points", 2)
    await store.upsert("acme", [Point("1", {}, unit(1, 0))])
    await client.delete_collection("points")
    with pytest.raises((AssayError, ValueError)):
        await store.count("acme")
    await store.upsert("acme", [Point("2", {}, unit(1, 0))])
    assert await store.count("acme") == 1
    await store.close()
