"""What foreign code writes as its reply is foreign too: it may not harm whoever reads it."""

from __future__ import annotations

import base64
import io
import json
import os
import pickle
import random
import struct
import zlib
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from mesh.tool import ErrorCategory, ToolError
from tests.sandbox.conftest import LIMITS, Run


def forged(content: bytes = b"", /, *, pictures: tuple[bytes, ...] = (), **header: Any) -> bytes:
    """A reply laid out as one should be, whatever its parts hold."""
    sizes = {"frame": len(content), "figures": [len(picture) for picture in pictures]}
    head = json.dumps({"failure": None, "notes": [], **sizes, **header}).encode()
    return struct.pack("<I", len(head)) + head + content + b"".join(pictures)


def writing(reply: bytes) -> str:
    """Code that writes this as its reply and leaves before anybody writes another."""
    text = base64.b64encode(zlib.compress(reply)).decode()
    return (
        "import base64, os, zlib\n"
        f"os.write(3, zlib.decompress(base64.b64decode({text!r})))\nos._exit(0)"
    )


def stream(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


TABLE = pa.table(
    {
        "n": pa.array([1, None, 3], pa.int64()),
        "s": ["a", None, "ccc"],
        "l": [[1, 2], None, []],
        "d": pa.array(["x", "y", "x"]).dictionary_encode(),
    }
)


def test_a_reply_of_ones_own_is_read_like_any(run: Run) -> None:
    given = run(writing(forged(stream(TABLE))))

    assert given.frame is not None
    assert given.frame["n"].to_pylist() == [1, None, 3]
    assert given.frame["d"].to_pylist() == ["x", "y", "x"]


SEEDS = range(60 if os.environ.get("ASSAY_TEST_THOROUGH") else 12)


@pytest.mark.parametrize("seed", SEEDS)
def test_malformed_arrow_is_refused_or_read_and_never_crashes(seed: int, run: Run) -> None:
    generator = random.Random(seed)
    content = bytearray(stream(TABLE))
    for _ in range(generator.randint(1, 8)):
        content[generator.randrange(len(content))] = generator.randrange(256)
    if generator.random() < 0.3:
        del content[generator.randrange(len(content)) :]
    try:
        given = run(writing(forged(bytes(content))))
    except ToolError as error:
        assert "reply cannot be used" in error.message
    else:
        assert given.frame is None or given.frame.validate(full=True) is None
    assert run("result = 1").frame is not None


def lying_offsets() -> bytes:
    """Texts whose offsets lead far outside their buffer."""
    content = stream(pa.table({"s": ["ab", "cd"]}))
    true, lying = struct.pack("<3i", 0, 2, 4), struct.pack("<3i", 0, 2**30, 2**31 - 1)
    assert content.count(true) == 1
    return content.replace(true, lying)


def compressed_bomb() -> bytes:
    """A few kilobytes that unpack to more than a reply may hold."""
    sink = io.BytesIO()
    table = pa.table({"zeros": pa.array(np.zeros(LIMITS.result_bytes // 8 + 100_000, np.int64))})
    with pa.ipc.new_stream(
        sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
    ) as writer:
        writer.write_table(table)
    return sink.getvalue()


def one_text_many_times(kind: str) -> bytes:
    """A text of a megabyte, once, in each of 100,000 rows."""
    rows, text = 100_000, pa.array(["x" * 1_000_000])
    column: pa.Array
    if kind == "view":
        buffers = text.cast(pa.string_view()).buffers()
        views = pa.py_buffer(buffers[1].to_pybytes() * rows)
        column = pa.Array.from_buffers(pa.string_view(), rows, [None, views, *buffers[2:]])
    elif kind == "runs":
        column = pa.RunEndEncodedArray.from_arrays(pa.array([rows], pa.int32()), text)
    else:
        numbers = pa.array([0] * rows, pa.int32())
        inner = pa.DictionaryArray.from_arrays(numbers, text)
        column = pa.StructArray.from_arrays([inner], ["inner"])
    return stream(pa.table({"s": column}))


def chunk(name: bytes, content: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(name + content))
    return struct.pack(">I", len(content)) + name + content + checksum


def png(*, text: bytes = b"", after: bytes = b"") -> bytes:
    """A small picture, with a compressed text in it and bytes behind its end."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0))
    words = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(text))
    body = chunk(b"IDAT", zlib.compress(bytes(9 * 8)))
    return b"\x89PNG\r\n\x1a\n" + header + words + body + chunk(b"IEND", b"") + after


def png_bomb() -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(bytes(1 << 20)))
    return b"\x89PNG\r\n\x1a\n" + header + body + chunk(b"IEND", b"")


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (open, ("/tmp/assay-unpickled", "w"))


BAD = {
    "nothing but noise": lambda: random.Random(1).randbytes(5000),
    "an endless header": lambda: struct.pack("<I", 2**32 - 1) + b"{}",
    "a deep header": lambda: struct.pack("<I", 100_000) + b"[" * 100_000,
    "a header of another kind": lambda: struct.pack("<I", 2) + b"[]",
    "sizes that lie": lambda: forged(b"abc", frame=2**40),
    "negative sizes": lambda: forged(b"abc", frame=-3),
    "sizes that are no numbers": lambda: forged(b"abc", frame="3"),
    "too many figures": lambda: forged(pictures=(b"",) * 1000),
    "notes that are no texts": lambda: forged(notes=[{"a": 1}]),
    "a failure that is none": lambda: forged(failure={"type": 1}),
    "a pickle instead of a frame": lambda: forged(pickle.dumps(Evil())),
    "a pickle instead of all": lambda: pickle.dumps(Evil()),
    "a pickle in a figure": lambda: forged(pictures=(pickle.dumps(Evil()),)),
    "offsets that lead outside": lambda: forged(lying_offsets()),
    "a compressed bomb": lambda: forged(compressed_bomb()),
    "a text in every row by a view": lambda: forged(one_text_many_times("view")),
    "a text in every row by a run": lambda: forged(one_text_many_times("runs")),
    "a text in every row by a dictionary": lambda: forged(one_text_many_times("dictionary")),
    "a picture bomb": lambda: forged(pictures=(png_bomb(),)),
    "a drawing with a script": lambda: forged(
        pictures=(b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',)
    ),
    "a text bomb in a picture": lambda: forged(pictures=(png(text=bytes(1 << 26)),)),
    "a picture cut short": lambda: forged(pictures=(png()[:-30],)),
    "a picture of another kind": lambda: forged(pictures=(b"GIF89a" + bytes(20),)),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_reply_is_refused(bad: str, run: Run) -> None:
    with pytest.raises(ToolError) as refused:
        run(writing(BAD[bad]()))

    assert "reply cannot be used" in refused.value.message
    assert run("result = 1").frame is not None


def test_no_exit_code_makes_it_the_sandboxs_fault(run: Run) -> None:
    """81 is how the sandbox says that it could not confine a run."""
    with pytest.raises(ToolError) as refused:
        run("import os\nprint('restart the server', flush=True)\nos._exit(81)")

    assert refused.value.category is ErrorCategory.INVALID_ARGUMENTS


def test_of_a_picture_and_a_frame_only_pixels_and_values_come_through(run: Run) -> None:
    """A page or a program behind a picture, texts in it, what a schema says beside its columns."""
    field = pa.field("n", pa.int64(), metadata={b"a": b"field"})
    table = pa.table([[1]], schema=pa.schema([field], metadata={b"pandas": b"evil"}))
    picture = png(text=b"<script>", after=b"<script>alert(1)</script>")

    given = run(writing(forged(stream(table), pictures=(picture,))))

    assert given.frame is not None
    assert given.frame.schema.metadata is None
    assert given.frame.schema.field("n").metadata is None
    (figure,) = given.figures
    assert b"zTXt" not in figure
    assert figure.endswith(chunk(b"IEND", b""))


def test_links_and_pickles_left_in_a_folder_are_followed_by_nobody(run: Run, way: str) -> None:
    if way == "landlock":
        pytest.skip("without namespaces there is no scratch space")
    given = run(
        "import os, pickle\n"
        "place = os.environ['TMPDIR']\n"
        "os.symlink('/etc/passwd', place + '/figure-1.png')\n"
        "open(place + '/result.pkl', 'wb').write(pickle.dumps(print))\n"
        "result = sorted(os.listdir(place))"
    )

    assert given.frame is not None
    assert given.frame["value"].to_pylist() == ["figure-1.png", "result.pkl"]
    assert given.figures == ()


def test_a_reply_that_is_no_reply_and_too_large_is_refused(run: Run) -> None:
    with pytest.raises(ToolError):
        run(f"import os\nos.truncate(3, {LIMITS.result_bytes + 1})\nos._exit(0)")


def test_objects_in_a_result_become_texts_and_are_never_unpickled(run: Run) -> None:
    given = run(
        "class A:\n    def __repr__(self): return 'an a'\nresult = pd.DataFrame({'x': [A(), 1]})"
    )

    assert given.frame is not None
    assert given.frame["x"].to_pylist() == ["an a", "1"]
    assert given.notes == ("column 'x' held values of several kinds and is given as text",)
