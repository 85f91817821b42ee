"""A frame is taken from the nearest place that really has it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from mesh.errors import NOT_FOUND, AssayError
from mesh.frames import codec
from mesh.frames.plane import FramePlane, others_may_write
from mesh.frames.reference import FrameRef, Location, LocationKind
from mesh.frames.store import FrameStore
from mesh.frames.stored import BATCH_BYTES, StoredFrame
from mesh.storage.objects.folder import FolderObjects

SALES = pa.table({"region": ["north", None], "amount": [1.5, 2.5]})


@pytest.fixture
def store(tmp_path: Path) -> FrameStore:
    return FrameStore(FolderObjects(tmp_path / "frames"))


def at(ref: FrameRef, *paths: Path) -> FrameRef:
    places = tuple(Location(kind=LocationKind.PATH, uri=str(path)) for path in paths)
    return ref.model_copy(update={"locations": places})


def test_the_own_store_needs_no_location(store: FrameStore) -> None:
    assert FramePlane(store).redeem(at(store.put(SALES))).equals(SALES)


def test_a_file_of_this_host_is_mapped(store: FrameStore) -> None:
    assert FramePlane().redeem(store.put(SALES)).equals(SALES)


def test_a_path_that_is_not_here_is_passed_over(store: FrameStore, tmp_path: Path) -> None:
    ref = at(store.put(SALES), tmp_path / "on another machine.arrow")
    with pytest.raises(AssayError) as refused:
        FramePlane().redeem(ref)
    assert refused.value.reason is NOT_FOUND


def test_a_file_that_others_could_write_must_hold_what_its_digest_says(
    store: FrameStore, tmp_path: Path
) -> None:
    ref, other = store.put(SALES), store.put(SALES.slice(1))
    shared = tmp_path / "shared.arrow"
    shared.write_bytes(store.file(other.digest).read_bytes())
    assert not others_may_write(shared)
    shared.chmod(0o666)
    assert others_may_write(shared)
    assert FramePlane().near(at(ref, shared)) is None
    shared.write_bytes(store.file(ref.digest).read_bytes())
    table = FramePlane().near(at(ref, shared))
    assert table is not None
    shared.write_bytes(bytes(shared.stat().st_size))  # too late to change what was checked
    assert table.equals(SALES)


def test_a_damaged_file_is_as_good_as_none(store: FrameStore, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.arrow"
    damaged.write_bytes(b"ARROW1 and then nothing")
    assert FramePlane().near(at(store.put(SALES), damaged)) is None


def test_a_large_table_is_stored_in_batches_that_fit_a_transfer(tmp_path: Path) -> None:
    table = pa.table({"n": range(4 * BATCH_BYTES // 8)})
    path = tmp_path / "large.arrow"
    with path.open("xb") as file:
        codec.write_file(table, file)
    with StoredFrame(path) as stored:
        batches = list(stored.batches())
        assert max(batch.nbytes for batch in batches) < 1.5 * BATCH_BYTES
        assert pa.Table.from_batches(batches).equals(table)
        for first in (1, 1024, table.num_rows - 1):
            rest = pa.Table.from_batches(list(stored.batches(first)))
            assert rest.equals(table.slice(first))


def test_one_batch_that_is_too_large_is_cut_on_the_way(tmp_path: Path) -> None:
    table = pa.table({"n": range(4 * BATCH_BYTES // 8)})
    path = tmp_path / "one.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    with StoredFrame(path) as stored:
        batches = list(stored.batches())
    assert len(batches) > 3
    assert pa.Table.from_batches(batches).equals(table)
