"""The record of a completed call: what came of it, and of which request.

A call that comes again under its id is answered from the record; another call under the same id is
refused, for its sender would take the first one's result for its own. A record is told by a digest
of its own, so that nobody gets what a disk made of it.
"""

from __future__ import annotations

import hashlib

from google.protobuf.message import DecodeError

from assay.common.v1 import analysis_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.digest import sha256_hex
from mesh.errors import ID_REUSED, STATE_DAMAGED, AssayError

_DIGEST_BYTES = 32
_MARK = b"\0\0\0"
"""Comes before the digest. Older records have neither; no message begins so, not even if one bit of
it is another."""


def sealed(observation: analysis_pb2.Observation, request: pb.ExecuteRequest) -> bytes:
    """The record of a call."""
    asked, body = _asked(request), observation.SerializeToString()
    return asked + _MARK + hashlib.sha256(asked + body).digest() + body


def seal_of(record: bytes) -> str:
    """What the chain of a job says of a record, since a digest in it can be changed with it."""
    return sha256_hex(record)


def opened(record: bytes, request: pb.ExecuteRequest) -> analysis_pb2.Observation:
    """What came of a call, with the seal of its record.

    Raises AssayError: STATE_DAMAGED for a record that is not as it was written, ID_REUSED when it
    is another call's.
    """
    if not is_whole(record):
        raise AssayError(
            STATE_DAMAGED,
            f"the record of call {request.call.call_id[:8]} is not as it was written",
            hint="Restore it from a copy, or ask anew: another job makes its own calls.",
        )
    if record[:_DIGEST_BYTES] != _asked(request):
        raise AssayError(
            ID_REUSED,
            f"call id {request.call.call_id} was used before, for another call",
            fields={"call.call_id": "stands for another call already"},
        )
    observation = analysis_pb2.Observation.FromString(_parts(record)[1])
    observation.record_seal = seal_of(record)
    return observation


def is_whole(record: bytes) -> bool:
    """Whether a record is as it was written; one of an older version, whether it can be read."""
    digest, body = _parts(record)
    if digest:
        return digest == hashlib.sha256(record[:_DIGEST_BYTES] + body).digest()
    try:
        analysis_pb2.Observation.FromString(body)
    except DecodeError:
        return False
    return True


def _parts(record: bytes) -> tuple[bytes, bytes]:
    """The digest, empty where there is none, and the observation."""
    rest = record[_DIGEST_BYTES:]
    if not rest.startswith(_MARK):
        return b"", rest
    body = len(_MARK) + _DIGEST_BYTES
    return rest[len(_MARK) : body], rest[body:]


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
