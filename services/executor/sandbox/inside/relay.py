"""Read a reply that foreign code may have written, and write it anew.

This runs in a confined process of its own in which nothing foreign ran: malformed bytes that crash
a reader crash this one.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator

import pyarrow as pa
from PIL import Image

from services.executor.sandbox.inside.foreign import stream_of
from services.executor.sandbox.inside.reply import BadReply, Reply, read

MAX_PIXELS = 40_000_000
MAX_COLUMNS = 10_000

_LARGE = 1 << 30
_SHARED = (
    pa.types.is_string_view,
    pa.types.is_binary_view,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
    pa.types.is_run_end_encoded,
    pa.types.is_union,
)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PIXELS = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"pHYs", b"IEND"}


def renewed(file: int, limit: int) -> Reply:
    """The reply with every part parsed and written again. Raises BadReply."""
    given = read(file, limit)
    if given is None:
        raise BadReply("it is empty")
    return Reply(
        failure=given.failure,
        frame=_frame(given.frame) if given.frame else b"",
        figures=tuple(map(_figure, given.figures)),
        notes=given.notes,
    )


def _frame(content: bytes | memoryview) -> bytes:
    try:
        reader = pa.ipc.open_stream(pa.py_buffer(content))
        for field in reader.schema:
            _refuse_shared(field.type, inside=False)
        table = reader.read_all().combine_chunks()
        table.validate(full=True)
        if table.num_columns > MAX_COLUMNS:
            raise BadReply(f"its frame has {table.num_columns:,} columns")
        columns = [_plain(column) for column in table.columns]
        return stream_of(pa.table(columns, names=_unique(table.column_names)))
    except (pa.ArrowException, OSError, ValueError, TypeError, UnicodeError) as error:
        raise BadReply(f"its frame is malformed ({type(error).__name__})") from error


def _refuse_shared(kind: pa.DataType, *, inside: bool) -> None:
    """Raise BadReply for a type whose values may all be one: few bytes here, any number outside."""
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    shared = inside and pa.types.is_dictionary(kind)
    if shared or any(one(kind) for one in _SHARED):
        raise BadReply(f"its frame has a column of the type {kind}")
    for number in range(kind.num_fields):
        _refuse_shared(kind.field(number).type, inside=True)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Without dictionaries, extension types and what pandas alone means by large texts."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
        column = column.cast(kind)
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if pa.types.is_large_string(kind) and column.nbytes < _LARGE:
        column = column.cast(pa.string())
    return column


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return unique


def _figure(content: bytes) -> bytes:
    """The picture without anything but its pixels, which are decoded to see that they can be."""
    try:
        with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
            if image.width * image.height > MAX_PIXELS:
                raise BadReply(f"a figure has {image.width} x {image.height} pixels")
            image.load()
        return _SIGNATURE + b"".join(_chunks(content))
    except (OSError, ValueError, SyntaxError, struct.error, Image.DecompressionBombError) as error:
        raise BadReply("a figure is no PNG") from error


def _chunks(content: bytes) -> Iterator[bytes]:
    """The chunks that hold pixels, up to the end of the picture."""
    place, name = len(_SIGNATURE), b""
    while name != b"IEND":
        length, name = struct.unpack_from(">I4s", content, place)
        chunk = content[place : place + length + 12]
        if name in _PIXELS:
            yield chunk
        place += len(chunk)
