"""How one entry lies in a segment file, and how a torn write is told from damage.

A record is a marker, the body's length, a CRC, the first leaf of the batch it was written in,
and the body: tenant and leaf. The marker's first byte occurs in no UTF-8 text, so it can be
searched for. A batch is written only after the one before it is durable; therefore a bad record
followed by a good one of a *later* batch was durable once and has been damaged since, while a bad
record followed by nothing, or only by others of its own batch, is what a crash leaves behind.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

MARKER = b"\xffAE1"
_HEADER = struct.Struct(">4sIIQ")
_CHECKED = struct.Struct(">IQ")
HEADER_BYTES = _HEADER.size
MAX_BODY_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Record:
    """One entry as stored: whose it is, the bytes the tree hashes, and where the next begins."""

    tenant: str
    leaf: bytes
    batch_first_leaf: int
    end: int


class RecordError(ValueError):
    """The bytes at a place are not a whole record; the message says why."""


def encode_record(tenant: str, leaf: bytes, batch_first_leaf: int) -> bytes:
    """The bytes of one record."""
    name = tenant.encode()
    body = b"%c%b%b" % (len(name), name, leaf)
    checksum = zlib.crc32(body, zlib.crc32(_CHECKED.pack(len(body), batch_first_leaf)))
    return _HEADER.pack(MARKER, len(body), checksum, batch_first_leaf) + body


def decode_record(data: bytes, offset: int = 0) -> Record:
    """Read the record that begins at `offset`. Raises RecordError unless it is whole and sound."""
    header = data[offset : offset + HEADER_BYTES]
    if len(header) < HEADER_BYTES:
        raise RecordError("the file ends inside a record's header")
    marker, length, checksum, batch_first_leaf = _HEADER.unpack(header)
    if marker != MARKER:
        raise RecordError("no record begins here")
    end = offset + HEADER_BYTES + length
    body = data[offset + HEADER_BYTES : end] if length <= MAX_BODY_BYTES else b""
    if len(body) < length:
        raise RecordError("the file ends inside a record's body")
    if zlib.crc32(body, zlib.crc32(_CHECKED.pack(length, batch_first_leaf))) != checksum:
        raise RecordError("the checksum does not match")
    split = 1 + body[0]
    return Record(body[1:split].decode(), body[split:], batch_first_leaf, end)


def body_length(header: bytes) -> int:
    """Length of the body that follows a header, unchecked. Raises RecordError without a marker."""
    if len(header) < HEADER_BYTES or header[:4] != MARKER:
        raise RecordError("no record begins here")
    length: int = _HEADER.unpack(header[:HEADER_BYTES])[1]
    if length > MAX_BODY_BYTES:
        raise RecordError("the record's length is damaged")
    return length


def was_durable(data: bytes, offset: int, leaf_index: int) -> bool:
    """Whether a later batch follows the bad record `leaf_index` at `offset`."""
    place = data.find(MARKER, offset + 1)
    while place >= 0:
        try:
            if decode_record(data, place).batch_first_leaf > leaf_index:
                return True
        except RecordError:
            pass  # a marker inside the torn bytes; keep looking
        place = data.find(MARKER, place + 1)
    return False
