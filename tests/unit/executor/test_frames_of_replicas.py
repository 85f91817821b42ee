"""Executors that share nothing but a key hand frames to one another."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mesh.clock import SystemClock
from mesh.context import changed
from mesh.errors import NOT_FOUND, RESOURCE_EXHAUSTED, SOURCE_NOT_READABLE, AssayError
from mesh.frames import codec
from mesh.frames.reference import LocationKind
from mesh.frames.store import FrameStore
from mesh.frames.tickets import Tickets
from mesh.keys import shared_key
from mesh.storage.database import open_database
from mesh.storage.files import sweep
from mesh.storage.objects.folder import FolderObjects
from mesh.transport.seal import Seal
from services.executor import frame_keeping
from services.executor.adapters.lease_store import SqlLeases
from services.executor.app_frames import Frames
from services.executor.domain.stored_item import StoredItem, StoredKind, job
from services.executor.flight import FlightEndpoint
from services.executor.frame_leases import Leases
from services.executor.ports import Admit
from services.executor.service import MIGRATIONS
from services.executor.sources.disposable.pool import DisposableProcesses
from tests.unit.executor.noticed import Noticed

SALES = pa.table({"region": ["north", None], "amount": [1.5, 2.5]})


def admitted(frames: Frames) -> Admit:
    """What is stored is ann's."""
    with changed(tenant="ann"):
        return frames.leases.admit(job("1"), StoredKind.FRAME)


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[tuple[Frames, Frames]]:
    with ExitStack() as stack:
        made = []
        for name in ("one", "two"):
            keepers = DisposableProcesses(frame_keeping.WORK, frame_keeping.LIMITS)
            stack.callback(keepers.close)
            tickets = Tickets([shared_key(tmp_path / "key")], 60, SystemClock())
            store = FrameStore(FolderObjects(tmp_path / name))
            database = open_database(f"sqlite:///{tmp_path / name}.sqlite", MIGRATIONS)
            leases = Leases(SqlLeases(database, SystemClock()), 60, Noticed())
            seal = Seal([shared_key(tmp_path / "mesh.key")])
            frames = Frames(store, leases, tickets, keepers, tmp_path, seal)
            endpoint = FlightEndpoint("127.0.0.1:0", "", frames.file, tickets, seal)
            stack.callback(endpoint.close)
            stack.callback(frames.close)
            frames.flight_uri = endpoint.uri
            made.append(frames)
        yield made[0], made[1]


def test_a_call_gets_the_frame_that_another_executor_made(replicas: tuple[Frames, Frames]) -> None:
    one, two = replicas
    ref = one.put(SALES, "sales", admitted(one))
    assert [place.kind for place in ref.locations] == [LocationKind.PATH, LocationKind.FLIGHT]
    assert not any(place.ticket for place in ref.locations)
    moved = ref.model_copy(update={"locations": ref.flights()})
    with changed(tenant="ann"):
        assert two.redeem(moved).equals(SALES)


def test_whoever_asks_where_a_frame_is_gets_a_ticket_of_their_own(
    replicas: tuple[Frames, Frames],
) -> None:
    one, two = replicas
    ref = one.put(SALES, "sales", admitted(one)).model_copy(update={"locations": ()})
    with changed(tenant="ann"):
        (place,) = one.locate(ref).flights()
    assert one.tickets.opened(place.ticket, "ann") == ref.digest
    with pytest.raises(AssayError) as refused:
        two.locate(ref)
    assert refused.value.reason is NOT_FOUND


def test_a_frame_is_its_tenants_alone_whichever_way_another_asks_for_it(
    replicas: tuple[Frames, Frames],
) -> None:
    one, two = replicas
    ref = one.put(SALES, "sales", admitted(one))
    moved = ref.model_copy(update={"locations": ref.flights()})
    with changed(tenant="bob"):
        for attempt in (
            lambda: one.redeem(ref),
            lambda: two.redeem(ref),
            lambda: two.redeem(two.locate(moved)),
            lambda: one.locate(ref),
            lambda: next(one.spans(ref.digest)),
            lambda: next(two.spans(ref.digest, 0, ref.locations)),
        ):
            with pytest.raises(AssayError) as refused:
                attempt()
            assert refused.value.reason is NOT_FOUND
    noticed = one.leases.trespasses
    assert isinstance(noticed, Noticed)
    assert set(noticed.all) == {("bob", "frame", ref.digest)}


def test_equal_frames_of_two_tenants_are_both_theirs(replicas: tuple[Frames, Frames]) -> None:
    one, _ = replicas
    ref = one.put(SALES, "sales", admitted(one))
    with changed(tenant="bob"):
        assert (
            one.put(SALES, "same", one.leases.admit(job("2"), StoredKind.FRAME)).digest
            == ref.digest
        )
        assert one.redeem(ref).equals(SALES)
        one.leases.store.let_go(StoredItem(StoredKind.FRAME, ref.digest), "bob")
        with pytest.raises(AssayError):
            one.redeem(ref)
    with changed(tenant="ann"):
        assert one.redeem(ref).equals(SALES)


def test_a_frame_is_passed_on_by_an_executor_that_does_not_have_it(
    replicas: tuple[Frames, Frames],
) -> None:
    one, two = replicas
    rows = pa.table({"n": range(3_000_000)})
    ref = one.put(rows, "rows", admitted(one))
    with changed(tenant="ann"):
        whole = codec.read_stream(map(bytes, two.spans(ref.digest, 0, ref.locations)))
        rest = codec.read_stream(map(bytes, two.spans(ref.digest, 1_000_001, ref.locations)))
        assert whole.equals(rows)
        assert rest.equals(rows.slice(1_000_001))
        with pytest.raises(AssayError) as refused:
            next(two.spans(ref.digest))
        assert refused.value.reason is NOT_FOUND
        one.store.delete(ref.digest)
        with pytest.raises(AssayError) as refused:
            next(two.spans(ref.digest, 0, ref.locations))
        assert refused.value.reason is NOT_FOUND


def test_an_uploaded_stream_becomes_a_frame(
    replicas: tuple[Frames, Frames], tmp_path: Path
) -> None:
    one, _ = replicas
    uploaded = tmp_path / "upload"
    with pa.OSFile(str(uploaded), "wb") as file, pa.ipc.new_stream(file, SALES.schema) as writer:
        writer.write_table(SALES)
    ref = one.keep(uploaded, "sales", admitted(one))
    assert one.store.open(ref.digest).equals(SALES)
    assert one.keep(uploaded, "again", admitted(one)).digest == ref.digest


def test_a_collector_at_work_leaves_an_upload_alone_that_is_just_being_read(
    replicas: tuple[Frames, Frames], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploaded, run = tmp_path / "upload", DisposableProcesses.run
    with pa.OSFile(str(uploaded), "wb") as file, pa.ipc.new_stream(file, SALES.schema) as writer:
        writer.write_table(SALES)

    def swept(processes: DisposableProcesses, *job: Any, **limits: Any) -> Any:
        assert sweep(tmp_path) == 0
        return run(processes, *job, **limits)

    monkeypatch.setattr(DisposableProcesses, "run", swept)
    assert replicas[0].keep(uploaded, "sales", admitted(replicas[0])).rows == 2


def test_an_upload_that_unpacks_to_more_than_any_real_table_is_stopped(
    replicas: tuple[Frames, Frames], tmp_path: Path
) -> None:
    zeros, uploaded = pa.table({"n": pa.nulls(1 << 20, pa.int64()).fill_null(0)}), tmp_path / "bomb"
    packed = pa.ipc.IpcWriteOptions(compression="zstd")
    with (
        pa.OSFile(str(uploaded), "wb") as file,
        pa.ipc.new_stream(file, zeros.schema, options=packed) as writer,
    ):
        for _ in range(20):  # 160 MB
            writer.write_table(zeros)
    assert uploaded.stat().st_size < 160_000
    with pytest.raises(AssayError, match="bomb unpacks to more than") as refused:
        replicas[0].keep(uploaded, "bomb", admitted(replicas[0]))
    assert refused.value.reason is RESOURCE_EXHAUSTED
    assert [path.name for path in tmp_path.glob("**/*.arrow")] == []


def test_an_upload_is_read_once_however_often_its_frame_is_wanted(
    replicas: tuple[Frames, Frames], tmp_path: Path
) -> None:
    one, two = replicas
    words = ["north", "south"]
    parts = [pa.array(words[:n]).dictionary_encode() for n in (1, 2)]  # no IPC file can hold both
    uploaded = tmp_path / "upload"
    with (
        pa.OSFile(str(uploaded), "wb") as file,
        pa.ipc.new_stream(file, pa.schema({"word": parts[0].type})) as writer,
    ):
        for part in parts:
            writer.write_batch(pa.record_batch({"word": part}))
    kept = one.keep(uploaded, "words", admitted(one))
    assert one.store.open(kept.digest)["word"].to_pylist() == ["north", *words]
    assert one.kept(kept.digest, "words") == kept
    assert kept.rows == 3
    assert two.kept(kept.digest, "words") is None


def test_a_damaged_upload_is_refused_by_name(
    replicas: tuple[Frames, Frames], tmp_path: Path
) -> None:
    uploaded = tmp_path / "upload"
    sent = io.BytesIO()
    with pa.ipc.new_stream(sent, SALES.schema) as writer:
        writer.write_table(SALES)
    for damaged in (
        b"\xff\xff\xff\xff\x10\0\0\0garbage and more of it",
        sent.getvalue().replace(b"region", b"reg\xfbon"),
        sent.getvalue()[:-60],
    ):
        uploaded.write_bytes(damaged)
        with pytest.raises(AssayError, match="sales is no sound Arrow stream") as refused:
            replicas[0].keep(uploaded, "sales", admitted(replicas[0]))
        assert refused.value.reason is SOURCE_NOT_READABLE
