"""What a bundle holds has one spelling: other bytes that say the same are refused, by name.

The forger here seals the bundle again, and owns no key: everything that the log signed holds.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from clients.python.verification import layout
from clients.python.verification.reading import Trust
from mesh.digest import frame_digest
from mesh.frames.encoding import write_plainly
from mesh.proof.checkpoint import SignedNote, SigningKey
from tests.unit.clients.bundles import FRAME_MEMBER, resealed, unpacked, wrong
from tests.unit.clients.proven import LOG_KEY, TOTAL

SPELT = "is not in its one spelling"
JSON_MEMBERS = [layout.JOB, layout.PLAN, layout.CALLS, layout.CLAIMS, layout.SOURCES]


def forged_key_first(content: bytes) -> bytes:
    """What reading alone never sees: it keeps the last of two equal keys."""
    key = content.split(b'"')[1]
    place = content.index(b"{") + 1
    return content[:place] + b'"' + key + b'": "forged",' + content[place:]


def more_space(content: bytes) -> bytes:
    return content.replace(b": ", b":  ", 1)


def fewer_lines(content: bytes) -> bytes:
    return json.dumps(json.loads(content), sort_keys=True).encode()


def keys_in_another_order(content: bytes) -> bytes:
    def turned(value: object) -> object:
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in sorted(value, reverse=True)}
        return [turned(item) for item in value] if isinstance(value, list) else value

    text = json.dumps(turned(json.loads(content)), indent=1, ensure_ascii=False)
    return text.encode() + b"\n"


def escaped_letters(content: bytes) -> bytes:
    letter = next(letter for letter in b"aeio" if letter in content)
    place = content.index(bytes([letter]))
    return content[:place] + rf"\u{letter:04x}".encode() + content[place + 1 :]


def a_byte_behind(content: bytes) -> bytes:
    return content + b" "


def a_mark_before(content: bytes) -> bytes:
    return b"\xef\xbb\xbf" + content


@pytest.mark.parametrize("name", JSON_MEMBERS)
@pytest.mark.parametrize(
    "respell",
    [
        forged_key_first,
        more_space,
        fewer_lines,
        keys_in_another_order,
        escaped_letters,
        a_byte_behind,
        a_mark_before,
    ],
)
def test_a_document_in_another_spelling_is_refused_and_named(
    bundle: Path, name: str, respell: Callable[[bytes], bytes]
) -> None:
    folder = unpacked(bundle)
    path = folder / name
    path.write_bytes(respell(path.read_bytes()))
    found = wrong(resealed(folder), Trust(LOG_KEY.verifier))
    assert found.detail.startswith(name)
    assert SPELT in found.detail or "is not JSON" in found.detail


def test_a_second_answer_that_stands_first_is_refused(bundle: Path) -> None:
    folder = unpacked(bundle)
    path = folder / layout.JOB
    forged = b'{\n "answer": {"text": "Revenue was 1."},'
    path.write_bytes(path.read_bytes().replace(b"{", forged, 1))
    found = wrong(resealed(folder), Trust(LOG_KEY.verifier))
    assert found.detail == f"job.json {SPELT}: the key 'answer' is there twice"


@pytest.mark.parametrize(
    ("name", "plain", "other"),
    [
        (layout.CLAIMS, b'"row": 0', b'"row": 0.0'),
        (layout.CLAIMS, b'"row": 0', b'"row": -0'),
        (layout.PLAN, b": 0.1", b": 1e-1"),
        (layout.PLAN, b": 0.1", b": 0.10"),
        (layout.CALLS, b'"attempt_number": 1', b'"attempt_number": 1.0'),
    ],
)
def test_a_number_in_another_spelling_is_refused(
    bundle: Path, name: str, plain: bytes, other: bytes
) -> None:
    folder = unpacked(bundle)
    content = (folder / name).read_bytes()
    assert plain in content
    (folder / name).write_bytes(content.replace(plain, other, 1))
    assert name in wrong(resealed(folder)).detail


@pytest.mark.parametrize(
    ("plain", "other"),
    [
        (b'{"hashes"', b'{ "hashes"'),
        (b'{"hashes"', b'{"hashes":[],"hashes"'),
        (b'"leaf_index":1,', b'"leaf_index":1.0,'),
        (b'"leaf_index":1,', b'"leaf_index":01,'),
    ],
)
def test_a_proof_in_another_spelling_is_refused(bundle: Path, plain: bytes, other: bytes) -> None:
    folder = unpacked(bundle)
    content = (folder / layout.PROOFS).read_bytes()
    assert plain in content
    (folder / layout.PROOFS).write_bytes(content.replace(plain, other, 1))
    found = wrong(resealed(folder)).detail
    assert found.startswith(("proofs.jsonl: line 1 is not", "entry 1: its proof does not hold"))


@pytest.mark.parametrize("other", [b"\n", b" ", b"\r"])
def test_an_entry_in_another_spelling_is_refused(bundle: Path, other: bytes) -> None:
    folder = unpacked(bundle)
    content = (folder / layout.ENTRIES).read_bytes()
    (folder / layout.ENTRIES).write_bytes(content[:-1] + other + b"\n")
    assert wrong(resealed(folder)).name == "chain"


def signed_by_a_stranger(folder: Path) -> None:
    note = SignedNote.parse((folder / layout.CHECKPOINT).read_text())
    stranger = SigningKey.generate("auditor-general")
    line = type(note.signatures[0])(
        stranger.name, stranger.verifier.key_hash, stranger.raw_signature(note.text.encode())
    )
    (folder / layout.CHECKPOINT).write_text(note.with_signature(line).encode())


def signed_twice(folder: Path) -> None:
    path = folder / layout.CHECKPOINT
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines, lines[-1]]))


def another_log_key(folder: Path) -> None:
    key = SigningKey.generate("assay-1").verifier.encode()
    (folder / layout.LOG_KEY).write_text(key + "\n")


def two_log_keys(folder: Path) -> None:
    path = folder / layout.LOG_KEY
    path.write_text(path.read_text() + SigningKey.generate("assay-2").verifier.encode() + "\n")


def a_line_more(folder: Path) -> None:
    (folder / layout.LOG_KEY).write_text((folder / layout.LOG_KEY).read_text() + "\n")


@pytest.mark.parametrize(
    "change", [signed_by_a_stranger, signed_twice, another_log_key, two_log_keys, a_line_more]
)
def test_signatures_and_keys_that_are_not_the_logs_are_refused(
    bundle: Path, change: Callable[[Path], None]
) -> None:
    folder = unpacked(bundle)
    change(folder)
    found = wrong(resealed(folder), Trust(LOG_KEY.verifier))
    assert found.name == "tree"
    assert "checkpoint" in found.detail or layout.LOG_KEY in found.detail


def written(table: pa.Table, **options: object) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return file.getvalue()


def with_metadata(table: pa.Table) -> bytes:
    return written(table.replace_schema_metadata({"note": "audited"}))


def with_metadata_of_a_field(table: pa.Table) -> bytes:
    fields = [field.with_metadata({"note": "audited"}) for field in table.schema]
    return written(table.cast(pa.schema(fields)))


def compressed(table: pa.Table) -> bytes:
    return written(table, compression="zstd")


def of_another_version(table: pa.Table) -> bytes:
    return written(table, metadata_version=pa.ipc.MetadataVersion.V4)


def with_dictionaries(table: pa.Table) -> bytes:
    return written(
        pa.table([column.dictionary_encode() for column in table.columns], table.column_names)
    )


def required_fields(table: pa.Table) -> bytes:
    return written(table.cast(pa.schema([field.with_nullable(False) for field in table.schema])))


def with_an_empty_batch(table: pa.Table) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
        writer.write_batch(pa.RecordBatch.from_pylist([], schema=table.schema))
    return file.getvalue()


def with_bytes_behind(table: pa.Table) -> bytes:
    file = io.BytesIO()
    write_plainly(table, file)
    return file.getvalue() + b"West led."


@pytest.mark.parametrize(
    "encode",
    [
        with_metadata,
        with_metadata_of_a_field,
        compressed,
        of_another_version,
        with_dictionaries,
        required_fields,
        with_an_empty_batch,
        with_bytes_behind,
    ],
)
def test_a_frame_in_another_encoding_is_refused_and_named(
    bundle: Path, encode: Callable[[pa.Table], bytes]
) -> None:
    folder = unpacked(bundle)
    content = encode(TOTAL)
    assert frame_digest(pa.ipc.open_stream(content).read_all()) == frame_digest(TOTAL)
    (folder / FRAME_MEMBER).write_bytes(content)
    found = wrong(resealed(folder), Trust(LOG_KEY.verifier))
    assert (
        found.detail == f"{FRAME_MEMBER} is not in its one encoding: other bytes hold the same rows"
    )


def test_no_byte_of_a_frame_is_free() -> None:
    """Neither under a null, nor behind the last value or bit, nor in padding."""
    table = pa.table(
        {
            "number": pa.array([1, None, 3], pa.int16()),
            "text": ["a", None, "bc"],
            "flag": [True, None, False],
            "list": [[1], None, [2, 3]],
        }
    )
    file = io.BytesIO()
    write_plainly(table, file)
    content = file.getvalue()
    free = []
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << (place % 8)
        try:
            rows = pa.ipc.open_stream(bytes(changed)).read_all()
            rows.validate(full=True)
            same = frame_digest(rows) == frame_digest(table)
            again = io.BytesIO()
            write_plainly(rows, again)
        except (pa.ArrowException, OSError, TypeError, ValueError, UnicodeDecodeError):
            continue
        if same and again.getvalue() == bytes(changed):
            free.append(place)
    assert free == []


def test_however_rows_lie_in_memory_they_are_written_alike() -> None:
    values = [None if n % 7 == 0 else n for n in range(70_000)]
    plain = pa.table({"n": values, "t": [None if v is None else str(v) for v in values]})
    parts = [plain.slice(0, 13), plain.slice(13, 65_536), plain.slice(65_549)]
    layouts = [
        pa.concat_tables(parts),
        pa.table({"n": plain["n"], "t": plain["t"].dictionary_encode()}),
        plain.cast(pa.schema({"n": pa.int64(), "t": pa.string_view()})),
        pa.table([pa.array(np.array(values, dtype=object), pa.int64()), plain["t"]], ["n", "t"]),
    ]
    first = io.BytesIO()
    write_plainly(plain, first)
    for other in layouts:
        again = io.BytesIO()
        write_plainly(other, again)
        assert again.getvalue() == first.getvalue()


def commented(content: bytes) -> bytes:
    return content[:-2] + (5).to_bytes(2, "little") + b"hello"


def behind(content: bytes) -> bytes:
    return content + b"PK"


def before(content: bytes) -> bytes:
    return b"#!/bin/sh\n" + content


def flagged(content: bytes) -> bytes:
    changed = bytearray(content)
    changed[6] |= 2  # of the first member: how hard it was compressed
    return bytes(changed)


@pytest.mark.parametrize("change", [commented, behind, before, flagged])
def test_an_archive_with_anything_else_in_it_is_refused(
    bundle: Path, change: Callable[[bytes], bytes]
) -> None:
    bundle.write_bytes(change(bundle.read_bytes()))
    assert wrong(bundle, Trust(LOG_KEY.verifier)).name in ("manifest", "bundle")


@pytest.mark.parametrize("name", ["readme.txt", "frames/", "job.json.bak"])
def test_a_member_more_is_refused_in_an_archive_too(bundle: Path, name: str) -> None:
    with zipfile.ZipFile(bundle, "a") as archive:
        archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), b"")
    assert name in wrong(bundle).detail
