"""Value types that recipes and documents share."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """A value object: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def _canonical_id(text: str) -> str:
    try:
        return UUID(text).hex
    except ValueError:
        raise ValueError(f"{text[:50]!r} is not a UUID; ids are 32 hex characters") from None


Identifier = Annotated[str, AfterValidator(_canonical_id)]
"""A UUID, in any spelling; kept as 32 lower-case hex characters."""

Tenant = Annotated[str, Field(min_length=1, max_length=200)]
"""Whose memory it is. Nothing is ever read or written across tenants."""

Fingerprint = Annotated[
    str, Field(pattern=r"^[0-9a-fA-F]{64}$"), AfterValidator(lambda text: text.lower())
]
"""SHA-256 of the data sources' schemas, as 64 lower-case hex characters."""
