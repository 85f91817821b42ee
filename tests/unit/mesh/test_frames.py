"""Frames are stored once, found by digest, and survive every form they travel in."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pyarrow as pa
import pytest
from pydantic import ValidationError

from mesh.digest import frame_digest
from mesh.errors import (
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    SOURCE_NOT_READABLE,
    VERIFICATION_FAILED,
    AssayError,
)
from mesh.frames import codec
from mesh.frames.reference import FrameRef, LocationKind
from mesh.frames.store import FrameStore
from mesh.storage.objects.folder import FolderObjects


@pytest.fixture
def store(tmp_path: Path) -> FrameStore:
    return FrameStore(FolderObjects(tmp_path / "frames"))


@pytest.fixture
def sales() -> pa.Table:
    return pa.table({"region": ["north", None, "south"] * 1000, "amount": list(range(3000))})


def place(ref: FrameRef) -> Path:
    path = ref.path()
    assert path is not None
    return path


def test_a_stored_frame_comes_back_equal(store: FrameStore, sales: pa.Table) -> None:
    ref = store.put(sales, "sales")
    assert store.open(ref.digest).equals(sales)
    assert (ref.name, ref.rows, ref.digest) == ("sales", 3000, frame_digest(sales))
    assert ref.bytes == place(ref).stat().st_size
    assert ref.arrow_schema().equals(sales.schema)
    assert ref.locations[0].kind is LocationKind.PATH


def test_an_equal_table_is_kept_once(store: FrameStore, sales: pa.Table, tmp_path: Path) -> None:
    first = store.put(sales)
    halves = pa.concat_tables([sales.slice(0, 7), sales.slice(7)])
    assert place(store.put(halves)) == place(first)
    assert len(list((tmp_path / "frames").rglob("*.arrow"))) == 1


def test_only_the_owner_may_read_a_frame(store: FrameStore, sales: pa.Table) -> None:
    path = place(store.put(sales))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_failed_write_leaves_nothing_behind(
    store: FrameStore, sales: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(AssayError, match="is full") as refused:
        store.put(sales)
    assert refused.value.reason is RESOURCE_EXHAUSTED
    assert [p for p in (tmp_path / "frames").rglob("*") if p.is_file()] == []
    assert not store.exists(frame_digest(sales))


def test_a_frame_that_is_not_there_is_not_found(store: FrameStore) -> None:
    with pytest.raises(AssayError) as refused:
        store.open("0" * 64)
    assert refused.value.reason is NOT_FOUND


@pytest.mark.parametrize("digest", ["../../etc/passwd", "", "ABC", "0" * 63])
def test_what_is_no_digest_names_no_frame(store: FrameStore, digest: str) -> None:
    assert not store.exists(digest)
    assert not store.delete(digest)
    with pytest.raises(AssayError) as refused:
        store.open(digest)
    assert refused.value.reason is NOT_FOUND


@pytest.mark.parametrize("damage", [b"", b"not arrow at all"])
def test_a_damaged_file_cannot_be_read(store: FrameStore, sales: pa.Table, damage: bytes) -> None:
    ref = store.put(sales)
    place(ref).write_bytes(damage)
    with pytest.raises(AssayError) as refused:
        store.open(ref.digest)
    assert refused.value.reason is SOURCE_NOT_READABLE


def test_a_file_that_was_cut_off_cannot_be_read(store: FrameStore, sales: pa.Table) -> None:
    ref = store.put(sales)
    place(ref).write_bytes(place(ref).read_bytes()[:-20])
    with pytest.raises(AssayError) as refused:
        store.open(ref.digest)
    assert refused.value.reason is SOURCE_NOT_READABLE


def test_a_foreign_folder_is_not_trusted(store: FrameStore, sales: pa.Table) -> None:
    ref = store.put(sales)
    other = store.put(sales.slice(1))
    place(ref).write_bytes(place(other).read_bytes())
    with pytest.raises(AssayError) as refused:
        store.open(ref.digest, foreign=True)
    assert refused.value.reason is VERIFICATION_FAILED


def test_a_deleted_frame_is_gone_but_open_tables_stay(store: FrameStore, sales: pa.Table) -> None:
    ref = store.put(sales)
    opened = store.open(ref.digest)
    assert store.delete(ref.digest)
    assert not store.delete(ref.digest)
    assert not store.exists(ref.digest)
    assert opened.equals(sales)


def test_dictionaries_that_differ_between_chunks_are_stored(store: FrameStore) -> None:
    def encoded(values: list[str | None]) -> pa.Array:
        return pa.array(values).dictionary_encode()

    table = pa.table({"c": pa.chunked_array([encoded(["a", "b"]), encoded(["c", None])])})
    ref = store.put(table)
    assert store.open(ref.digest, foreign=True)["c"].to_pylist() == ["a", "b", "c", None]


@pytest.mark.parametrize("rows", [0, 1, 3000])
@pytest.mark.parametrize("size", [1, 64, 1 << 20])
def test_concatenated_chunks_are_an_arrow_stream(sales: pa.Table, rows: int, size: int) -> None:
    table = sales.slice(0, rows if size > 1 else min(rows, 3))
    chunks = list(codec.stream_chunks(table, size))
    assert max(map(len, chunks)) <= size
    assert pa.ipc.open_stream(b"".join(chunks)).read_all().equals(table)
    assert codec.read_stream(iter(chunks)).equals(table)


def test_a_stream_that_was_cut_off_is_refused(sales: pa.Table) -> None:
    content = b"".join(codec.stream_chunks(sales))
    for bad in (content[: len(content) // 2], b"", b"garbage garbage garbage"):
        with pytest.raises(AssayError) as refused:
            codec.read_stream([bad])
        assert refused.value.reason is SOURCE_NOT_READABLE


def test_a_chunk_holds_at_least_one_byte(sales: pa.Table) -> None:
    with pytest.raises(ValueError, match="at least one byte"):
        next(codec.stream_chunks(sales, 0))


def test_a_schema_that_is_no_schema_is_refused() -> None:
    with pytest.raises(AssayError) as refused:
        codec.decode_schema(b"nonsense")
    assert refused.value.reason is SOURCE_NOT_READABLE


def test_a_reference_is_frozen_and_checked(store: FrameStore, sales: pa.Table) -> None:
    ref = store.put(sales)
    with pytest.raises(ValidationError):
        FrameRef(name="x", schema_bytes=b"", rows=1, bytes=1, digest="short")
    assert FrameRef.model_validate(ref.model_dump()) == ref
