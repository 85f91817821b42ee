"""A digest names content: the same for the same logical table, another for anything else."""

from __future__ import annotations

import decimal
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesh.canonical import canonical_json
from mesh.digest import file_digest, frame_digest, sha256_hex
from mesh.frames.logical import logical_type
from tests.thorough import times

GOLDEN = Path(__file__).parents[4] / "shared" / "data" / "arrow" / "golden"

leaves: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.int8(): st.integers(-128, 127),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(max_size=8),
    pa.binary(): st.binary(max_size=8),
    pa.date32(): st.dates(),
    pa.decimal128(9, 2): st.decimals(-1000, 1000, places=2, allow_nan=False),
    pa.timestamp("us", tz="Europe/Zurich"): st.integers(0, 2**50),
}


@st.composite
def columns(draw: st.DrawFn) -> pa.Array:
    kind = draw(st.sampled_from(list(leaves)))
    cell = st.none() | leaves[kind]
    nesting = draw(st.sampled_from(["flat", "list", "struct", "map"]))
    if nesting == "list":
        kind, cell = pa.list_(kind), st.none() | st.lists(cell, max_size=4)
    elif nesting == "struct":
        kind = pa.struct([("x", kind), ("y", pa.string())])
        cell = st.none() | st.fixed_dictionaries({"x": cell, "y": st.none() | st.text(max_size=3)})
    elif nesting == "map":
        pairs = st.lists(st.tuples(st.text(max_size=3), cell), max_size=3)
        kind, cell = pa.map_(pa.string(), kind), st.none() | pairs
    return pa.array(draw(st.lists(cell, max_size=30)), kind)


def cut(array: pa.Array, places: list[int]) -> pa.ChunkedArray:
    """The same values in chunks that end at the given places."""
    ends = sorted({min(place, len(array)) for place in places} | {len(array)})
    starts = [0, *ends[:-1]]
    pieces = [array.slice(s, e - s) for s, e in zip(starts, ends, strict=True)]
    return pa.chunked_array(pieces, array.type)


def one(values: Any, kind: pa.DataType | None = None) -> str:
    return frame_digest(pa.table({"c": pa.array(values, kind)}))


@given(columns(), st.lists(st.integers(0, 30), max_size=4))
@settings(max_examples=times(25, 150), deadline=None)
def test_chunks_do_not_matter(array: pa.Array, places: list[int]) -> None:
    assert frame_digest(pa.table({"c": cut(array, places)})) == frame_digest(pa.table({"c": array}))


@given(columns(), st.integers(0, 10), st.integers(0, 10))
@settings(max_examples=times(25, 150), deadline=None)
def test_a_slice_is_the_same_as_a_copy_of_its_values(
    array: pa.Array, start: int, length: int
) -> None:
    part = array.slice(min(start, len(array)), length)
    copied = (
        pa.array(part.to_pylist(), part.type)
        if not _has_moments(part.type)
        else part.take(pa.array(range(len(part)), pa.int64()))
    )
    assert frame_digest(pa.table({"c": part})) == frame_digest(pa.table({"c": copied}))


def _has_moments(kind: pa.DataType) -> bool:
    return "timestamp" in str(kind)


@given(st.lists(st.none() | st.sampled_from(["a", "bb", ""]), max_size=30))
@settings(max_examples=times(25, 60), deadline=None)
def test_encodings_and_layouts_of_text_are_one_logical_type(values: list[str | None]) -> None:
    plain = pa.array(values, pa.string())
    expected = one(plain)
    assert one(plain.dictionary_encode()) == expected
    assert one(plain.cast(pa.large_string())) == expected
    assert one(plain.cast(pa.string_view())) == expected
    assert one(pa.compute.run_end_encode(plain)) == expected


@given(columns(), st.data())
@settings(max_examples=times(25, 150), deadline=None)
def test_any_changed_cell_changes_the_digest(array: pa.Array, data: st.DataObject) -> None:
    if not len(array):
        return
    place = data.draw(st.integers(0, len(array) - 1))
    other = array.take(pa.array([place if array[place].is_valid else 0]))[0]
    replacement = pa.nulls(1, array.type) if array[place].is_valid else None
    if replacement is None:
        valid = [i for i in range(len(array)) if array[i].is_valid]
        if not valid:
            return
        other = array[valid[0]]
        replacement = array.slice(valid[0], 1)
    assert other is not None
    changed = pa.concat_arrays([array.slice(0, place), replacement, array.slice(place + 1)])
    assert one(changed) != one(array)


def test_what_lies_under_a_null_does_not_matter() -> None:
    clean = pa.array([1, None, 3], pa.int64())
    values = pa.py_buffer(np.array([1, 99, 3], dtype="<i8").tobytes())
    dirty = pa.Array.from_buffers(pa.int64(), 3, [clean.buffers()[0], values])
    assert dirty.equals(clean)
    assert one(dirty) == one(clean)


def test_text_hidden_under_a_null_does_not_matter() -> None:
    full = pa.array(["a", "hidden", "c"])
    validity = pa.array([True, None, True]).buffers()[0]
    dirty = pa.Array.from_buffers(pa.string(), 3, [validity, *full.buffers()[1:]])
    assert one(dirty) == one(["a", None, "c"])


def test_a_validity_buffer_that_marks_nothing_does_not_matter() -> None:
    plain = pa.array([1, 2, 3], pa.int64())
    marked = pa.Array.from_buffers(pa.int64(), 3, [pa.py_buffer(b"\x07"), plain.buffers()[1]])
    assert one(marked) == one(plain)


def test_metadata_and_declared_nullability_do_not_matter() -> None:
    field = pa.field("c", pa.int64(), nullable=False, metadata={"unit": "m"})
    table = pa.table([pa.array([1])], schema=pa.schema([field], metadata={"by": "x"}))
    assert frame_digest(table) == one([1], pa.int64())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (pa.table({"a": [1]}), pa.table({"b": [1]})),
        (pa.table({"a": [1], "b": [2]}), pa.table({"b": [2], "a": [1]})),
        (pa.table({"a": [1, 2]}), pa.table({"a": [2, 1]})),
        (pa.table({"a": pa.array([1], pa.int32())}), pa.table({"a": pa.array([1], pa.int64())})),
        (pa.table({"a": [None, 1]}), pa.table({"a": [1, None]})),
        (pa.table({"a": pa.array([None], pa.int64())}), pa.table({"a": pa.array([0])})),
        (pa.table({"a": [float("nan")]}), pa.table({"a": pa.array([None], pa.float64())})),
        (pa.table({"a": [0.0]}), pa.table({"a": [-0.0]})),
        (pa.table({"a": ["ab", "c"]}), pa.table({"a": ["a", "bc"]})),
        (pa.table({"a": [""]}), pa.table({"a": pa.array([None], pa.string())})),
        (pa.table({"a": ["x"]}), pa.table({"a": [b"x"]})),
        (pa.table({"a": [[1, 2], []]}), pa.table({"a": [[1], [2]]})),
        (pa.table({"a": [[1], None]}), pa.table({"a": [[1], []]})),
        (
            pa.table({"a": pa.array([0], pa.timestamp("us"))}),
            pa.table({"a": pa.array([0], pa.timestamp("us", tz="UTC"))}),
        ),
        (
            pa.table({"a": [{"x": None}]}),
            pa.table({"a": pa.array([None], pa.struct([("x", pa.null())]))}),
        ),
        (pa.table({"a": pa.array([], pa.int64())}), pa.table({"a": pa.array([], pa.int32())})),
    ],
)
def test_tables_that_differ_have_different_digests(left: pa.Table, right: pa.Table) -> None:
    assert frame_digest(left) != frame_digest(right)


def test_every_nan_is_the_same_value() -> None:
    odd = np.array([0x7FF8000000000001, 0xFFF8000000000000], dtype="<u8").view("<f8")
    assert one(odd) == one([float("nan"), float("nan")])


def test_decimals_of_one_precision_are_one_type_whatever_their_width() -> None:
    values = [decimal.Decimal("1.25"), None, decimal.Decimal("-3.00")]
    digests = {one(values, kind(7, 2)) for kind in (pa.decimal32, pa.decimal64, pa.decimal128)}
    assert len(digests) == 1


def test_lists_and_list_views_are_one_type() -> None:
    values = [[1, 2], None, [], [3]]
    kinds = (pa.list_, pa.large_list, pa.list_view, pa.large_list_view)
    assert len({one(values, kind(pa.int64())) for kind in kinds}) == 1


def test_sparse_and_dense_unions_are_one_type() -> None:
    codes = pa.array([0, 1, 0], pa.int8())
    dense = pa.UnionArray.from_dense(
        codes, pa.array([0, 0, 1], pa.int32()), [pa.array([1, 2]), pa.array(["x"])]
    )
    sparse = pa.UnionArray.from_sparse(codes, [pa.array([1, 7, 2]), pa.array(["g", "x", "g"])])
    assert one(dense) == one(sparse)
    assert one(dense.slice(1)) == one(sparse.slice(1))
    assert one(dense.slice(1)) != one(dense)


def test_an_extension_type_counts_as_its_storage() -> None:
    content = [b"0" * 16, None]
    assert one(content, pa.uuid()) == one(content, pa.binary(16))


def test_unusual_types_have_a_digest() -> None:
    kinds = [
        (pa.array([pa.MonthDayNano([1, 2, 3]), None]), pa.month_day_nano_interval()),
        (pa.array([1.5, None], pa.float16()), pa.float16()),
        (pa.nulls(3), pa.null()),
        (pa.array([[1, 2], None], pa.list_(pa.int8(), 2)), pa.list_(pa.int8(), 2)),
        (pa.array([1, None], pa.duration("ms")), pa.duration("ms")),
        (pa.array([1, None], pa.time32("s")), pa.time32("s")),
    ]
    digests = [one(array, None) for array, _ in kinds]
    assert len(set(digests)) == len(kinds)


def test_a_table_without_chunks_equals_one_with_an_empty_chunk() -> None:
    kind = pa.struct([("x", pa.list_(pa.string()))])
    without = pa.table({"c": pa.chunked_array([], kind)})
    assert frame_digest(without) == one([], kind)


def test_the_digest_is_fixed_for_all_time() -> None:
    table = pa.table({"month": ["jan", None], "amount": pa.array([1.5, 2.5])})
    assert frame_digest(table) == "e6321a4bc135ae69e3f5df1ffd5807f5b2520c9c75ed4e59e73922f1e02eaf67"


@pytest.mark.skipif(not GOLDEN.is_dir(), reason=f"no golden Arrow files at {GOLDEN}")
def test_a_type_without_arrays_in_pyarrow_is_refused_by_name_inside_another() -> None:
    stream = GOLDEN / "1.0.0-littleendian" / "generated_interval.stream"
    months = pa.ipc.open_stream(stream).schema.field("f5").type
    with pytest.raises(TypeError, match="month_interval has no canonical form"):
        logical_type(months)


@pytest.mark.skipif(not GOLDEN.is_dir(), reason=f"no golden Arrow files at {GOLDEN}")
def test_slices_of_columns_without_arrays_in_pyarrow_have_the_digest_of_the_whole() -> None:
    stream = GOLDEN / "1.0.0-littleendian" / "generated_interval.stream"
    table = pa.ipc.open_stream(stream).read_all()
    batches = [table.slice(start, 2).to_batches() for start in range(0, table.num_rows, 2)]
    cut = pa.Table.from_batches([batch for part in batches for batch in part])
    assert frame_digest(cut) == frame_digest(table)
    assert frame_digest(table.slice(1)) != frame_digest(table)


@pytest.mark.skipif(not GOLDEN.is_dir(), reason=f"no golden Arrow files at {GOLDEN}")
def test_golden_files_and_streams_of_one_table_have_one_digest() -> None:
    compared = 0
    for stream in sorted((GOLDEN / "1.0.0-littleendian").glob("*.stream")):
        file = stream.with_suffix(".arrow_file")
        if not file.exists():
            continue
        left = pa.ipc.open_stream(stream).read_all()
        right = pa.ipc.open_file(file).read_all()
        assert frame_digest(left) == frame_digest(right), stream.name
        compared += 1
    assert compared > 10


def test_canonical_json_has_one_form() -> None:
    assert canonical_json({"b": [1, 2.5, None], "a": "é"}) == '{"a":"é","b":[1,2.5,null]}'.encode()


@pytest.mark.parametrize("value", [float("nan"), {"a": float("inf")}])
def test_canonical_json_refuses_what_json_lacks(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(value)


def test_a_files_digest_is_that_of_its_content(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"abc" * 100_000)
    assert file_digest(file) == sha256_hex(file.read_bytes())
    assert sha256_hex(b"") == hashlib.sha256(b"").hexdigest()
