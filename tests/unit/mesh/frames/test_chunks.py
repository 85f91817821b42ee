"""Frames as messages: what protobuf would make of them, and what a reader does with the rest."""

from __future__ import annotations

import asyncio

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.common.v1.data_pb2 import FrameChunk
from assay.executor.v1.executor_service_pb2 import ReadFrameResponse as ExecutorsResponse
from assay.gateway.v1.artifact_service_pb2 import ReadFrameResponse
from clients.python.frame_wire import frame_data
from mesh.digest import frame_digest
from mesh.errors import SOURCE_NOT_READABLE, AssayError
from mesh.frames import arrival, codec
from mesh.frames.decoding import decoding
from mesh.frames.sending import PIECE_BYTES
from mesh.frames.wire import chunk_message

SALES = pa.table({"region": ["north", None] * 50_000, "amount": list(range(100_000))})


@pytest.mark.parametrize("size", [1, 125, 126, 127, 128, 16_383, 16_384, PIECE_BYTES])
def test_a_chunk_is_the_message_that_protobuf_makes(size: int) -> None:
    data = bytes(size)
    for kind in (ReadFrameResponse, ExecutorsResponse):
        assert chunk_message(data) == kind(chunk=FrameChunk(data=data)).SerializeToString()
    assert frame_data(chunk_message(memoryview(data))) == data


@given(st.binary(max_size=300))
def test_a_message_of_other_fields_is_read_as_protobuf_reads_it(data: bytes) -> None:
    newer = b"\x12\x03new"  # a field that this version does not know
    wrapped = chunk_message(data + b"x")
    assert bytes(frame_data(wrapped + newer)) == data + b"x"
    assert bytes(frame_data(newer + wrapped)) == data + b"x"
    assert bytes(frame_data(b"")) == b""


async def test_a_decoder_that_fails_says_so_and_keeps_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def of_no_known_type(schema: pa.Schema) -> None:
        raise TypeError("Arrow type of tomorrow has no canonical form")

    monkeypatch.setattr(arrival, "RunningDigest", of_no_known_type)
    with decoding(frame_digest(SALES)) as decoder:
        with pytest.raises(AssayError, match="type of tomorrow") as refused:
            async with asyncio.timeout(20):
                for piece in codec.stream_chunks(SALES, 1000):
                    await decoder.feed(piece)
                await decoder.table()
        assert refused.value.reason is SOURCE_NOT_READABLE
