"""Moments that somebody sent."""

from __future__ import annotations

from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp

from mesh.errors import INVALID_ARGUMENT, AssayError


def moment_of(stamp: Timestamp, field: str = "timestamp") -> datetime:
    """A timestamp as a moment in UTC. Raises AssayError(INVALID_ARGUMENT) naming `field`."""
    try:
        return stamp.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError):
        fault = "is no time from the year 1 to 9999"
        raise AssayError(INVALID_ARGUMENT, f"{field} {fault}", fields={field: fault}) from None
