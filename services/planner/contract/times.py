"""Moments and spans."""

from __future__ import annotations

from datetime import datetime

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from mesh.times import moment_of


def timestamp(moment: datetime) -> Timestamp:
    """A moment as the contract's timestamp."""
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


def moment(stamp: Timestamp) -> datetime:
    """A timestamp as a moment in UTC. Raises AssayError(INVALID_ARGUMENT)."""
    return moment_of(stamp)


def duration(seconds: float) -> Duration:
    """Seconds as the contract's duration."""
    span = Duration()
    span.FromNanoseconds(round(seconds * 1e9))
    return span
