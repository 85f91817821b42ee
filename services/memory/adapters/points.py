"""How a point of one tenant is laid out in Qdrant, in process and served alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid5

from mesh.errors import INVALID_ARGUMENT, AssayError
from services.memory.ports import Entry, Point

TENANT = "tenant"
POINT_ID = "point_id"

_NAMESPACE = UUID("6b0c2f0e-7d0d-4b0b-9c39-5f2b1a1c8f7e")


def storage_id(tenant: str, point_id: str) -> str:
    """The id in Qdrant: two tenants that use one id have two points, and neither sees the other's.

    Raises AssayError (INVALID_ARGUMENT) for an empty tenant.
    """
    return str(uuid5(_NAMESPACE, f"{required(tenant)}\n{point_id}"))


def required(tenant: str) -> str:
    """The tenant, checked: an empty one would be everybody's and nobody's."""
    if not tenant:
        raise AssayError(
            INVALID_ARGUMENT,
            "the tenant is empty; memory belongs to someone",
            fields={TENANT: "must not be empty"},
        )
    return tenant


def stored_payload(tenant: str, point: Point) -> dict[str, Any]:
    """The payload as written: the point's own fields, its id and its tenant."""
    return {**point.payload, POINT_ID: point.point_id, TENANT: required(tenant)}


def restored_point(payload: Mapping[str, Any] | None, vector: Any) -> Point:
    """A point as read back; `vector` is Qdrant's list of numbers."""
    import numpy as np

    entry = restored_entry(payload)
    return Point(entry.point_id, entry.payload, np.asarray(vector, dtype=np.float32))


def restored_entry(payload: Mapping[str, Any] | None) -> Entry:
    """A point as read back without its vector."""
    fields = dict(payload or {})
    return Entry(fields.pop(POINT_ID), fields)
