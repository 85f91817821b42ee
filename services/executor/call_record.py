"""The record of a completed call: what came of it, and of which request.

A call that comes again under its id is answered from the record; another call under the same id is
refused, for its sender would take the first one's result for its own.
"""

from __future__ import annotations

import hashlib

from assay.common.v1 import analysis_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import ID_REUSED, AssayError

_DIGEST_BYTES = 32


def sealed(observation: analysis_pb2.Observation, request: pb.ExecuteRequest) -> bytes:
    """The record of a call."""
    return _asked(request) + observation.SerializeToString()


def opened(record: bytes, request: pb.ExecuteRequest) -> analysis_pb2.Observation:
    """What came of a call. Raises AssayError(ID_REUSED) when the record is another call's."""
    if record[:_DIGEST_BYTES] != _asked(request):
        raise AssayError(
            ID_REUSED,
            f"call id {request.call.call_id} was used before, for another call",
            fields={"call.call_id": "stands for another call already"},
        )
    return analysis_pb2.Observation.FromString(record[_DIGEST_BYTES:])


def _asked(request: pb.ExecuteRequest) -> bytes:
    """The digest of all that decides a call's result; when and where from it is asked does not."""
    asked = pb.ExecuteRequest()
    asked.CopyFrom(request)
    asked.call.ClearField("timestamp")
    for name in request.inputs:
        digest = request.inputs[name].digest
        asked.inputs[name].Clear()
        asked.inputs[name].digest = digest
    return hashlib.sha256(asked.SerializeToString(deterministic=True)).digest()
