"""Everybody of a tenant, by their keys and by what they asked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from assay.common.v1 import access_pb2, operation_pb2
from assay.gateway.v1 import operator_service_pb2 as pb
from gateway.domain.api_key import ApiKey

MOST = 1_000


def users_of(
    keys: Iterable[ApiKey], askers: Iterable[operation_pb2.Asker], now: datetime
) -> list[pb.User]:
    """Each by name, at most MOST. A key counts while it is good."""
    users: dict[str, pb.User] = {}
    for asker in askers:
        users[asker.user] = pb.User(name=asker.user, jobs=asker.jobs, newest_job_at=asker.newest_at)
    for key in keys:
        user = users.setdefault(key.user, pb.User(name=key.user))
        if key.last_used_at is not None:
            used = max(key.last_used_at, _used(user) or key.last_used_at)
            user.key_used_at.FromDatetime(used)
        if key.revoked_at is None and now < key.expires_at:
            user.keys += 1
            user.role = access_pb2.Role.ValueType(max(user.role, key.role))
    return sorted(users.values(), key=lambda user: user.name)[:MOST]


def _used(user: pb.User) -> datetime | None:
    if not user.HasField("key_used_at"):
        return None
    return user.key_used_at.ToDatetime(tzinfo=UTC)
