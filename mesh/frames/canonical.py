"""The canonical form of a table, and its SHA-256.

Two tables have one digest exactly when they hold the same logical table: the same column names
and logical types in the same order, and the same values and nulls in the same rows.

It does not matter how a table is chunked or sliced, whether values are dictionary- or run-end
encoded, what lies under nulls, whether an all-valid column has a validity buffer, what metadata a
schema carries, or whether a field is declared nullable. Types that differ only in layout are one
logical type: string, large_string and string_view; binary likewise; list, large_list and their
views; decimals of at most 128 bits with equal precision and scale; sparse and dense unions. An
extension type counts as its storage, because whether it is seen as one depends on what the reader
has registered.

Every NaN is the same value and differs from null; 0.0 and -0.0 differ.

Layout: a column is a tree of nodes, one for each level of its type. A node receives its values in
row order, in as many pieces as they come, and keeps up to three running hashes: the row numbers of
its nulls (int64), the byte or item lengths of its non-null values (int64), and the bytes of its
non-null values (little-endian). Nothing in them depends on where a piece ended. A node's digest is
the SHA-256 of its two counts, its hashes and the digests of its children; the table's digest is
that of `DOMAIN`, the canonical JSON of row count, names and types, and the columns' digests.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mesh.canonical import canonical_json
from mesh.frames.logical import column_array, column_type, is_list, plain

DOMAIN = b"assay.frame.v1\n"

# Pieces this long keep every temporary copy within the processor's cache.
PIECE_ROWS = 1 << 17


def table_digest(table: pa.Table) -> str:
    """SHA-256 of the canonical form, as 64 hexadecimal digits.

    Raises TypeError for an Arrow type that has no canonical form.
    """
    running = RunningDigest(table.schema)
    for batch in table.to_batches():
        running.add(batch)
    return running.hexdigest()


def column_digest(column: pa.ChunkedArray) -> bytes:
    """SHA-256 of one column's values, without its name and type."""
    node = Node()
    for chunk in column.chunks:
        _add_pieces(node, chunk)
    return node.digest()


class RunningDigest:
    """The digest of a table that comes in batches; how it was cut makes no difference.

    `add` may run in another thread than the one that receives: hashing leaves the interpreter free.
    Only one `add` at a time. Raises TypeError for an Arrow type that has no canonical form.
    """

    def __init__(self, schema: pa.Schema) -> None:
        self._columns = [{"name": field.name, "type": column_type(field.type)} for field in schema]
        self._nodes = [Node() for _ in schema]
        self.rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Take in the next rows."""
        self.rows += batch.num_rows
        for position in range(batch.num_columns):
            self.add_column(batch, position)

    def add_column(self, batch: pa.RecordBatch, position: int) -> None:
        """Take in the next values of one column; `rows` is then the caller's to count.

        Columns are independent of one another: several may be added to at once.
        """
        _add_pieces(self._nodes[position], column_array(batch, position))

    def hexdigest(self) -> str:
        """SHA-256 of all rows so far, as 64 hexadecimal digits."""
        total = hashlib.sha256(DOMAIN)
        total.update(canonical_json({"rows": self.rows, "columns": self._columns}))
        for node in self._nodes:
            total.update(node.digest())
        return total.hexdigest()


def _add_pieces(node: Node, array: pa.Array) -> None:
    if not len(array):
        node.add(array)
    for start in range(0, len(array), PIECE_ROWS):
        node.add(array.slice(start, PIECE_ROWS))


class Node:
    """Running hashes of one level of one column."""

    def __init__(self) -> None:
        self.rows = 0
        self.null_count = 0
        self.nulls = hashlib.sha256()
        self.lengths = hashlib.sha256()
        self.values = hashlib.sha256()
        self.children: list[Node] = []

    def add(self, array: pa.Array) -> None:
        """Take in the next values of this level."""
        array = plain(array)
        rows, null_count = len(array), array.null_count
        if null_count:
            missing = array.is_null().to_numpy(zero_copy_only=False)
            self.nulls.update((np.flatnonzero(missing) + np.int64(self.rows)).data)
            array = array.drop_null() if null_count < rows else array.slice(0, 0)
        self.rows += rows
        self.null_count += null_count
        self._add_present(array)

    def digest(self) -> bytes:
        """SHA-256 of everything taken in so far."""
        own = hashlib.sha256(struct.pack("<qq", self.rows, self.null_count))
        for running in (self.nulls, self.lengths, self.values):
            own.update(running.digest())
        for child in self.children:
            own.update(child.digest())
        return own.digest()

    def _add_present(self, array: pa.Array) -> None:
        """Take in values of which none is null at this level."""
        kind = array.type
        if pa.types.is_null(kind):
            return
        if pa.types.is_struct(kind):
            self._add_children(array.flatten())
        elif pa.types.is_union(kind):
            self._add_union(array)
        elif pa.types.is_map(kind):
            self._add_map(array)
        elif is_list(kind):
            self.lengths.update(pc.list_value_length(array).cast(pa.int64()).to_numpy())
            self._add_children([array.flatten()])
        elif pa.types.is_fixed_size_list(kind):
            self._add_children([array.flatten()])
        elif _has_offsets(kind):
            self._add_text(array)
        elif len(array):
            self.values.update(_fixed_width_bytes(array))

    def _add_children(self, arrays: list[pa.Array]) -> None:
        while len(self.children) < len(arrays):
            self.children.append(Node())
        for child, array in zip(self.children, arrays, strict=False):
            child.add(array)

    def _add_text(self, array: pa.Array) -> None:
        if not len(array):
            return
        offsets = _offsets(array)
        self.lengths.update(np.diff(offsets).astype("<i8", copy=False).data)
        data = array.buffers()[2]
        if data is not None:
            self.values.update(memoryview(data)[int(offsets[0]) : int(offsets[-1])])

    def _add_map(self, array: pa.Array) -> None:
        if not len(array):
            self._add_children([array.keys.slice(0, 0), array.items.slice(0, 0)])
            return
        offsets = _offsets(array)
        first, count = int(offsets[0]), int(offsets[-1] - offsets[0])
        self.lengths.update(np.diff(offsets).astype("<i8").data)
        self._add_children([array.keys.slice(first, count), array.items.slice(first, count)])

    def _add_union(self, array: pa.Array) -> None:
        # pyarrow's `type_codes` and `offsets` overlook that an array is a slice.
        buffers = array.buffers()
        codes = _numbers(buffers[1], "<i1", array.offset, len(array))
        self.values.update(codes.tobytes())
        members = []
        for position, code in enumerate(array.type.type_codes):
            places = np.flatnonzero(codes == code)
            if array.type.mode == "dense":
                places = _numbers(buffers[2], "<i4", array.offset, len(array))[places]
            members.append(array.field(position).take(pa.array(places)))
        self._add_children(members)


def _has_offsets(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )


def _offsets(array: pa.Array) -> np.ndarray[Any, Any]:
    """The len + 1 positions that bound the values of a non-empty text or map array."""
    large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    kind = "<i8" if large else "<i4"
    return _numbers(array.buffers()[1], kind, array.offset, len(array) + 1)


def _numbers(buffer: Any, kind: str, first: int, count: int) -> np.ndarray[Any, Any]:
    """So many numbers of a buffer, which may be longer by any number of bytes."""
    if not count:
        return np.empty(0, kind)
    return np.frombuffer(buffer, kind, count, first * np.dtype(kind).itemsize)


def _fixed_width_bytes(array: pa.Array) -> memoryview:
    kind = array.type
    if pa.types.is_boolean(kind):
        array, kind = array.cast(pa.uint8()), pa.uint8()
    width = kind.byte_width
    values = memoryview(array.buffers()[1])[
        array.offset * width : (array.offset + len(array)) * width
    ]
    if not pa.types.is_floating(kind):
        return values
    numbers = np.frombuffer(values, dtype=f"<f{width}")
    unordered = np.isnan(numbers)
    if not unordered.any():
        return values
    return np.where(unordered, np.array(np.nan, dtype=numbers.dtype), numbers).data
