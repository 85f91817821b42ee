"""Reading frames without copying each piece twice: what protobuf's own parser would do.

A `ReadFrameResponse` is a tag, a length and a `FrameChunk`, which is a tag, a length and the data.
"""

from __future__ import annotations

from grpc import aio

from assay.gateway.v1.artifact_service_pb2 import ReadFrameRequest, ReadFrameResponse
from assay.gateway.v1.artifact_service_pb2_grpc import ArtifactServiceStub

_METHOD = "/assay.gateway.v1.ArtifactService/ReadFrame"
_FIRST_FIELD = 0x0A  # field 1, of the kind that says its length


class ArtifactStub(ArtifactServiceStub):
    """The generated stub, and `ReadFrameData`: ReadFrame that gives the data alone."""

    def __init__(self, channel: aio.Channel) -> None:
        super().__init__(channel)
        self.ReadFrameData: aio.UnaryStreamMultiCallable[ReadFrameRequest, memoryview] = (
            channel.unary_stream(
                _METHOD,
                request_serializer=ReadFrameRequest.SerializeToString,
                response_deserializer=frame_data,
            )
        )


def frame_data(message: bytes) -> memoryview:
    """The data of a serialized `ReadFrameResponse`. Raises DecodeError for what is none."""
    chunk = _only_field(memoryview(message))
    data = None if chunk is None else _only_field(chunk)
    if data is None:
        return memoryview(ReadFrameResponse.FromString(message).chunk.data)
    return data


def _only_field(message: memoryview) -> memoryview | None:
    """What the first field holds if there is no other, else None."""
    if len(message) < 2 or message[0] != _FIRST_FIELD:
        return None
    length, shift, start = 0, 0, 1
    while start < min(len(message), 6):
        byte = message[start]
        length |= (byte & 0x7F) << shift
        shift, start = shift + 7, start + 1
        if byte < 0x80:
            return message[start:] if start + length == len(message) else None
    return None
