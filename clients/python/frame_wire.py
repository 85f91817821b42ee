"""The stub for files and frames, with a way to read frames that copies less."""

from __future__ import annotations

from grpc import aio

from assay.gateway.v1.artifact_service_pb2 import ReadFrameRequest, ReadFrameResponse
from assay.gateway.v1.artifact_service_pb2_grpc import ArtifactServiceStub
from mesh.frames.wire import chunk_data

_METHOD = "/assay.gateway.v1.ArtifactService/ReadFrame"


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
    data = chunk_data(message)
    if data is None:
        return memoryview(ReadFrameResponse.FromString(message).chunk.data)
    return data
